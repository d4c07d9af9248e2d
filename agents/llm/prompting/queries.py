"""The base of prompting policies: queries of a text policy about some rows of a batch.

A policy keeps one state a row, as `LLMPolicy` does, or none at all. Left out: policies whose state
is no sequence over the rows (Stable-Baselines3's recurrent ones).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from zerogym.agents.core import Policy

Reply = tuple[str, Any]  # a reply, and the state of its row


def episode_starts(count: int, state: Sequence[Any] | None, episode_start: Any) -> list[bool]:
    """Return for each of so many rows whether its conversation begins.

    Raises:
        ValueError: If `state` or `episode_start` has another length.

    Example:
        >>> episode_starts(2, None, None), episode_starts(2, ["a", "b"], [False, True])
        ([True, True], [False, True])
    """
    if state is None:
        return [True] * count
    new = [False] * count if episode_start is None else [bool(flag) for flag in episode_start]
    if not len(state) == len(new) == count:
        raise ValueError(
            f"{count} observations, {len(state)} states and {len(new)} episode_start flags do not "
            "belong together"
        )
    return new


def query(
    policy: Policy,
    texts: Sequence[str],
    states: Sequence[Any],
    new: Sequence[bool],
    deterministic: bool = False,
) -> list[Reply]:
    """Return a reply to each text and the state after it; where `new`, the state is ignored.

    Rows that go on and rows that begin share one call of the policy.
    """
    if not texts:
        return []
    held = [state for state, fresh in zip(states, new, strict=True) if not fresh]
    if not held or held[0] is None:  # all begin, or the policy has no state
        replies, after = policy.predict(list(texts), None, None, deterministic)
    else:
        filled = [held[0] if fresh else s for s, fresh in zip(states, new, strict=True)]
        replies, after = policy.predict(list(texts), filled, np.array(new), deterministic)
    return list(zip(replies, [None] * len(texts) if after is None else after, strict=True))


class PromptingPolicy(ABC):
    """A policy that queries another one for its replies.

    Args:
        policy: A policy for texts.
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def predict(
        self,
        observations: Sequence[str],
        state: Sequence[Any] | None = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[list[str], list[Any]]:
        """Return the replies, and the conversations that go on from them."""
        new = episode_starts(len(observations), state, episode_start)
        states = list(state or [None] * len(new))
        replies = self._reply(list(observations), states, new, deterministic)
        return [reply for reply, _ in replies], [after for _, after in replies]

    @abstractmethod
    def _reply(
        self, texts: list[str], states: list[Any], new: list[bool], deterministic: bool
    ) -> list[Reply]:
        """Return a reply to each text and the state after it."""


class SamplingPolicy(PromptingPolicy):
    """A policy that chooses among `n` samples of another; its conversations go on from these.

    Replies are always sampled, so that they differ: `deterministic` is not passed on.

    Args:
        policy: A policy for texts whose samples differ.
        n: Samples for each observation, >= 1.

    Raises:
        ValueError: If `n` is below 1.
    """

    def __init__(self, policy: Policy, n: int) -> None:
        if n < 1:
            raise ValueError(f"n must be at least 1, got {n!r}")
        super().__init__(policy)
        self.n = n

    def _reply(
        self, texts: list[str], states: list[Any], new: list[bool], deterministic: bool
    ) -> list[Reply]:
        rows = [row for row in range(len(texts)) for _ in range(self.n)]
        replies = query(
            self.policy, [texts[row] for row in rows], [states[row] for row in rows],
            [new[row] for row in rows],
        )  # fmt: skip
        return [
            self._choose(text, replies[row * self.n : (row + 1) * self.n])
            for row, text in enumerate(texts)
        ]

    @abstractmethod
    def _choose(self, text: str, replies: list[Reply]) -> Reply:
        """Return one of the samples for an observation."""
