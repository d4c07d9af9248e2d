"""The point maze with missions in time: signal temporal logic, paid by robustness.

Formulas in `stl.py`, what they pay in `temporal/stl_rewards.py`, the named missions in
`stl_missions.py`, what is measured in `stl_tasks.py`. Left out: other layouts, and formulas
as text.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NoReturn

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Library
from zerogym.envs.control.core.features import Features, Measures
from zerogym.envs.control.core.tasks import Batch, Task
from zerogym.envs.control.mazes import render as maze_render
from zerogym.envs.control.mazes.base import Episode, MazeEnv, Place
from zerogym.envs.control.mazes.layouts import LAYOUTS
from zerogym.envs.control.mazes.physics import Maze, is_free, move_one, steer
from zerogym.envs.control.mazes.shortest_paths import ways
from zerogym.envs.control.mazes.stl_missions import HAZARD, REGIONS, find_mission
from zerogym.envs.control.mazes.stl_tasks import (
    COLUMNS,
    MEASURES,
    ROBUSTNESS,
    SEEN,
    TIME,
    AtTheEnd,
    ByChange,
    Inside,
    measured,
    signal_tasks,
)
from zerogym.envs.control.mazes.tasks import draw_free
from zerogym.envs.control.temporal.labelling import Event
from zerogym.errors import NoOracle

WIDE = 0.0625  # how far around the hazard the oracle keeps
_IN_HAZARD = list(MEASURES).index(HAZARD)


@dataclass(kw_only=True)
class SignalEpisode(Episode):
    """The trajectory so far, and what is remembered of it."""

    trajectory: NDArray[np.float32]  # (horizon + 1, 2 + R), see `measured`; as if standing still
    seen: NDArray[np.float32]  # (4 + R,) the present observation
    rest: tuple[str, ...]  # the regions to which the oracle has still to go


class PointMazeSTLEnv(MazeEnv):
    """A point in a maze with appointments: be here, then there, in time, and never there.

    Description:
        The point of `zerogym/PointMaze-v0` in its layout `s`, with four square regions: `a` (right,
        top), `b` (left, bottom), `c` (middle, top) and `hazard`, in the way, with a gap on both
        sides. A mission is a formula of signal temporal logic over them. Its robustness says how
        clearly it is satisfied: positive if so, negative if not. What must be remembered is part
        of the observation. `env.unwrapped.formula` is the mission's formula, and
        `zerogym.envs.control.temporal.stl_rewards` pays whole stored episodes for any other.

    Observation:
        float32 (8,): x and y in [0, 3]; the share of the steps that is over; the robustness so
        far, which is that of standing still from now on; and for each region, in the order above,
        how far inside it the point has been at best, negative if never.

    Action:
        float32 (2,) in [-1, 1]: how far to go along x and y, in units of 0.2; larger values are
        clipped.

    Reward:
        Task `mission`: the robustness of the trajectory with the last step, else 0.
        `mission_dense`: the change of the robustness so far; both returns differ by what standing
        still at the start is worth. `visit_a`, ...: 1 for each step that ends in the region.
        `task=None`: 0. Features for rewards of `(features, action)`: `x`, `y`, and for each region
        how far inside it the point is.

    Episode end:
        Truncated after `horizon` steps, never terminated.
        `info["success"]`: the robustness so far is positive. `info["cost"]`: 1 in the hazard.

    Difficulty:
        The mission. Going straight fails in most episodes of each.

    Arguments:
        mission: `reach_avoiding`, `reach`, `in_order`, `in_order_avoiding`, `appointments` or
            `stay`; or a formula of `zerogym.envs.control.temporal.stl`, whose margins are functions
            of the features, such as `inside("a")` of `zerogym.envs.control.mazes.stl_missions`.
        task: None; the name of a task; a `zerogym.envs.control.core.tasks.Task`; a function
            `reward(obs, action, next_obs) -> (B,)` of batches (B, 8), or
            `reward(features, action) -> (B,)`; or a goal (x, y).
        horizon: Steps in an episode, at least as many as the mission looks ahead; None: as many.
            What comes after them no longer changes the robustness.
        render_mode: None, `ansi` or `rgb_array`; pictures show where to go next, and
            the hazard as a wall.

        `reset(options=...)` may pin `start` (x, y) and `task` for one episode; else the start is
        drawn evenly from the free part of the square, the hazard left out.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/PointMazeSTL-v0", mission="reach", task="mission")
        >>> obs, info = env.reset(seed=0, options={"start": (2.5, 2.0)})
        >>> obs, reward, terminated, truncated, info = env.step([0.0, 1.0])
        >>> print(obs[:4].round(3), info["success"])  # 0.175 too low: outside region a
        [ 2.5    2.2    0.017 -0.175] False

    Source:
        Ours, after "TGPO: Temporal Grounded Policy Optimization for Signal Temporal Logic Tasks"
        (2025, arXiv 2510.00225); robustness as in "Robust Satisfaction of Temporal Logic over
        Real-Valued Signals" (2010, FORMATS).
    """

    def __init__(
        self,
        mission: Any = "reach_avoiding",
        task: Any = None,
        horizon: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.mission = find_mission(mission)
        self.formula = self.mission.formula
        steps = self.formula.horizon
        super().__init__(
            LAYOUTS["s"].maze, task, steps if horizon is None else horizon, render_mode
        )
        if self.horizon < steps:
            raise ValueError(
                f"{self.name}: horizon must be at least {steps}, as many steps as the mission "
                f"looks ahead, got {horizon}"
            )
        far = np.full(1 + len(REGIONS), self._maze.high)
        if not self.mission.legs:
            far[0] = np.inf  # margins of your own may be of any size
        low = np.array([self._maze.low, self._maze.low, 0.0, *-far], dtype=np.float32)
        high = np.array([self._maze.high, self._maze.high, 1.0, *far], dtype=np.float32)
        self.observation_space = spaces.Box(low, high, dtype=np.float32)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The mission in two ways, and to be in each region."""
        return signal_tasks(self.mission.text)

    @property
    def measures(self) -> Measures:
        """`x`, `y`, and how far inside each region, of observations (B, 2 or more)."""
        return MEASURES

    @property
    def events(self) -> Mapping[str, Event]:
        """To be in each region, as functions of `(obs, action, next_obs)`."""
        return REGIONS

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Put the point on a random free place; `options` may pin `start` and `task`."""
        super(MazeEnv, self).reset(seed=seed)
        options = self._reset_options(options, self.reset_options)
        task = self._pinned_task({"task": options["task"]} if "task" in options else {})
        start = draw_free(self.np_random, _without_hazard())  # always drawn, as in every maze
        if "start" in options:
            start = self._free_point(options["start"], "start", self._maze)
        assert not isinstance(task, str)
        if task is not None:
            self._check_goal(task, self._maze)
        self._episode = SignalEpisode(
            task=task, maze=self._maze, position=start, best=None,
            trajectory=np.tile(measured(start), (self.horizon + 1, 1)),
            seen=np.zeros(SEEN + len(REGIONS), np.float32), rest=self.mission.legs,
        )  # fmt: skip
        self._episode.seen = self._remembered(None)
        return self._observation(), self._info() | self._told()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Move the point.

        Raises:
            ValueError: If the action is not two finite numbers.
        """
        given = self._check_action(action)
        episode: SignalEpisode = self._open_episode()
        before, task = episode.seen, episode.task
        episode.position = move_one(episode.maze, episode.position, given)
        episode.trajectory[episode.turn + 1 :] = measured(episode.position)
        goal = None if task is None else task.goal
        on_goal = goal is not None and bool(
            np.hypot(*(episode.position - goal)) <= self._maze.goal_radius
        )
        terminated, truncated = self._count_step(on_goal)
        episode.seen = self._remembered(before)
        rest = episode.rest
        if len(rest) > 1 and REGIONS[rest[0]].margin(episode.position) > WIDE:
            episode.rest = episode.rest[1:]
        reward = 0.0
        if task is not None:
            reward = float(task.relabel(before[None], given[None], episode.seen[None])[0])
        return self._observation(), reward, terminated, truncated, self._info() | self._told()

    def batched(self, n: int, library: Library = "numpy", device: str | None = None) -> NoReturn:
        """Many points remember nothing: refused.

        Raises:
            ValueError: Always; says what to do instead.
        """
        raise ValueError(
            f"{self.name} cannot be batched: step batches of zerogym/PointMaze-v0, and pay their "
            "episodes by zerogym.envs.control.temporal.stl_rewards"
        )

    def oracle_action(self) -> Place:
        """Round the walls, and wide round the hazard, from one region to the next, and stay.

        It satisfies every named mission from every start that is drawn; it does not seek the
        greatest robustness.

        Raises:
            NoOracle: If the task is a function, or the mission has no known way.
        """
        target = self._next_place("an oracle")
        position = self._episode.position
        ends = np.stack([position, target])
        maze = _without_hazard() if is_free(_without_hazard(), ends).all() else self._maze
        return ways(maze).action(position, target)

    def straight_line_action(self, rng: np.random.Generator) -> Place:
        """The baseline that ignores walls and hazard; `rng` is not used."""
        return steer(self._maze, self._episode.position, self._next_place("the straight line"))

    def render(self) -> Any:
        """The square from above, the hazard as a wall: an image (240, 240, 3) or characters."""
        if self.render_mode is None or self._episode is None:
            return None
        draw = maze_render.ansi if self.render_mode == "ansi" else maze_render.rgb
        episode: SignalEpisode = self._episode
        try:
            target = self._next_place("a picture").astype(np.float32)
        except NoOracle:
            target = None
        return draw(_without_hazard(0.0), episode.position, target)

    def _next_place(self, who: str) -> NDArray[np.float64]:
        """Where the task, or the next leg of the mission, is."""
        episode: SignalEpisode = self._running()
        task = episode.task
        if task is not None and task.goal is not None:
            return np.asarray(task.goal, dtype=np.float64)
        if task is not None and isinstance(task.reward, Inside):
            return np.array(REGIONS[task.reward.region].centre)
        if task is None or not isinstance(task.reward, (AtTheEnd, ByChange)) or not episode.rest:
            raise NoOracle(f"{self.name}: {who} needs a goal, a region or a named mission")
        return np.array(REGIONS[episode.rest[0]].centre)

    def _remembered(self, before: NDArray[np.float32] | None) -> NDArray[np.float32]:
        """The observation, from the last one and the trajectory."""
        episode: SignalEpisode = self._episode
        inside = episode.trajectory[-1, 2:]
        best = inside if before is None else np.maximum(before[SEEN:], inside)
        looked_at = episode.trajectory[: self.formula.horizon + 1]
        robustness = self.formula.robustness(Features(COLUMNS, looked_at))
        told = [episode.turn / self.horizon, robustness]
        return np.concatenate([episode.position, told, best], dtype=np.float32, casting="same_kind")

    def _told(self) -> dict[str, Any]:
        episode: SignalEpisode = self._episode
        in_hazard = episode.trajectory[-1, _IN_HAZARD] > 0
        success = bool(episode.seen[ROBUSTNESS] > 0)
        return {"mission": self.mission.text, "cost": float(in_hazard), "success": success}

    def _observation(self) -> NDArray[np.float32]:
        seen: NDArray[np.float32] = self._episode.seen
        return seen.copy()

    def _transitions(self) -> Batch:
        places, actions, _ = super()._transitions()
        rest = np.zeros((len(places), SEEN - TIME + len(REGIONS)), dtype=np.float32)
        seen = np.concatenate([places, rest], axis=1)
        return seen, actions, seen


@cache
def _without_hazard(around: float = WIDE) -> Maze:
    """The maze with the hazard as a wall, and so much around it."""
    region = REGIONS[HAZARD]
    (x, y), half = region.centre, region.half + around
    maze = LAYOUTS["s"].maze
    return replace(maze, walls=(*maze.walls, (x - half, x + half, y - half, y + half)))
