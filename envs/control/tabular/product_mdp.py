"""The product of a tabular MDP and a reward machine, again a tabular MDP.

A state is a state of the machine and a place; the observation is the place and the machine's state,
both one-hot. So a machine's reward is a reward of transitions like any other, relabels stored data
in any order, and value iteration is its oracle. "Using Reward Machines for High-Level Task
Specification and Decomposition in Reinforcement Learning" (2018, ICML) calls it the cross-product.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, table_like
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.dynamic_programming import Floats, Ints
from zerogym.envs.control.tabular.mdp import TabularMDP
from zerogym.envs.control.temporal.labelling import Holds, labels_of_states
from zerogym.envs.control.temporal.reward_machines import RewardMachine


@dataclass(frozen=True, eq=False)
class MissionReward:
    """The reward of a machine, of observations of a place (S,) and then its state (N,)."""

    reward: Floats  # (N, S): in a state of the machine, for entering a place

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        states, places = self.reward.shape
        machine_state = obs[..., places : places + states].argmax(-1)
        return table_like(self.reward, obs)[machine_state, next_obs[..., :places].argmax(-1)]


@dataclass(frozen=True, eq=False, kw_only=True)
class ProductMDP(TabularMDP):
    """S places with N machine states each; machine state n at place s is state n * S + s.

    Attributes:
        places: S.
        mission: The machine's reward; None without a machine.
    """

    places: int
    mission: MissionReward | None = None

    def reward_table(self, task: Task | None) -> Floats:
        """Return the reward of each outcome (N * S, A, K); 0 in terminal states."""
        if task is None or self.mission is None or task.reward is not self.mission:
            return super().reward_table(task)
        machine_states = np.arange(len(self.outcomes)) // self.places  # equals `relabel`, faster
        rewards = self.mission.reward[machine_states[:, None, None], self.outcomes % self.places]
        rewards[list(self.terminal)] = 0.0
        return np.asarray(rewards)

    def on_goal(self, task: Task | None) -> NDArray[np.bool_]:
        """Return the states (N * S,) at the place that is the goal of a task."""
        if task is None or task.goal is None:
            return np.zeros(len(self.outcomes), dtype=bool)
        places = self.observations[:, : self.places]
        return np.asarray((places == task.goal[: self.places]).all(axis=1))


def product_with(mdp: TabularMDP, machine: RewardMachine | None, holds: Holds) -> ProductMDP:
    """Return the product of an MDP and a machine.

    Args:
        mdp: S places with one-hot observations, none of them terminal.
        machine: Its events are among those of `holds`; None for a single machine state.
        holds: (S,) for each event: the places where it holds; it happens on entering one.

    Raises:
        UnknownName: If the machine names an event that is not in `holds`.
    """
    places = len(mdp.outcomes)
    if machine is None:
        return ProductMDP(
            mdp.outcomes, mdp.chances, mdp.observations, mdp.starts, mdp.terminal, places=places
        )
    count = len(machine)
    labels: Ints = labels_of_states(machine, holds)  # (S,)
    after = machine.next_state[:, labels]  # (N, S): the machine, by the place entered
    outcomes = after[:, mdp.outcomes] * places + mdp.outcomes  # (N, S, A, K)
    ended = np.flatnonzero(machine.over)
    terminal = ended[:, None] * places + np.arange(places)  # (ends, S)
    outcomes[ended] = terminal[:, :, None, None]
    observations = np.concatenate(
        [np.tile(np.eye(places), (count, 1)), np.eye(count).repeat(places, axis=0)], axis=1
    )
    return ProductMDP(
        outcomes=outcomes.reshape(-1, *mdp.outcomes.shape[1:]),
        chances=np.tile(mdp.chances, (count, 1, 1)),
        observations=observations.astype(np.float32),
        starts=tuple(machine.initial * places + start for start in mdp.starts),
        terminal=frozenset(terminal.ravel().tolist()),
        places=places,
        mission=MissionReward(machine.reward[:, labels]),
    )
