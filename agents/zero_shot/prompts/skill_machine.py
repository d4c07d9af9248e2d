"""Skill machines: non-Markovian tasks solved zero-shot, from the values of reaching each state.

The *world value function* q[g, s, a], the value of an action for reaching place g, is computed
once, without any task, here exactly by value iteration. Skills (target sets of places) are then
composed without learning: OR is the maximum, AND the minimum, NOT the best values less the skill.
For a task, value iteration over the states of its machine alone selects the next target events; the
agent follows their skill, and avoids places whose events would move the machine elsewhere. "Skill
Machines: Temporal Logic Skill Composition in Reinforcement Learning" (2022, arXiv 2205.12532); "A
Boolean Task Algebra for Reinforcement Learning" (2020, arXiv 2001.01394).

A feasible task is solved if its machine waits for the target events, but not always on the shortest
path: each skill goes to the nearest target, whatever follows. Where steps are counted, as in
`X X a`, a skill ignores the clock and may be late. Left out: world value functions learnt from
data, and the paper's further learning of the composed policy.
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
    """The skill of reaching one of some places.

    Attributes:
        q: (G, S, A) discounted values of coming to each place, 0 for places that are no targets.
        best: (G, S, A) the same with all places as targets.
    """

    q: Floats
    best: Floats

    def __or__(self, other: "Skill") -> "Skill":
        """Return the skill of reaching a place of either."""
        return Skill(np.maximum(self.q, other.q), self.best)

    def __and__(self, other: "Skill") -> "Skill":
        """Return the skill of reaching a place of both."""
        return Skill(np.minimum(self.q, other.q), self.best)

    def __invert__(self) -> "Skill":
        """Return the skill of reaching any other place."""
        return Skill(self.best - self.q, self.best)

    @property
    def values(self) -> Floats:
        """Return the value of each action; (S, A)."""
        return np.asarray(self.q.max(axis=0))


class Skills:
    """The skills of a deterministic environment.

    Args:
        next_state: (S, A) the place after each action.
        holds: (S,) for each event: whether it holds.
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

    def reaching(self, targets: Flags, free: Flags | None = None) -> Skill:
        """Return the skill of reaching one of the targets.

        Args:
            targets: (S,) bool.
            free: (S,) bool: the places that may be entered on the way; all if not given.
        """
        best = self._values(np.ones(len(self.next_state), dtype=bool) if free is None else free)
        return Skill(best * targets[:, None, None], best)

    def policy(self, machine: RewardMachine) -> Ints:
        """Return the action in each state of the machine and each place; (N, S).

        Raises:
            UnknownName: If the machine has an event that the environment lacks.
        """
        labels = labels_of_states(machine, self.holds)  # (S,)
        after, rewards = machine.next_state[:, labels], machine.reward[:, labels]  # (N, S)
        value = self._event_values(after, rewards)
        chosen = np.zeros(after.shape, dtype=np.int64)
        for state in np.flatnonzero(~machine.over):
            chosen[state] = self._choose(after[state] == state, value[state])
        return chosen

    def _choose(self, stays: Flags, value: Floats) -> Ints:
        """Return the actions in one state of the machine; (S,).

        Args:
            stays: (S,) whether entering a place leaves the machine where it is.
            value: (S,) of entering a place.
        """
        free = stays[self.next_state]  # (S, A) actions after which the machine is still here
        chosen = free.argmax(axis=1)
        decided = np.zeros(len(stays), dtype=bool)
        for target in sorted(set(value[~stays & (value > _TIE)]), reverse=True):
            values = self.reaching(~stays & (value > target - _TIE), stays).values
            now = ~decided & (values.max(axis=1) > 0)
            best = values >= values.max(axis=1, keepdims=True) - _TIE
            chosen[now] = best.argmax(axis=1)[now]  # the first of equal ones
            decided |= now
        return chosen

    def _event_values(self, after: Ints, rewards: Floats) -> Floats:
        """Return the value of each event, if any could be reached in one step; (N, S).

        Staying in place is an event, too, so that doing nothing is discounted.
        """
        values = np.zeros(len(after))
        while True:
            found = rewards + self.gamma * values[after]
            if np.abs(found.max(axis=1) - values).max() < _TIE:
                return found
            values = found.max(axis=1)

    def _values(self, free: Flags) -> Floats:
        """Return the world value function (G, S, A) through free places only."""
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
