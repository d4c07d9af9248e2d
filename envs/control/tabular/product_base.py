"""What the finite worlds with a mission share: a machine runs along, and the mission is a task.

What is remembered is part of the observation, see `product_mdp.py`. Left out: observations of the
place alone; take the first `places` numbers of it, and an agent with a memory of its own.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.base import TabularEnv, View
from zerogym.envs.control.tabular.dynamic_programming import expected, value_iteration
from zerogym.envs.control.tabular.episode import TabularEpisode
from zerogym.envs.control.tabular.features import place_measures
from zerogym.envs.control.tabular.layouts import Cell
from zerogym.envs.control.tabular.mdp import TabularMDP
from zerogym.envs.control.tabular.product_mdp import (
    MissionReward,
    PlaceReward,
    ProductMDP,
    product_with,
    trivial_product,
)
from zerogym.envs.control.temporal.labelling import CellLabel, Event, labels_of_states
from zerogym.envs.control.temporal.reward_machines import RewardMachine

MISSION = "mission"
_TIE, _HASTE = 1e-9, 0.99

Holds = Mapping[str, NDArray[np.bool_]]


@dataclass(kw_only=True)
class ProductEpisode(TabularEpisode):
    """What the mission has paid so far, and what the oracle knows."""

    paid: float = 0.0
    soonest: Any = None  # (S, A) discounted values, made when the oracle is first asked


class ProductEnv(TabularEnv):
    """A finite world with labelled places and a mission.

    Args:
        cells: The places, without a mission.
        holds: (S,) for each event: where it holds.
        machine: The mission; None for none.
        task: As of every control world.
        view: `numeric` or `text`.
        horizon: Steps in an episode.
        render_mode: None or one of the class's modes.
    """

    world: ProductMDP

    def __init__(
        self,
        cells: TabularMDP,
        holds: Holds,
        machine: RewardMachine | None,
        task: Any,
        view: View,
        horizon: int,
        render_mode: str | None,
    ) -> None:
        self._remember(cells, holds, machine)
        super().__init__(self._product, task, view, False, horizon, render_mode)

    def _remember(self, cells: TabularMDP, holds: Holds, machine: RewardMachine | None) -> None:
        """Let a machine run along, from the next episode on."""
        self.cells, self.holds, self.machine = cells, dict(holds), machine
        self._pays: MissionReward | None = None
        if machine is None:
            self._product = trivial_product(cells)
        else:
            self._product, self._pays = product_with(cells, machine, holds)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The mission, if there is one, and for every event to be where it holds."""
        tasks = [visit_task(name, cells) for name, cells in self.holds.items()]
        if self.machine is not None and self._pays is not None:
            tasks.insert(0, Task(MISSION, self.machine.text, self._pays))
        return MappingProxyType({task.name: task for task in tasks})

    @property
    def measures(self) -> Measures:
        """`row` and `column` of the place, counted from 1."""
        return place_measures(self._cells_in_order())

    @property
    def events(self) -> Mapping[str, Event]:
        """For each event a function of `(obs, action, next_obs)`, see `temporal/labelling.py`."""
        return {name: CellLabel(cells) for name, cells in self.holds.items()}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin in one of the start places; `options` may pin `start` and `task`."""
        obs, info = super().reset(seed=seed, options=options)
        self._episode = ProductEpisode(**vars(self._episode))
        return obs, info | self._told()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Do one action; the machine sees what holds at the place entered."""
        before = None if self._episode is None else self._episode.state
        obs, reward, terminated, truncated, info = super().step(action)
        episode: ProductEpisode = self._episode
        place = episode.state % self.world.places
        if before is not None and self._pays is not None:
            remembered = before // self.world.places
            episode.paid += float(self._pays.reward[remembered, place])
        happened = [name for name, cells in self.holds.items() if cells[place]]
        told = self._told() | {"event": ", ".join(happened) or "nothing"}
        if self._pays is not None:
            told["success"] = episode.paid > 0
        return obs, reward, terminated, truncated, info | told

    def oracle_action(self) -> Any:
        """An action of the best policy, by value iteration.

        Best is the highest return until the horizon, or on a mission what is done soonest.
        """
        episode: ProductEpisode = self._running()
        if episode.task is None or not isinstance(episode.task.reward, MissionReward):
            return super().oracle_action()
        dynamics, rewards = self.world.dynamics, episode.expected_rewards
        if episode.soonest is None:
            values, _ = value_iteration(dynamics, rewards, _HASTE)
            episode.soonest = rewards + _HASTE * expected(dynamics, values)
        here = episode.soonest[episode.state]
        return self._say(int(np.flatnonzero(here >= here.max() - _TIE)[0]))

    def _told(self) -> dict[str, Any]:
        """What `info` says of the mission."""
        if self.machine is None:
            return {}
        state = self._episode.state // self.world.places
        return {"mission": self.machine.text, "machine_state": state}

    def _wanted(self) -> NDArray[np.float64]:
        """(S,) for pictures: 1 where entering brings the mission on, -1 where it spoils it.

        Without a mission, what being there pays.
        """
        episode: ProductEpisode = self._episode
        places = self.world.places
        if self.machine is None or self._pays is None:
            return np.asarray(episode.rewards.max(axis=(1, 2)))
        state = episode.state // places
        after = self.machine.next_state[state, labels_of_states(self.machine, self.holds)]
        spoilt = self.machine.over[after] & (self._pays.reward[state] <= 0)
        return np.where(after == state, 0.0, np.where(spoilt, -1.0, 1.0))

    @abstractmethod
    def _index_of(self, given: Any, what: str) -> int:
        """The place that a user means; ValueError if there is none."""

    def _start_of(self, given: Any) -> int:
        first = 0 if self.machine is None else self.machine.initial
        return first * self.world.places + self._index_of(given, "start")

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        """The task of a goal given as a place or as the one-hot vector of one."""
        places = self.world.places
        one_hot = goal.shape == (places,) and np.array_equal(goal, np.eye(places)[goal.argmax()])
        place = int(goal.argmax()) if one_hot else self._index_of(goal, "goal")
        values = np.eye(places)[place]
        text = f"Go to {self._name_of(place)} and stay there."
        return Task(f"goal_{place}", text, PlaceReward(values), values.astype(np.float32))

    @abstractmethod
    def _cells_in_order(self) -> Sequence[Cell]:
        """(row, column) of each place, counted from 1."""

    @abstractmethod
    def _name_of(self, place: int) -> str:
        """A place in words."""


def visit_task(event: str, cells: NDArray[np.bool_]) -> Task:
    """To be where an event holds: 1 for each step that ends there."""
    text = f"Go to a place of this kind and stay there: {event}."
    return Task(f"visit_{event}", text, PlaceReward(cells.astype(np.float64)))
