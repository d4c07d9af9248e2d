"""Letters on a grid without borders, and missions in time that are drawn with them.

Missions in `letter_formulas.py`, machines in `temporal/reward_machines.py`; what must be remembered
is part of the observation. Left out: observations with the formula itself, as of agents that read
its symbols.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.env import RESET_OPTIONS
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.gridworlds.letter_formulas import (
    LetterMission,
    Split,
    draw_mission,
    given_mission,
    machine_of,
)
from zerogym.envs.control.gridworlds.letter_level import (
    EVENTS,
    PLACES,
    SIDE,
    VISITS,
    WIDTH,
    Level,
    Won,
    draw_level,
    holds_of,
    lowest,
    observations,
    torus,
)
from zerogym.envs.control.tabular.base import View
from zerogym.envs.control.tabular.layouts import (
    ACTION_NAMES,
    STAY,
    Cell,
    Layout,
    cell_text,
    find_layout,
)
from zerogym.envs.control.tabular.mdp import TabularMDP
from zerogym.envs.control.tabular.product_base import MISSION, ProductEnv, ProductEpisode
from zerogym.envs.control.tabular.render import FACING, Scene
from zerogym.envs.control.temporal.labelling import Event


@dataclass(kw_only=True)
class LettersEpisode(ProductEpisode):
    """Which letters are where, and the mission."""

    level: Level
    mission: LetterMission


class LettersEnv(ProductEnv):
    """Letters on a torus, and a new mission in words or as a formula in every episode.

    Description:
        A grid of 7x7 cells whose edges are joined: who goes out on one side comes in on the other.
        Each of the letters a to l lies on two cells, drawn anew in each episode, so that every
        letter can be reached past the others. A mission says which letters to visit, in which
        order, and which not, see `zerogym.envs.control.gridworlds.letter_formulas`. The model of
        the episode is exact: `P` (S, A, S), `R` (S, A), `next_state` (S, A); a state is a cell and
        a state of the mission's machine, `env.unwrapped.machine`.

    Observation:
        `view="numeric"`: float32 (111,): the cell (49, one-hot); for each letter the ways down and
        to the right to its two cells, the nearer one first, over the edges where that is shorter,
        in units of 3 cells (48); for each letter what visiting it now would do: 1 brings the
        mission on, -1 spoils it, 0 nothing (12); whether the mission is now true (1) and whether
        it is spoilt (1). `view="text"`: at the start the mission in words and where the letters
        are, later only the place: what has been done must be remembered.

    Action:
        0 stay, 1 up, 2 right, 3 down, 4 left. `view="text"`: a reply that says one of the five
        words in `<answer>...</answer>` or as its last line; any other reply counts as stay and
        sets `info["void_turn"]`.

    Reward:
        Task `mission`: the change of "the mission would be true if the episode ended now", which
        sums to 1 if it is true at the end, else 0. `visit_a`, ...: 1 for each step that ends on
        such a cell. `task=None`: 0. A letter is visited by entering its cell, also by staying.
        Features, for a task such as `"row + column"`: `row` and `column`.

    Episode end:
        Terminated when nothing can change the mission's outcome; else truncated after `horizon`
        steps. `info["success"]`: the mission is true so far.

    Difficulty:
        The split.

    Arguments:
        split: `train`, `longer` (more orders, and longer ones) or `letters` (missions with letters
            that do not occur in the others).
        mission: None to draw one in each episode, or a formula of LTLf over the letters, such as
            `"F (a & X F b) & G !c"`.
        task: None; `mission`; `visit_a`, ...; a `zerogym.envs.control.core.tasks.Task`; a function
            `reward(obs, action, next_obs) -> (B,)` of batches of observations and actions (B,); or
            a goal, as (row, column) or as the one-hot vector of a cell.
        view: `numeric` or `text`.
        horizon: Steps in an episode.
        render_mode: None, `ansi` (capital letters bring the mission on) or `rgb_array` (cells
            where a letter that does are goals, those that spoil it are lava).

        `reset(options=...)` may pin `start` (row, column), counted from 1 at the top left,
        `mission` (a formula) and `task` for one episode.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/Letters-v0", task="mission", view="text")
        >>> obs, info = env.reset(seed=1)
        >>> print(obs.splitlines()[0])
        Go to d and after that to f; go to a at any time; at no time go to b.
        >>> info["formula"], env.step("up")[0]
        ('F (d & X F f) & F a & G !b', 'You are at row 7, column 1. Here: f.')

    Source:
        "LTL2Action: Generalizing LTL Instructions for Multi-Task RL" (2021, arXiv 2102.06858): the
        grid, the twelve letters with two cells each, and the horizon of 75. What is seen of the
        mission, staying, random starts, splits and texts are our choice.
    """

    action_names = ACTION_NAMES
    facings = tuple(FACING.index(name) if name in FACING else None for name in ACTION_NAMES)
    void_action = STAY
    void_text = "That is not a move, so you stay."

    def __init__(
        self,
        split: Split = "train",
        mission: str | None = None,
        task: Any = None,
        view: View = "numeric",
        horizon: int = 75,
        render_mode: str | None = None,
    ) -> None:
        rng = np.random.default_rng(0)  # until the first episode draws its own
        drawn = draw_mission(rng, split)  # refuses a split that there is not
        self._split, self._given = split, None if mission is None else given_mission(mission)
        self._level, self._mission = draw_level(rng), self._given or drawn
        machine = replace(machine_of(self._mission.formula), text=self._mission.text)
        super().__init__(torus(), holds_of(self._level), machine, task, view, horizon, render_mode)
        if view == "numeric":
            self.observation_space = spaces.Box(lowest(), np.ones(WIDTH, np.float32))

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The mission of the present episode, and to be on each letter."""
        return MappingProxyType(dict(super().tasks) | VISITS)

    @property
    def events(self) -> Mapping[str, Event]:
        """To be on each letter, as functions of `(obs, action, next_obs)`."""
        return EVENTS

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Draw letters, mission and start; `options` may pin `start`, `mission` and `task`."""
        gym.Env.reset(self, seed=seed)
        options = dict(self._reset_options(options, (*RESET_OPTIONS, "mission")))
        level, mission = draw_level(self.np_random), draw_mission(self.np_random, self._split)
        pinned = options.pop("mission", None)
        mission = self._given or mission if pinned is None else given_mission(pinned)
        before = self._level, self._mission
        self._settle(level, mission)
        try:
            obs, info = super().reset(options=options)
        except Exception:
            self._settle(*before)  # the episode that was running goes on in its own world
            raise
        self._episode = LettersEpisode(**vars(self._episode), level=level, mission=mission)
        return obs, info

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot of `get_state`; it can be used any number of times."""
        super().set_state(state)
        self._settle(self._episode.level, self._episode.mission)

    def _settle(self, level: Level, mission: LetterMission) -> None:
        """Lay the letters and let the mission's machine run along."""
        self._level, self._mission = level, mission
        machine = replace(machine_of(mission.formula), text=mission.text)
        self._remember(torus(), holds_of(level), machine)
        if isinstance(self._task, Task) and isinstance(self._task.reward, Won):
            self._task = self.tasks[MISSION]

    def _remember(
        self, cells: TabularMDP, holds: Mapping[str, NDArray[np.bool_]], machine: Any
    ) -> None:
        super()._remember(cells, holds, machine)
        assert self._pays is not None
        seen = observations(machine, self._level)
        self._pays = Won(self._pays.reward)
        self.world = self._product = replace(self._product, observations=seen, mission=self._pays)

    def _told(self) -> dict[str, Any]:
        told = super()._told() | {"formula": self._mission.formula}
        return told if self._mission.kind == "given" else told | {"split": self._split}

    def _sentence(self, task: Task | None) -> str:
        lying = [
            f"{letter} at "
            + " and ".join(self._name_of(cell) for cell in np.flatnonzero(cells).tolist())
            for letter, cells in self.holds.items()
        ]
        edges = "The edges are joined: who leaves on one side comes in on the other."
        return f"{super()._sentence(task)}\nLetters: {'; '.join(lying)}.\n{edges}"

    def render(self) -> Any:
        """An image of the grid, or characters: `@` the mover, capital letters are wanted now."""
        if self.render_mode != "ansi" or self._episode is None:
            return super().render()
        wanted, rows = self._wanted() > 0, [["."] * SIDE for _ in range(SIDE)]
        for letter, cells in self.holds.items():
            for cell in np.flatnonzero(cells):
                rows[cell // SIDE][cell % SIDE] = letter.upper() if wanted[cell] else letter
        here = self._episode.state % PLACES
        rows[here // SIDE][here % SIDE] = "@"
        return "\n".join("".join(row) for row in rows)

    def _map(self) -> Layout:
        return find_layout(f"open_{SIDE}")

    def _scene(self) -> Scene:
        return self._map().cells[self._episode.state % PLACES], self._wanted()

    def _where(self, state: int) -> str:
        here = state % PLACES
        things = [letter for letter, cells in self.holds.items() if cells[here]]
        return f"You are at {self._name_of(here)}." + (f" Here: {things[0]}." if things else "")

    def _index_of(self, given: Any, what: str) -> int:
        try:
            row, column = np.asarray(given, dtype=np.float64).tolist()
            return self._map().index[row, column]
        except (TypeError, ValueError, KeyError, OverflowError):
            raise ValueError(
                f"{self.name}: {what} must be the (row, column) of a cell, from (1, 1) to "
                f"({SIDE}, {SIDE}), got {str(given)[:60]}"
            ) from None

    def _cells_in_order(self) -> tuple[Cell, ...]:
        return self._map().cells

    def _name_of(self, cell: int) -> str:
        return cell_text(self._map().cells[cell])
