"""A finite world and a machine that remembers, as one finite world: the exact model of both.

A state is a state of the machine and a place; what is seen is the place and, one-hot, the machine's
state. So a reward of the machine is a reward of transitions like any other, pays stored data
without their order, and value iteration is its truth. "Using Reward Machines for High-Level Task
Specification and Decomposition in Reinforcement Learning" (2018, ICML) calls it the cross-product.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.dynamic_programming import Floats, Ints
from zerogym.envs.control.tabular.mdp import TabularMDP
from zerogym.envs.control.temporal.labelling import labels_of_states
from zerogym.envs.control.temporal.reward_machines import RewardMachine


@dataclass(frozen=True, eq=False)
class MissionReward:
    """What a machine pays, of observations that show a place (S,) and then its state (N,)."""

    reward: Floats  # (N, S): in a state of the machine, for entering a place

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        xp = namespace(obs, next_obs)
        table = self.reward if xp is np else xp.asarray(self.reward, device=obs.device)
        states, places = self.reward.shape
        remembered = obs[..., places : places + states].argmax(-1)
        return table[remembered, next_obs[..., :places].argmax(-1)]


@dataclass(frozen=True, eq=False)
class PlaceReward:
    """The reward of entering a place, whatever is remembered; `values` (S,)."""

    values: Floats

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        xp = namespace(next_obs)
        table = self.values if xp is np else xp.asarray(self.values, device=next_obs.device)
        return table[next_obs[..., : len(self.values)].argmax(-1)]


@dataclass(frozen=True, eq=False, kw_only=True)
class ProductMDP(TabularMDP):
    """S places with N states of a machine each; machine state n at place s is state n * S + s.

    Attributes:
        places: S.
        mission: What the machine pays; None without one.
    """

    places: int
    mission: MissionReward | None = None

    def reward_table(self, task: Task | None) -> Floats:
        """(N * S, A, K): what a task pays for each outcome; nothing after the end."""
        if task is None or self.mission is None or task.reward is not self.mission:
            return super().reward_table(task)
        remembered = np.arange(len(self.outcomes)) // self.places  # as `relabel`, but in no time
        paid = self.mission.reward[remembered[:, None, None], self.outcomes % self.places]
        paid[list(self.terminal)] = 0.0
        return np.asarray(paid)

    def on_goal(self, task: Task | None) -> NDArray[np.bool_]:
        """(N * S,): the states at the place that is the goal of a task."""
        if task is None or task.goal is None:
            return np.zeros(len(self.outcomes), dtype=bool)
        seen = self.observations[:, : self.places]
        return np.asarray((seen == task.goal[: self.places]).all(axis=1))


def product_with(
    world: TabularMDP, machine: RewardMachine, holds: Mapping[str, NDArray[np.bool_]]
) -> tuple[ProductMDP, MissionReward]:
    """The world in which the machine runs along, and what it pays there.

    Args:
        world: Of S places, seen one-hot, none of them terminal.
        machine: Its events are among those of `holds`.
        holds: (S,) for each event: where it holds; it happens in entering such a place.

    Raises:
        UnknownName: If the machine speaks of an event that the world does not have.
    """
    places, count = len(world.outcomes), len(machine)
    labels: Ints = labels_of_states(machine, holds)  # (S,)
    after = machine.next_state[:, labels]  # (N, S): the machine, by the place entered
    outcomes = after[:, world.outcomes] * places + world.outcomes  # (N, S, A, K)
    ended = np.flatnonzero(machine.over)
    own = (ended[:, None] * places + np.arange(places))[:, :, None, None]
    outcomes[ended] = np.broadcast_to(own, outcomes[ended].shape)
    terminal = frozenset((ended[:, None] * places + np.arange(places)).ravel().tolist())
    seen = np.concatenate(
        [np.tile(np.eye(places), (count, 1)), np.eye(count).repeat(places, axis=0)], axis=1
    )
    pays = MissionReward(machine.reward[:, labels])
    product = ProductMDP(
        outcomes=outcomes.reshape(-1, *world.outcomes.shape[1:]),
        chances=np.tile(world.chances, (count, 1, 1)),
        observations=seen.astype(np.float32),
        starts=tuple(machine.initial * places + start for start in world.starts),
        terminal=terminal,
        places=places,
        mission=pays,
    )
    return product, pays


def trivial_product(world: TabularMDP) -> ProductMDP:
    """The world alone, with nothing to remember."""
    return ProductMDP(
        outcomes=world.outcomes,
        chances=world.chances,
        observations=world.observations,
        starts=world.starts,
        terminal=world.terminal,
        places=len(world.outcomes),
    )
