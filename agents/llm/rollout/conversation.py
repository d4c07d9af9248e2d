"""Conversations as token ids, which are never made from texts a second time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from zerogym.agents.llm.generation.protocol import Sampling, cut_after_stop
from zerogym.agents.llm.rollout.chat_template import Chat

Ids = tuple[int, ...]


@dataclass(frozen=True)
class Room:
    """The chat, tokenizer and limits that conversations of one player share.

    Attributes:
        chat: How conversations are written.
        tokenizer: The engine's tokenizer.
        limit: Most tokens of a prompt and its reply.
        sampling: How replies are sampled.
    """

    chat: Chat
    tokenizer: Any
    limit: int
    sampling: Sampling

    def text(self, reply: Sequence[int]) -> str:
        """Return the text of a reply from its ids, cut after a stop text."""
        text: str = self.tokenizer.decode(list(reply), skip_special_tokens=True)
        return cut_after_stop(text, self.sampling.stop)


@dataclass(frozen=True)
class Conversation:
    """One seat's conversation in an episode, as far as it is still in the model's context.

    Attributes:
        task: The first observation.
        opening: The ids before the first reply.
        parts: The ids after them, oldest first: each a reply with the observation that followed.
        tail: The ids sampled after the last part.
        chunks: The reply that is being written, or was written last, as sampled.
        news: The observation that waits until a summary is written; else None.
    """

    task: str
    opening: Ids
    parts: tuple[Ids, ...] = ()
    tail: Ids = ()
    chunks: tuple[Ids, ...] = ()
    news: str | None = None

    @property
    def since(self) -> Ids:
        """All ids after the opening."""
        return (*chain.from_iterable(self.parts), *self.tail)

    @property
    def ids(self) -> Ids:
        """All ids: the context of the next token."""
        return self.opening + self.since

    @property
    def reply(self) -> Ids:
        """The last reply as sampled, in all its chunks."""
        return tuple(chain.from_iterable(self.chunks))

    def observe(self, room: Room, text: str) -> "Conversation":
        """Return it with an observation: the ids between the last reply and the next one."""
        added = room.chat.following(self.chunks[-1] if self.chunks else (), text)
        return replace(self, parts=(*self.parts, (*self.tail, *added)), tail=(), chunks=())

    def extend(self, ids: Ids) -> "Conversation":
        """Return it with ids that were sampled."""
        return replace(self, tail=self.tail + ids, chunks=(*self.chunks, ids))

    def reply_text(self, text: str, room: Room) -> str:
        """Return the whole reply whose last chunk is `text`."""
        return text if len(self.chunks) < 2 else room.text(self.reply)


def begin(room: Room, text: str) -> Conversation:
    """Return a conversation before its first reply."""
    return Conversation(text, tuple(room.chat.opening(text)))
