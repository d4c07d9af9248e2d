"""The exact model of a tabular Markov decision process: outcomes and their probabilities.

Stored as a short list of outcomes for each state and action, because only a few of all states can
follow; a deterministic MDP has one outcome. Left out: random rewards (a reward is a function of the
transition), start states that are not equally likely.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.tasks import Batch, Task
from zerogym.envs.control.tabular.dynamic_programming import Dynamics, Floats, Ints
from zerogym.envs.control.tabular.features import StateReward


@dataclass(frozen=True, eq=False)
class TabularMDP:
    """A Markov decision process of S states and A actions with at most K outcomes each.

    Attributes:
        outcomes: (S, A, K) the states that may follow.
        chances: (S, A, K) their probabilities; unused outcomes have 0. Sums to 1 over K.
        observations: (S, k) float32: the observation in each state; states may share one.
        starts: The states in which an episode may begin, all equally likely.
        terminal: The states that end an episode; absorbing, with reward 0.
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
        """True if every action has one outcome."""
        return self.outcomes.shape[2] == 1

    @cached_property
    def is_one_hot(self) -> bool:
        """True if the observation of a state is its one-hot vector (S,)."""
        return np.array_equal(self.observations, np.eye(len(self.outcomes)))

    @property
    def dynamics(self) -> Dynamics:
        """The input of `dynamic_programming.py`: next states (S, A), or (S, A, S) probabilities."""
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
        """(S, A, K - 1): a uniform number in [0, 1) selects outcome k if k of these are below it.

        Thresholds after the last possible outcome are 2, so that rounding cannot draw an outcome of
        probability 0.
        """
        possible = self.chances > 0
        later: Ints = np.cumsum(possible[:, :, ::-1], axis=2)[:, :, ::-1] - possible  # after k
        return np.where(later > 0, self.chances.cumsum(axis=2), 2.0)[:, :, :-1]

    def draw(self, state: int, action: int, rng: np.random.Generator) -> int:
        """Draw the index of an outcome; a deterministic MDP draws nothing."""
        if self.is_deterministic:
            return 0
        return int((rng.random() >= self.thresholds[state, action]).sum())

    def transitions(self) -> Batch:
        """Return every transition once; S * A * K rows each."""
        states, actions, _ = np.indices(self.outcomes.shape).reshape(3, -1)
        return self.observations[states], actions, self.observations[self.outcomes.ravel()]

    def reward_table(self, task: Task | None) -> Floats:
        """Return the reward of each outcome (S, A, K); 0 in terminal states and without a task."""
        if task is None:
            return np.zeros(self.outcomes.shape)
        if isinstance(task.reward, StateReward) and self.is_one_hot:
            rewards = task.reward.values[self.outcomes]  # equals `relabel`, but faster
        else:
            rewards = task.relabel(*self.transitions()).reshape(self.outcomes.shape)
        rewards[list(self.terminal)] = 0.0
        return rewards

    def on_goal(self, task: Task | None) -> NDArray[np.bool_]:
        """Return the states (S,) whose observation is the goal of a task; none without a goal."""
        if task is None or task.goal is None:
            return np.zeros(len(self.outcomes), dtype=bool)
        return np.asarray((self.observations == task.goal).all(axis=1))

    def average(self, rewards: Floats) -> Floats:
        """Return the expected rewards (S, A) of outcomes' rewards (S, A, K)."""
        return np.asarray((self.chances * rewards).sum(axis=2))


def deterministic_mdp(
    next_state: Ints,
    observations: NDArray[np.float32],
    starts: tuple[int, ...],
    terminal: frozenset[int] = frozenset(),
) -> TabularMDP:
    """Return an MDP with one outcome of each action; `next_state` (S, A)."""
    outcomes = next_state[:, :, None]
    return TabularMDP(outcomes, np.ones(outcomes.shape), observations, starts, terminal)
