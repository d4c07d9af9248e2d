"""Base class of tabular environments with a mission: the product of an MDP and a reward machine.

The state of the machine is part of the observation, see `product_mdp.py`. Left out: observations of
the place alone; take their first `places` numbers, and an agent with recurrent state.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.base import TabularEnv, TabularEpisode, View
from zerogym.envs.control.tabular.dynamic_programming import expected, value_iteration
from zerogym.envs.control.tabular.features import StateReward, place_measures
from zerogym.envs.control.tabular.layouts import cell_text
from zerogym.envs.control.tabular.mdp import TabularMDP
from zerogym.envs.control.tabular.product_mdp import MissionReward, ProductMDP, product_with
from zerogym.envs.control.temporal.labelling import CellLabel, Event, Holds, labels_of_states
from zerogym.envs.control.temporal.reward_machines import RewardMachine

MISSION = "mission"
_TIE, _GAMMA = 1e-9, 0.99


@dataclass(kw_only=True)
class ProductEpisode(TabularEpisode):
    """An episode with a mission: its return so far, and action values of the oracle."""

    mission_return: float = 0.0
    mission_q: Any = None  # (S, A) discounted, computed at the first call of the oracle


class ProductEnv(TabularEnv):
    """A tabular environment with labelled places and a mission.

    Args:
        place_mdp: The MDP of the places, without a mission.
        holds: (S,) for each event: the places where it holds.
        machine: The mission; None for none.
        task: As in every control environment.
        view: `numeric` or `text`.
        horizon: Steps in an episode.
        render_mode: None or one of the class's modes.
    """

    mdp: ProductMDP

    def __init__(
        self,
        place_mdp: TabularMDP,
        holds: Holds,
        machine: RewardMachine | None,
        task: Any,
        view: View,
        horizon: int,
        render_mode: str | None,
    ) -> None:
        self._set_machine(place_mdp, holds, machine)
        super().__init__(self.mdp, task, view, False, horizon, render_mode)

    def _set_machine(
        self, place_mdp: TabularMDP, holds: Holds, machine: RewardMachine | None
    ) -> None:
        """Use this machine from the next episode on."""
        self.place_mdp, self.holds, self.machine = place_mdp, dict(holds), machine
        self.mdp = product_with(place_mdp, machine, holds)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The mission, if there is one, and for every event to stay where it holds."""
        tasks = [_visit_task(name, places) for name, places in self.holds.items()]
        if self.machine is not None and self.mdp.mission is not None:
            tasks.insert(0, Task(MISSION, self.machine.text, self.mdp.mission))
        return MappingProxyType({task.name: task for task in tasks})

    @property
    def default_task(self) -> str | None:
        """The mission, if there is one."""
        return MISSION if self.machine is not None else None

    @property
    def measures(self) -> Measures:
        """`row` and `column` of the place, counted from 1."""
        return place_measures(self._cells)

    @property
    def events(self) -> Mapping[str, Event]:
        """For each event a function of `(obs, action, next_obs)`, see `temporal/labelling.py`."""
        return {name: CellLabel(places) for name, places in self.holds.items()}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin in one of the start places; `options` may pin `start` and `task`."""
        obs, info = super().reset(seed=seed, options=options)
        self._episode = ProductEpisode(**vars(self._episode))
        return obs, info | self._mission_info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Do one action; the machine reads the events of the place entered."""
        before = None if self._episode is None else self._episode.state
        obs, reward, terminated, truncated, info = super().step(action)
        episode: ProductEpisode = self._episode
        place = episode.state % self.mdp.places
        events = [name for name, places in self.holds.items() if places[place]]
        info |= self._mission_info() | {"event": ", ".join(events) or "nothing"}
        if before is not None and self.mdp.mission is not None:
            machine_state = before // self.mdp.places
            episode.mission_return += float(self.mdp.mission.reward[machine_state, place])
            info["success"] = episode.mission_return > 0
        return obs, reward, terminated, truncated, info

    def oracle_action(self) -> Any:
        """Return an action of the best policy, by value iteration.

        Best is the highest return until the horizon; on a mission the highest discounted return,
        which completes it soonest.
        """
        episode: ProductEpisode = self._running()
        if episode.task is None or not isinstance(episode.task.reward, MissionReward):
            return super().oracle_action()
        dynamics, rewards = self.mdp.dynamics, episode.expected_rewards
        if episode.mission_q is None:
            values, _ = value_iteration(dynamics, rewards, _GAMMA)
            episode.mission_q = rewards + _GAMMA * expected(dynamics, values)
        here = episode.mission_q[episode.state]
        return self._reply(int(np.flatnonzero(here >= here.max() - _TIE)[0]))

    def _mission_info(self) -> dict[str, Any]:
        """Return the entries of `info` about the mission."""
        if self.machine is None:
            return {}
        state = self._episode.state // self.mdp.places
        return {"mission": self.machine.text, "machine_state": state}

    def _place_scores(self) -> NDArray[np.float64]:
        """Return (S,) for pictures: 1 where entering advances the mission, -1 where it fails it.

        Without a mission, the rewards of the places.
        """
        episode: ProductEpisode = self._episode
        if self.machine is None or self.mdp.mission is None:
            return np.asarray(episode.rewards.max(axis=(1, 2)))
        state = episode.state // self.mdp.places
        after = self.machine.next_state[state, labels_of_states(self.machine, self.holds)]
        failed = self.machine.over[after] & (self.mdp.mission.reward[state] <= 0)
        return np.where(after == state, 0.0, np.where(failed, -1.0, 1.0))

    def _start_of(self, given: Any) -> int:
        first = 0 if self.machine is None else self.machine.initial
        return first * self.mdp.places + super()._start_of(given)

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        """Return the task of a goal given as a place or as the one-hot vector of one."""
        place = self._goal_place(goal, self.mdp.places)
        values = np.eye(self.mdp.places)[place]
        text = f"Go to {cell_text(self._cells[place])} and stay there."
        return Task(f"goal_{place}", text, StateReward(values), values.astype(np.float32))


def _visit_task(event: str, places: NDArray[np.bool_]) -> Task:
    """Return the task of being where an event holds: 1 for each step that ends there."""
    text = f"Go to a place of this kind and stay there: {event}."
    return Task(f"visit_{event}", text, StateReward(places.astype(np.float64)))
