"""Asking a text policy about some rows of a batch, each with a conversation of its own.

A policy keeps one state a row, as `LLMPolicy` does, or none at all. Left out: policies whose state
is no sequence over the rows (Stable-Baselines3's recurrent ones).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from zerogym.agents.core import Policy

Said = tuple[str, Any]  # a reply, and the state of its row


def episode_starts(count: int, state: Sequence[Any] | None, episode_start: Any) -> list[bool]:
    """Of each of so many rows whether its conversation begins.

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
) -> list[Said]:
    """A reply to each text and the state after it; where `new`, the state before is not looked at.

    Rows that go on and rows that begin share one call of the policy.
    """
    if not texts:
        return []
    held = [state for state, fresh in zip(states, new, strict=True) if not fresh]
    if not held or held[0] is None:  # all begin, or the policy has no memory
        replies, after = policy.predict(list(texts), None, None, deterministic)
    else:
        filled = [held[0] if fresh else s for s, fresh in zip(states, new, strict=True)]
        replies, after = policy.predict(list(texts), filled, np.array(new), deterministic)
    return list(zip(replies, [None] * len(texts) if after is None else after, strict=True))


def sample(
    policy: Policy, texts: Sequence[str], states: Sequence[Any], new: Sequence[bool], n: int
) -> list[list[Said]]:
    """`n` draws for each text, all from one call of the policy."""
    rows = [row for row in range(len(texts)) for _ in range(n)]
    said = query(
        policy, [texts[row] for row in rows], [states[row] for row in rows],
        [new[row] for row in rows],
    )  # fmt: skip
    return [said[start : start + n] for start in range(0, len(said), n)]
