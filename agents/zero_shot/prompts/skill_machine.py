"""Skill machines: tasks with a memory solved at once, from the value of reaching each place.

What is learnt once, without any task: the *world value function* q[g, s, a], how good an action is
for coming to place g, here exactly, by value iteration. Skills, that is wanted sets of places, are
then composed without learning: OR is the maximum, AND the minimum, NOT the best values less the
skill. For a task, value iteration over the states of its machine alone says which events are
wanted next; the agent follows the skill of those, and keeps off places whose events would take the
machine elsewhere. "Skill Machines: Temporal Logic Skill Composition in Reinforcement Learning"
(2022, arXiv 2205.12532); "A Boolean Task Algebra for Reinforcement Learning" (2020, arXiv
2001.01394).

A task that can be done is done if its machine waits for what is wanted, but not always on the
shortest way: each skill goes to the nearest wanted place, whatever comes after it. Where moments
are counted, as in `X X a`, a skill does not see the clock and may come too late. Left out: world
value functions learnt from data, and the paper's further learning of the composed policy.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.temporal.labelling import labels_of_states
from zerogym.envs.control.temporal.reward_machines import RewardMachine

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class Skill:
    """To come to one of some places.

    Attributes:
        q: (G, S, A) discounted values of coming to each place, 0 for places that are not wanted.
        best: (G, S, A) the same if all places were wanted.
    """

    q: Floats
    best: Floats

    def __or__(self, other: "Skill") -> "Skill":
        """To a place of either."""
        return Skill(np.maximum(self.q, other.q), self.best)

    def __and__(self, other: "Skill") -> "Skill":
        """To a place of both."""
        return Skill(np.minimum(self.q, other.q), self.best)

    def __invert__(self) -> "Skill":
        """To a place that is none of these."""
        return Skill(self.best - self.q, self.best)

    @property
    def values(self) -> Floats:
        """What each action is worth; (S, A)."""
        return np.asarray(self.q.max(axis=0))


class Skills:
    """What can be reached in a world where nothing is random.

    Args:
        next_state: (S, A) where each action leads.
        holds: (S,) for each event: where it holds.
        gamma: Discount in (0, 1); the value of a place that is entered in k steps is gamma^(k-1).

    Raises:
        ValueError: If the discount does not lie in (0, 1), or an action leads to no place.
    """

    def __init__(self, next_state: Ints, holds: Mapping[str, Flags], gamma: float = 0.95) -> None:
        if not 0 < gamma < 1:
            raise ValueError(f"gamma must lie in (0, 1), got {gamma}")
        if next_state.ndim != 2 or not np.isin(next_state, range(len(next_state))).all():
            raise ValueError(f"next_state must be (S, A) places, got shape {next_state.shape}")
        self.next_state, self.holds, self.gamma = next_state, holds, gamma
        self._known: dict[bytes, Floats] = {}

    def reaching(self, wanted: Flags, free: Flags | None = None) -> Skill:
        """The skill of coming to one of the wanted places.

        Args:
            wanted: (S,) bool.
            free: (S,) bool: the places that may be entered on the way; all if not given.
        """
        best = self._values(np.ones(len(self.next_state), dtype=bool) if free is None else free)
        return Skill(best * wanted[:, None, None], best)

    def policy(self, machine: RewardMachine) -> Ints:
        """Which action to take in each state of the machine and each place; (N, S).

        Raises:
            UnknownName: If the machine speaks of an event that the world does not have.
        """
        labels = labels_of_states(machine, self.holds)  # (S,)
        after, paid = machine.next_state[:, labels], machine.reward[:, labels]  # (N, S)
        worth = self._worth(after, paid)
        chosen = np.zeros(after.shape, dtype=np.int64)
        for state in np.flatnonzero(~machine.over):
            chosen[state] = self._choose(after[state] == state, worth[state])
        return chosen

    def _choose(self, stays: Flags, worth: Floats) -> Ints:
        """The actions in one state of the machine; (S,).

        Args:
            stays: (S,) whether entering a place leaves the machine where it is.
            worth: (S,) what entering a place is worth.
        """
        free = stays[self.next_state]  # (S, A) actions after which the machine is still here
        chosen = free.argmax(axis=1)
        decided = np.zeros(len(stays), dtype=bool)
        for wish in sorted(set(worth[~stays & (worth > _TIE)]), reverse=True):
            values = self.reaching(~stays & (worth > wish - _TIE), stays).values
            now = ~decided & (values.max(axis=1) > 0)
            chosen[now] = _first_best(values)[now]
            decided |= now
        return chosen

    def _worth(self, after: Ints, paid: Floats) -> Floats:
        """What each event is worth, if any could be had in one step; (N, S).

        Staying where one is counts as its own event, so that doing nothing has its price.
        """
        values = np.zeros(len(after))
        while True:
            worth = paid + self.gamma * values[after]
            if np.abs(worth.max(axis=1) - values).max() < _TIE:
                return worth
            values = worth.max(axis=1)

    def _values(self, free: Flags) -> Floats:
        """The world value function (G, S, A) where only free places may be passed through."""
        key = free.tobytes()
        if key not in self._known:
            arrives = np.arange(len(free))[:, None, None] == self.next_state  # (G, S, A)
            q = arrives.astype(np.float64)
            while True:
                ahead = q.max(axis=2) * free  # (G, S): of places that may be passed through
                found = np.where(arrives, 1.0, self.gamma * ahead[:, self.next_state])
                if np.array_equal(found, q):
                    break
                q = found
            self._known[key] = q
        return self._known[key]


def _first_best(values: Floats) -> Ints:
    near = values >= values.max(axis=1, keepdims=True) - _TIE
    return np.asarray(near.argmax(axis=1))
