"""Policies for conversations that outgrow the model's context (`context_length` of the engine).

They work on ids: observed and sampled ids stay as they are, so that the log-probabilities of a
reply are those of the context in which it was sampled. Room is made while a reply of
`max_new_tokens` may still fit.

Left out: contexts that keep what is relevant by its meaning, and tools that search in what was cut.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Literal

from zerogym.agents.llm.generation.protocol import Completion
from zerogym.agents.llm.rollout.conversation import Conversation, Room, begin
from zerogym.agents.parts import Part, Table

TurnKind = Literal["reply", "chunk", "summary"]


class Context(Part):
    """A policy for the length of a conversation."""

    @abstractmethod
    def observe(self, talk: Conversation | None, text: str, room: Room) -> Conversation:
        """Add an observation to a conversation, or begin one with it (None)."""

    @abstractmethod
    def write(
        self, talk: Conversation, completion: Completion, room: Room
    ) -> tuple[Conversation, TurnKind]:
        """Add a completion, and classify it; after other than a `reply` the model writes on."""


CONTEXTS: Table[Context] = Table("context", Context, __name__)
context = CONTEXTS.register


@context("stop")
@dataclass(frozen=True)
class Stop(Context):
    """Keep everything: a reply has the room that is left, and with none it is empty."""

    def observe(self, talk: Conversation | None, text: str, room: Room) -> Conversation:
        return begin(room, text) if talk is None else talk.observe(room, text)

    def write(
        self, talk: Conversation, completion: Completion, room: Room
    ) -> tuple[Conversation, TurnKind]:
        return talk.extend(completion.ids), "reply"


@context("truncate")
@dataclass(frozen=True)
class Truncate(Stop):
    """Drop the oldest turns after the opening, no more than needed.

    A turn is a reply and the observation after it. The last one always stays.
    """

    def observe(self, talk: Conversation | None, text: str, room: Room) -> Conversation:
        talk = super().observe(talk, text, room)
        while not _fits(talk, room) and len(talk.parts) > 1:
            talk = replace(talk, parts=talk.parts[1:])
        return talk


@context("summarise")
@dataclass(frozen=True)
class Summarise(Stop):
    """Let the model sum up the conversation, and go on from the task and its summary.

    A summary is a turn like others, written in the whole context before it: its tokens are the
    policy's own and trained with the episode's return. The newest observation is not summed up; it
    stands after the summary. Summaries have at most `max_new_tokens`, and are requested while there
    is room for one more turn and one.
    """

    source = (
        "Scaling LLM Multi-turn RL with End-to-end Summarization-based Context Management (2025, "
        "arXiv 2510.06727)"
    )
    request: str = (
        "Your context is nearly full. Sum up what you have done and learned so far, with "
        "everything that you need to go on. Only the task and this summary will remain."
    )  # the request for a summary

    def observe(self, talk: Conversation | None, text: str, room: Room) -> Conversation:
        grown = super().observe(talk, text, room)
        summary = len(room.chat.following((), self.request)) + room.sampling.max_new_tokens
        if talk is None or _fits(grown, room, summary):
            return grown
        return replace(talk.observe(room, self.request), news=text)

    def write(
        self, talk: Conversation, completion: Completion, room: Room
    ) -> tuple[Conversation, TurnKind]:
        if talk.news is None:
            return super().write(talk, completion, room)
        again = begin(room, f"{talk.task}\n\n{completion.text}\n\n{talk.news}")
        return replace(again, task=talk.task), "summary"


@context("markovian")
@dataclass(frozen=True)
class Markovian(Stop):
    """Split a reply into chunks, each sampled from the opening and the end of what came before.

    Delethink of the paper: a reply of any length with a context of constant size. A chunk ends with
    `max_new_tokens`, or where the engine's context does (which alone is the paper's rule). In an
    episode of several turns the carried tokens are the last of the whole conversation, observations
    included (our choice). Left out: the first hundred tokens of a reply, which the authors' code
    keeps.
    """

    source = "The Markovian Thinker (2025, arXiv 2510.06557)"
    carry: int = 32  # tokens that are carried over, >= 1
    chunks: int = 5  # most chunks of a reply, >= 1; the last one is cut as any reply

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("carry", "chunks"):
            if getattr(self, name) < 1:
                raise ValueError(f"Markovian: {name} must be >= 1, got {getattr(self, name)!r}")

    def observe(self, talk: Conversation | None, text: str, room: Room) -> Conversation:
        talk = super().observe(talk, text, room)
        return talk if _fits(talk, room) else self._carried(talk)

    def write(
        self, talk: Conversation, completion: Completion, room: Room
    ) -> tuple[Conversation, TurnKind]:
        talk = talk.extend(completion.ids)
        if completion.finish == "stop" or not completion.ids or len(talk.chunks) >= self.chunks:
            return talk, "reply"
        return self._carried(talk), "chunk"

    def _carried(self, talk: Conversation) -> Conversation:
        return replace(talk, parts=(talk.since[-self.carry :],), tail=())


def _fits(talk: Conversation, room: Room, more: int = 0) -> bool:
    """Return whether the next reply fits in full, and `more` tokens after it."""
    return len(talk.ids) + room.sampling.max_new_tokens + more <= room.limit
