"""A finite world exactly: what may follow each state and action, and how likely it is.

Kept as a short list of outcomes for each state and action, because of all states only a few can
follow: what is not random has one outcome. Left out: random rewards (a reward is a function of the
transition), start states that are not equally likely.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.tasks import Batch, Task
from zerogym.envs.control.tabular.dynamic_programming import Dynamics, Floats, Ints
from zerogym.envs.control.tabular.rewards import StateReward


@dataclass(frozen=True, eq=False)
class TabularMDP:
    """S states, A actions, at most K outcomes of each.

    Attributes:
        outcomes: (S, A, K) the states that may follow.
        chances: (S, A, K) how likely each is; 0 fills the list up. Sums to 1 over K.
        observations: (S, k) float32: what is seen in each state; states may look alike.
        starts: The states in which an episode may begin, all equally likely.
        terminal: The states that end an episode; they lead to themselves and pay nothing.
    """

    outcomes: Ints
    chances: Floats
    observations: NDArray[np.float32]
    starts: tuple[int, ...]
    terminal: frozenset[int] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        if self.outcomes.shape != self.chances.shape:
            raise ValueError("outcomes and chances must have the same shape (S, A, K)")
        if not np.allclose(self.chances.sum(axis=2), 1) or self.chances.min() < 0:
            raise ValueError("the chances of each state and action must be >= 0 and sum to 1")
        for array in (self.outcomes, self.chances, self.observations):
            array.setflags(write=False)

    @property
    def is_deterministic(self) -> bool:
        """Whether nothing is random."""
        return self.outcomes.shape[2] == 1

    @cached_property
    def is_one_hot(self) -> bool:
        """Whether an observation is the number of its state, as one of S places."""
        return np.array_equal(self.observations, np.eye(len(self.outcomes)))

    @property
    def dynamics(self) -> Dynamics:
        """For `dynamic_programming.py`: (S, A) where each action leads, or (S, A, S) where that is
        random."""
        return self.outcomes[:, :, 0] if self.is_deterministic else self.probabilities

    @cached_property
    def probabilities(self) -> Floats:
        """P[s, a, s']; (S, A, S)."""
        states, actions, _ = self.outcomes.shape
        table = np.zeros((states, actions, states))
        here = np.arange(states)[:, None, None], np.arange(actions)[None, :, None]
        np.add.at(table, (*here, self.outcomes), self.chances)
        table.setflags(write=False)
        return table

    @cached_property
    def thresholds(self) -> Floats:
        """(S, A, K - 1): outcome k follows a number u in [0, 1) if it passes k of these.

        Rounding cannot draw an outcome of chance 0: what is beyond the last one possible is 2.
        """
        possible = self.chances > 0
        later: Ints = (
            np.cumsum(possible[:, :, ::-1], axis=2)[:, :, ::-1] - possible
        )  # possible after k
        return np.where(later > 0, self.chances.cumsum(axis=2), 2.0)[:, :, :-1]

    def draw(self, state: int, action: int, rng: np.random.Generator) -> int:
        """Which outcome follows; the generator is asked only where it matters."""
        if self.is_deterministic:
            return 0
        return int((rng.random() >= self.thresholds[state, action]).sum())

    def transitions(self) -> Batch:
        """Every transition of the world once, (S * A * K) of each."""
        states, actions, _ = np.indices(self.outcomes.shape).reshape(3, -1)
        return self.observations[states], actions, self.observations[self.outcomes.ravel()]

    def reward_table(self, task: Task | None) -> Floats:
        """(S, A, K): what a task pays for each outcome; nothing after the end, or without one."""
        if task is None:
            return np.zeros(self.outcomes.shape)
        if isinstance(task.reward, StateReward) and self.is_one_hot:
            rewards = task.reward.values[self.outcomes]  # as `relabel` says, but in no time
        else:
            rewards = task.relabel(*self.transitions()).reshape(self.outcomes.shape)
        rewards[list(self.terminal)] = 0.0
        return rewards

    def on_goal(self, task: Task | None) -> NDArray[np.bool_]:
        """(S,): the states that look like the goal of a task; none if it has no goal."""
        if task is None or task.goal is None:
            return np.zeros(len(self.outcomes), dtype=bool)
        return np.asarray((self.observations == task.goal).all(axis=1))

    def average(self, rewards: Floats) -> Floats:
        """Expected rewards (S, A), of the rewards of outcomes (S, A, K)."""
        return np.asarray((self.chances * rewards).sum(axis=2))


def deterministic_mdp(
    next_state: Ints,
    observations: NDArray[np.float32],
    starts: tuple[int, ...],
    terminal: frozenset[int] = frozenset(),
) -> TabularMDP:
    """A world in which nothing is random; `next_state` (S, A)."""
    outcomes = next_state[:, :, None]
    return TabularMDP(outcomes, np.ones(outcomes.shape), observations, starts, terminal)
