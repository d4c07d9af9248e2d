"""Letters on a grid without borders, with a new temporal mission in every episode.

Missions are in `letter_formulas.py`, machines in `temporal/reward_machines.py`; the machine's state
is part of the observation. Left out: observations with the formula itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from zerogym.envs.control.core.env import DEFAULT, RESET_OPTIONS
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
from zerogym.envs.control.tabular.layouts import Layout, cell_text, find_layout
from zerogym.envs.control.tabular.mdp import TabularMDP
from zerogym.envs.control.tabular.product_base import MISSION, ProductEnv, ProductEpisode
from zerogym.envs.control.tabular.render import Scene
from zerogym.envs.control.temporal.labelling import Event, Holds


@dataclass(kw_only=True)
class LettersEpisode(ProductEpisode):
    """An episode with the places of its letters, and its mission."""

    level: Level
    mission: LetterMission


class LettersEnv(ProductEnv):
    """Letters on a torus, and a new mission in words or as a formula in every episode.

    Description:
        A grid of 7x7 cells whose edges are joined: who goes out on one side comes in on the other.
        Each of the letters a to l lies on two cells, drawn anew in each episode, so that every
        letter can be reached past the others. A mission names letters to visit, their order, and
        letters to avoid, see `zerogym.envs.control.gridworlds.letter_formulas`. The model of
        the episode is exact: `P` (S, A, S), `R` (S, A), `next_state` (S, A); a state is a cell and
        a state of the mission's machine, `env.unwrapped.machine`.

    Observation:
        `view="numeric"`: float32 (111,): the cell (49, one-hot); for each letter the ways down and
        to the right to its two cells, the nearer one first, over the edges where that is shorter,
        in units of 3 cells (48); for each letter the effect of visiting it now: 1 advances
        the mission, -1 fails it, 0 neither (12); 1 if the mission is true now (1); 1 if it has
        failed (1). `view="text"`: at the start the mission in words and the places of the letters,
        later only the place: the progress of the mission must be remembered.

    Action:
        0 stay, 1 up, 2 right, 3 down, 4 left. `view="text"`: a reply that names one of the five
        moves in `<answer>...</answer>` or as its last line; any other reply counts as stay and
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
        render_mode: None, `ansi` (capital letters advance the mission) or `rgb_array` (cells of
            letters that advance the mission are goals, of those that fail it lava).

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
        grid, the twelve letters with two cells each, and the horizon of 75. Observations of
        the mission, staying, random starts, splits and texts are our choice.
    """

    def __init__(
        self,
        split: Split = "train",
        mission: str | None = None,
        task: Any = DEFAULT,
        view: View = "numeric",
        horizon: int = 75,
        render_mode: str | None = None,
    ) -> None:
        rng = np.random.default_rng(0)  # until the first episode draws its own
        drawn = draw_mission(rng, split)  # raises for an unknown split
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
        self._set_level(level, mission)
        try:
            obs, info = super().reset(options=options)
        except Exception:
            self._set_level(*before)  # the running episode goes on with its own level
            raise
        self._episode = LettersEpisode(**vars(self._episode), level=level, mission=mission)
        return obs, info

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot of `get_state`; it can be used any number of times."""
        super().set_state(state)
        self._set_level(self._episode.level, self._episode.mission)

    def _set_level(self, level: Level, mission: LetterMission) -> None:
        """Use these letters and this mission from now on."""
        self._level, self._mission = level, mission
        machine = replace(machine_of(mission.formula), text=mission.text)
        self._set_machine(torus(), holds_of(level), machine)
        if isinstance(self._task, Task) and isinstance(self._task.reward, Won):
            self._task = self.tasks[MISSION]

    def _set_machine(self, place_mdp: TabularMDP, holds: Holds, machine: Any) -> None:
        super()._set_machine(place_mdp, holds, machine)
        assert self.mdp.mission is not None
        mission, obs = Won(self.mdp.mission.reward), observations(machine, self._level)
        self.mdp = replace(self.mdp, observations=obs, mission=mission)

    def _mission_info(self) -> dict[str, Any]:
        info = super()._mission_info() | {"formula": self._mission.formula}
        return info if self._mission.kind == "given" else info | {"split": self._split}

    def _sentence(self, task: Task | None) -> str:
        lying = [
            f"{letter} at "
            + " and ".join(cell_text(self._cells[cell]) for cell in np.flatnonzero(cells).tolist())
            for letter, cells in self.holds.items()
        ]
        edges = "The edges are joined: who leaves on one side comes in on the other."
        return f"{super()._sentence(task)}\nLetters: {'; '.join(lying)}.\n{edges}"

    def _picture(self, episode: Any) -> Any:
        """Return an image, or characters: `@` the mover, capital letters advance the mission."""
        if self.render_mode != "ansi":
            return super()._picture(episode)
        advances, rows = self._place_scores() > 0, [["."] * SIDE for _ in range(SIDE)]
        for letter, cells in self.holds.items():
            for cell in np.flatnonzero(cells):
                rows[cell // SIDE][cell % SIDE] = letter.upper() if advances[cell] else letter
        here = episode.state % PLACES
        rows[here // SIDE][here % SIDE] = "@"
        return "\n".join("".join(row) for row in rows)

    def _map(self) -> Layout:
        return find_layout(f"open_{SIDE}")

    def _scene(self) -> Scene:
        return self._cells[self._episode.state % PLACES], self._place_scores()

    def _where(self, state: int) -> str:
        here = state % PLACES
        things = [letter for letter, cells in self.holds.items() if cells[here]]
        return f"You are at {cell_text(self._cells[here])}." + (
            f" Here: {things[0]}." if things else ""
        )
