"""What a model has before it: its conversation as ids, never made from texts a second time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from zerogym.agents.llm.generation.protocol import Sampling, cut_after_stop
from zerogym.agents.llm.rollout.chat_template import Chat

Ids = tuple[int, ...]


@dataclass(frozen=True)
class Room:
    """Where conversations take place.

    Attributes:
        chat: How they are written.
        tokenizer: Of the engine.
        limit: Most tokens of a prompt and its reply.
        sampling: How replies are drawn.
    """

    chat: Chat
    tokenizer: Any
    limit: int
    sampling: Sampling

    def text(self, reply: Sequence[int]) -> str:
        """A reply as its reader gets it, from its ids."""
        text: str = self.tokenizer.decode(list(reply), skip_special_tokens=True)
        return cut_after_stop(text, self.sampling.stop)


@dataclass(frozen=True)
class Conversation:
    """What one seat of an episode has heard and said, as far as the model still sees it.

    Attributes:
        task: The text with which it began.
        opening: The ids before the first reply.
        parts: What came after them, oldest first: a reply with what was said to it.
        said: What was said after the last part.
        chunks: The reply that is being written, or was written last, as sampled.
        news: The observation that waits until a summary is written; else None.
    """

    task: str
    opening: Ids
    parts: tuple[Ids, ...] = ()
    said: Ids = ()
    chunks: tuple[Ids, ...] = ()
    news: str | None = None

    @property
    def since(self) -> Ids:
        """All ids after the opening."""
        return (*chain.from_iterable(self.parts), *self.said)

    @property
    def ids(self) -> Ids:
        """All ids: what the next token is drawn from."""
        return self.opening + self.since

    @property
    def reply(self) -> Ids:
        """The last reply as sampled, in all its chunks."""
        return tuple(chain.from_iterable(self.chunks))

    def hear(self, room: Room, text: str) -> "Conversation":
        """With the ids that stand between the last reply and the next one."""
        added = room.chat.following(self.chunks[-1] if self.chunks else (), text)
        return replace(self, parts=(*self.parts, (*self.said, *added)), said=(), chunks=())

    def say(self, ids: Ids) -> "Conversation":
        """With ids that were sampled."""
        return replace(self, said=self.said + ids, chunks=(*self.chunks, ids))

    def told(self, text: str, room: Room) -> str:
        """The whole of the reply whose last chunk is `text`."""
        return text if len(self.chunks) < 2 else room.text(self.reply)


def begin(room: Room, text: str) -> Conversation:
    """A conversation before its first reply."""
    return Conversation(text, tuple(room.chat.opening(text)))
