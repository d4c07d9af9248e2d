"""The point maze with missions in signal temporal logic, rewarded by robustness.

Formulas are in `temporal/stl.py`, their rewards in `temporal/stl_rewards.py`, the named missions in
`stl_missions.py`, features and tasks in `stl_tasks.py`. Left out: other layouts, and formulas as
text.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NoReturn

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Library
from zerogym.envs.control.core.env import DEFAULT
from zerogym.envs.control.core.features import Features, Measures
from zerogym.envs.control.core.tasks import Batch, Task
from zerogym.envs.control.mazes.base import Episode, MazeEnv, Place
from zerogym.envs.control.mazes.layouts import LAYOUTS
from zerogym.envs.control.mazes.physics import Maze, is_free, steer
from zerogym.envs.control.mazes.shortest_paths import shortest_paths
from zerogym.envs.control.mazes.stl_missions import HAZARD, REGIONS, find_mission
from zerogym.envs.control.mazes.stl_tasks import (
    COLUMNS,
    MARGINS,
    MEASURES,
    ROBUSTNESS,
    TIME,
    FinalRobustness,
    Inside,
    RobustnessChange,
    measured,
    signal_tasks,
)
from zerogym.envs.control.mazes.tasks import draw_free
from zerogym.envs.control.temporal.labelling import Event
from zerogym.errors import NoOracle

WIDE = 0.0625  # distance of the oracle from the hazard
_IN_HAZARD = list(MEASURES).index(HAZARD)


@dataclass(kw_only=True)
class SignalEpisode(Episode):
    """An episode with its trajectory and its observation."""

    trajectory: NDArray[np.float32]  # (horizon + 1, 2 + R), see `measured`; future rows repeat
    state: NDArray[np.float32]  # (4 + R,) the present observation
    rest: tuple[str, ...]  # the regions that the oracle has yet to visit


class PointMazeSTLEnv(MazeEnv):
    """A point in a maze with a temporal mission: visit regions in time, avoid a hazard.

    Description:
        The point of `zerogym/PointMaze-v0` in its layout `s`, with four square regions: `a` (right,
        top), `b` (left, bottom), `c` (middle, top) and `hazard`, in the way, with a gap on both
        sides. A mission is a formula of signal temporal logic over them. Its robustness is
        positive if it is satisfied, negative if not. The relevant history is part of the
        observation. `env.unwrapped.formula` is the mission's formula, and
        `zerogym.envs.control.temporal.stl_rewards` relabels whole stored episodes for any other.

    Observation:
        float32 (8,): x and y in [0, 3]; the share of the steps done; the robustness so far,
        which is that of standing still from now on; and for each region, in the order above, the
        greatest margin inside it so far, negative if never inside.

    Action:
        float32 (2,) in [-1, 1]: the distance along x and y, in units of 0.2; larger values are
        clipped.

    Reward:
        Task `mission`: the robustness of the trajectory with the last step, else 0.
        `mission_dense`: the change of the robustness so far; both returns differ by the
        robustness of standing still at the start. `visit_a`, ...: 1 for each step that ends in the
        region. `task=None`: 0. Features for rewards of `(features, action)`: `x`, `y`, and the
        margin of each region.

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
        horizon: Steps in an episode, at least the horizon of the mission; None: equal to it. Later
            steps no longer change the robustness.
        render_mode: None, `ansi` or `rgb_array`; pictures show the next region, and the
            hazard as a wall.

        `reset(options=...)` may pin `start` (x, y) and `task` for one episode; else the start is
        drawn uniformly from the free part of the square, the hazard left out.

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

    default_task = "mission"

    def __init__(
        self,
        mission: Any = "reach_avoiding",
        task: Any = DEFAULT,
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
                f"{self.name}: horizon must be at least {steps}, that of the mission, got {horizon}"
            )
        far = np.full(1 + len(REGIONS), self._maze.high)
        if not self.mission.legs:
            far[0] = np.inf  # the margins of user formulas are unbounded
        low = np.array([self._maze.low, self._maze.low, 0.0, *-far], dtype=np.float32)
        high = np.array([self._maze.high, self._maze.high, 1.0, *far], dtype=np.float32)
        self.observation_space = spaces.Box(low, high, dtype=np.float32)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The mission with sparse or dense rewards, and to be in each region."""
        return signal_tasks(self.mission.text)

    @property
    def measures(self) -> Measures:
        """`x`, `y`, and the margin of each region, of observations (B, 2 or more)."""
        return MEASURES

    @property
    def events(self) -> Mapping[str, Event]:
        """To be in each region, as functions of `(obs, action, next_obs)`."""
        return REGIONS

    def _draw_start(self, maze: Maze) -> Place:
        return draw_free(self.np_random, _without_hazard())

    def _new_episode(self, task: Task | None, maze: Maze, start: Place) -> SignalEpisode:
        trajectory = np.tile(measured(start), (self.horizon + 1, 1))
        state = self._observed(start, trajectory, 0, trajectory[0, 2:])
        return SignalEpisode(
            task=task, maze=maze, position=start, best=None,
            trajectory=trajectory, state=state, rest=self.mission.legs,
        )  # fmt: skip

    def _update_episode(self) -> None:
        episode: SignalEpisode = self._episode
        position, rest = episode.position, episode.rest
        episode.trajectory[episode.turn :] = measured(position)
        best = np.maximum(episode.state[MARGINS:], episode.trajectory[-1, 2:])
        episode.state = self._observed(position, episode.trajectory, episode.turn, best)
        if len(rest) > 1 and REGIONS[rest[0]].margin(position) > WIDE:
            episode.rest = rest[1:]

    def _observed(
        self, position: Place, trajectory: NDArray[Any], turn: int, best: NDArray[Any]
    ) -> NDArray[np.float32]:
        """Return the observation after a turn, of the trajectory and the best margins so far."""
        features = Features(COLUMNS, trajectory[: self.formula.horizon + 1])
        numbers = [turn / self.horizon, self.formula.robustness(features)]
        return np.concatenate([position, numbers, best], dtype=np.float32, casting="same_kind")

    def batched(self, n: int, library: Library = "numpy", device: str | None = None) -> NoReturn:
        """Refuse: vectorised points keep no trajectories.

        Raises:
            ValueError: Always; names the alternative.
        """
        raise ValueError(
            f"{self.name} cannot be batched: step batches of zerogym/PointMaze-v0, and compute "
            "rewards by zerogym.envs.control.temporal.stl_rewards"
        )

    def oracle_action(self) -> Place:
        """Return the action along the shortest path to the next region, away from the hazard.

        It satisfies every named mission from every start that is drawn; it does not maximise
        robustness.

        Raises:
            NoOracle: If the task is a function, or the mission is a formula.
        """
        target = self._next_place("an oracle")
        position = self._episode.position
        ends = np.stack([position, target])
        maze = _without_hazard() if is_free(_without_hazard(), ends).all() else self._maze
        return shortest_paths(maze).action(position, target)

    def straight_line_action(self, rng: np.random.Generator) -> Place:
        """Return the action of the baseline that ignores walls and hazard; `rng` is not used."""
        return steer(self._maze, self._episode.position, self._next_place("the straight line"))

    def _picture(self, episode: SignalEpisode) -> Any:
        """Return the square from above, the hazard as a wall, as an image or characters."""
        try:
            target = self._next_place("a picture").astype(np.float32)
        except NoOracle:
            target = None
        return self._drawn(_without_hazard(0.0), target)

    def _next_place(self, who: str) -> NDArray[np.float64]:
        """Return the place of the task, or of the next region of the mission."""
        episode: SignalEpisode = self._running()
        task = episode.task
        if task is not None and task.goal is not None:
            return np.asarray(task.goal, dtype=np.float64)
        if task is not None and isinstance(task.reward, Inside):
            return np.array(REGIONS[task.reward.region].centre)
        if (
            task is None
            or not isinstance(task.reward, (FinalRobustness, RobustnessChange))
            or not episode.rest
        ):
            raise NoOracle(f"{self.name}: {who} needs a goal, a region or a named mission")
        return np.array(REGIONS[episode.rest[0]].centre)

    def _info(self) -> dict[str, Any]:
        episode: SignalEpisode = self._episode
        in_hazard = episode.trajectory[-1, _IN_HAZARD] > 0
        success = bool(episode.state[ROBUSTNESS] > 0)
        own = {"mission": self.mission.text, "cost": float(in_hazard), "success": success}
        return super()._info() | own

    def _state(self) -> NDArray[np.float32]:
        state: NDArray[np.float32] = self._episode.state
        return state

    def _transitions(self) -> Batch:
        places, actions, _ = super()._transitions()
        rest = np.zeros((len(places), MARGINS - TIME + len(REGIONS)), dtype=np.float32)
        states = np.concatenate([places, rest], axis=1)
        return states, actions, states


@cache
def _without_hazard(around: float = WIDE) -> Maze:
    """Return the maze with the hazard, and a margin around it, as a wall."""
    region = REGIONS[HAZARD]
    (x, y), half = region.centre, region.half + around
    maze = LAYOUTS["s"].maze
    return replace(maze, walls=(*maze.walls, (x - half, x + half, y - half, y + half)))
