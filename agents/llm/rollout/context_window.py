"""What becomes of a conversation that outgrows the model's context.

A policy of the context decides what a model has before it when it replies. It works on ids: what
stays is the ids that were heard and sampled, so that the log-probabilities of a reply are those of
the context in which it was drawn. Room is made while a reply of `max_new_tokens` may still fit. How
long contexts may be, the engine says (`context_length`).

Left out: contexts that keep what is relevant by its meaning, and tools that search in what was cut.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from zerogym.agents.llm.generation.protocol import Completion
from zerogym.agents.llm.rollout.conversation import Conversation, Room, begin

ContextKind = Literal["stop", "truncate", "summarise", "markovian"]
TurnKind = Literal["reply", "chunk", "summary"]


class Context(Protocol):
    """What to do about the length of a conversation."""

    def hear(self, talk: Conversation | None, text: str, room: Room) -> Conversation:
        """A text that the world says, to a conversation or at its start (None)."""
        ...

    def write(
        self, talk: Conversation, completion: Completion, room: Room
    ) -> tuple[Conversation, TurnKind]:
        """What the model wrote, and what it is; after other than a `reply`, it is to go on."""
        ...


@dataclass(frozen=True)
class Stop:
    """Nothing: a reply has what room is left, and with none it is empty."""

    def hear(self, talk: Conversation | None, text: str, room: Room) -> Conversation:
        """The conversation grows."""
        return begin(room, text) if talk is None else talk.hear(room, text)

    def write(
        self, talk: Conversation, completion: Completion, room: Room
    ) -> tuple[Conversation, TurnKind]:
        """Each completion is a reply."""
        return talk.say(completion.ids), "reply"


@dataclass(frozen=True)
class Truncate(Stop):
    """The oldest turns after the opening are dropped, no more than needed.

    A turn is a reply and what was said to it. The last one always stays.
    """

    def hear(self, talk: Conversation | None, text: str, room: Room) -> Conversation:
        """The conversation grows at its end and loses old turns."""
        talk = super().hear(talk, text, room)
        while not _fits(talk, room) and len(talk.parts) > 1:
            talk = replace(talk, parts=talk.parts[1:])
        return talk


@dataclass(frozen=True)
class Summarise(Stop):
    """The model sums up what has happened, and goes on from the task and its summary.

    "Scaling LLM Multi-turn RL with End-to-end Summarization-based Context Management" (2025,
    arXiv 2510.06727). A summary is a turn like others, written in the whole context before it: its
    tokens are the policy's own and trained for what the episode is paid. The newest observation is
    not summed up; it stands after the summary. Summaries have at most `max_new_tokens`, and are
    asked for while there is room for one more turn and one.

    Attributes:
        request: What the model is asked.
    """

    request: str = (
        "Your context is nearly full. Sum up what you have done and learned so far, with "
        "everything that you need to go on. Only the task and this summary will remain."
    )

    def hear(self, talk: Conversation | None, text: str, room: Room) -> Conversation:
        """The conversation grows, or a summary is asked for."""
        heard = super().hear(talk, text, room)
        if talk is None:
            return heard
        asked = len(room.chat.following((), self.request)) + room.sampling.max_new_tokens
        if _fits(heard, room, asked):
            return heard
        return replace(talk.hear(room, self.request), news=text)

    def write(
        self, talk: Conversation, completion: Completion, room: Room
    ) -> tuple[Conversation, TurnKind]:
        """A completion is the summary if one was asked for, else a reply."""
        if talk.news is None:
            return super().write(talk, completion, room)
        again = begin(room, f"{talk.task}\n\n{completion.text}\n\n{talk.news}")
        return replace(again, task=talk.task), "summary"


@dataclass(frozen=True)
class Markovian(Stop):
    """Thoughts in chunks: each is drawn from the opening and the end of what came before it.

    Delethink of "The Markovian Thinker" (2025, arXiv 2510.06557): a reply of any length with a
    context of constant size. A chunk ends with `max_new_tokens`, or where the engine's context
    does (which alone is the paper's rule). In an episode of several turns the carried tokens are
    the last of the whole conversation, observations included (our choice). Left out: the first
    hundred tokens of a reply, which the authors' code keeps.

    Attributes:
        carry: Tokens that are carried over, >= 1.
        chunks: Most chunks of a reply, >= 1; the last one is cut as any reply.
    """

    carry: int = 32
    chunks: int = 5

    def __post_init__(self) -> None:
        for name in ("carry", "chunks"):
            if getattr(self, name) < 1:
                raise ValueError(f"Markovian: {name} must be >= 1, got {getattr(self, name)!r}")

    def hear(self, talk: Conversation | None, text: str, room: Room) -> Conversation:
        """The conversation grows, or loses all but its opening and its end."""
        talk = super().hear(talk, text, room)
        return talk if _fits(talk, room) else self._carried(talk)

    def write(
        self, talk: Conversation, completion: Completion, room: Room
    ) -> tuple[Conversation, TurnKind]:
        """A completion that was cut is a chunk, and the reply goes on."""
        talk = talk.say(completion.ids)
        if completion.finish == "stop" or not completion.ids or len(talk.chunks) >= self.chunks:
            return talk, "reply"
        return self._carried(talk), "chunk"

    def _carried(self, talk: Conversation) -> Conversation:
        return replace(talk, parts=(talk.since[-self.carry :],), said=())


CONTEXTS: Mapping[ContextKind, Context] = {
    "stop": Stop(),
    "truncate": Truncate(),
    "summarise": Summarise(),
    "markovian": Markovian(),
}


def _fits(talk: Conversation, room: Room, more: int = 0) -> bool:
    """Whether the next reply may have its full length, and as many tokens be added after it."""
    return len(talk.ids) + room.sampling.max_new_tokens + more <= room.limit
