"""A bridge to OGBench: its mazes and its cubes as control worlds, with any task.

The worlds are in `worlds.py`, the simulation in `simulator.py`. Left out: a text
view, pictures (`env.unwrapped.simulator.theirs.render()` makes OGBench's own), its data sets.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import as_floats, box_action
from zerogym.envs.control.core.env import DEFAULT, ControlEnv, ControlEpisode
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.tasks import Batch, Task
from zerogym.envs.control.ogbench.simulator import OGBenchSimulator
from zerogym.envs.control.ogbench.worlds import WORLDS, Place, Reached
from zerogym.errors import NoOracle, UnknownName

PROBES = 32  # made-up transitions on which a user's reward is tried
REACH = 0.2  # m, of a full step of the point
MOST = 1e6  # m, radian, m/s, ...: beyond, a simulation has become unstable


@dataclass(kw_only=True)
class Episode(ControlEpisode):
    """All that changes during an episode, besides the simulator's state."""

    observation: NDArray[np.float32]  # the last one
    place: Place | None  # where the goal is, if the task has one


class OGBenchEnv(ControlEnv):
    """A world of OGBench, any reward.

    Description:
        Mazes for a point, an ant and a humanoid (`pointmaze-medium`, `antmaze-large`,
        `humanoidmaze-giant`, ...) and a robot arm with cubes (`cube-single` to `cube-octuple`),
        simulated by the package `ogbench`, which is not installed with zerogym:
        `pip install 'zerogym[ogbench]'`. Nothing is downloaded. All chance comes from the seed.
        Its five goals of each world are the named tasks; any other task can be given.

    Observation:
        OGBench's states as float32: in mazes the position (x, y) in m first, then joints and
        velocities; for cubes the arm, then for each cube its scaled place and its orientation.

    Action:
        float32 in [-1, 1], clipped: motors of a body, or how far the arm's hand moves (x, y, z),
        turns and closes.

    Reward:
        That of the task. Named tasks and goals have the rewards of OGBench's single-task versions
        since 1.2.0: -1 for each thing that is not in its place *before* the step, else 0; a place
        is reached within 1 m (point), 0.5 m (ant, humanoid) or 4 cm (cubes). `task=None` is
        reward-free: 0. Features for rewards of `(features, action)`: `x`, `y` in mazes; `x_1`,
        `y_1`, `z_1`, ... of the cubes.

    Episode end:
        Truncated after `horizon` steps; terminated where the goal was reached before the step, as
        in OGBench, unless `ends_at_goal` is False. `info["success"]`: it was.

    Difficulty:
        The world.

    Arguments:
        world: Its name in OGBench, without the version.
        task: None; the name of a task (`task1` to `task5` in mazes); a
            `zerogym.envs.control.core.tasks.Task`; a function `reward(obs, action, next_obs) ->
            (B,)` or `reward(features, action) -> (B,)`; or a goal: (x, y), (x, y, z) of every cube,
            or an observation, of which only the place counts.
        ends_at_goal: Whether reaching a goal ends the episode.
        horizon: Steps in an episode; None is as many as in OGBench, 200 to 4000.
        render_mode: None or `ansi`.

        `reset(options=...)` may pin `start` (a place, as a goal) and `task` for one episode; else
        a named task begins where OGBench lets it begin, any other where one of the five does.

    Example:
        >>> env = OGBenchEnv("antmaze-medium")
        >>> env.observation_space.shape, env.action_space.shape, env.horizon
        ((29,), (8,), 1000)

    Source:
        "OGBench: Benchmarking Offline Goal-Conditioned RL" (2024, arXiv 2410.20092).
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 10}  # noqa: RUF012
    library = "ogbench"
    has_oracle = False  # only of point mazes

    def __init__(
        self,
        world: str = "pointmaze-medium",
        task: Any = DEFAULT,
        ends_at_goal: bool = True,
        horizon: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        if world not in WORLDS:
            raise UnknownName("world of OGBench", world, list(WORLDS))
        self.world, self.ends_at_goal = WORLDS[world], bool(ends_at_goal)
        shape = (self.world.observations,)
        self.observation_space = spaces.Box(-MOST, MOST, shape, np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (self.world.actions,), np.float32)
        super().__init__(task, self.world.horizon if horizon is None else horizon, render_mode)

    @cached_property
    def simulator(self) -> OGBenchSimulator:
        """OGBench's simulation, loaded when it is first needed.

        Raises:
            MissingExtra: If the package is not installed.
        """
        return OGBenchSimulator(self.world, "zerogym/OGBench-v0")

    @cached_property
    def tasks(self) -> Mapping[str, Task]:
        """The five goals of this world by OGBench's names."""
        return {name: self._task_of(place, name) for name, place in self.simulator.goals.items()}

    @property
    def measures(self) -> Measures:
        """The coordinates of the body or of each cube, in metres."""
        names = ["x", "y"]
        if not self.world.is_maze:
            names = [f"{axis}_{cube + 1}" for cube in range(self.world.things) for axis in "xyz"]
        return {
            name: partial(self.world.coordinate, number=number) for number, name in enumerate(names)
        }

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin where a task of OGBench begins; `options` may pin `start` and `task`."""
        options, task = self._seeded(seed, options)
        assert not isinstance(task, str)  # these worlds have no `random_tasks`
        start = self._place(options["start"], "start") if "start" in options else None
        drawn, chance = (int(self.np_random.integers(high)) for high in (5, 2**31))
        names = list(self.simulator.goals)
        number = drawn if task is None or task.name not in names else names.index(task.name)
        observation = self.simulator.reset(number, chance, start)
        goal = None if task is None or task.goal is None else self._place(task.goal, "goal")
        self._episode = Episode(task=task, observation=observation, place=goal)
        return observation.copy(), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Move for one control interval.

        Raises:
            ValueError: If the action is not the right number of finite numbers.
            FloatingPointError: If the simulation has become unstable.
        """
        given = box_action(self.name, action, self.world.actions)
        episode: Episode = self._open_episode()
        task, before = episode.task, episode.observation
        after = self.simulator.step(given)
        if not np.abs(after).max() < MOST:  # nor nan
            episode.over = True
            raise FloatingPointError(f"{self.name}: the simulation has become unstable")
        reward, reached = 0.0, False
        if task is not None:
            reward = float(task.relabel(before[None], given[None], after[None])[0])
        if episode.place is not None:
            count = self.world.reached(before[None], tuple(episode.place.tolist()))[0]
            reached = bool(count == self.world.things)
        terminated, truncated = self._count_step(reached, self.ends_at_goal)
        episode.observation = after
        return after.copy(), reward, terminated, truncated, self._info()

    def oracle_action(self) -> NDArray[np.float32]:
        """Return an action along the shortest way from cell to cell, in a point maze.

        Raises:
            NoOracle: In other worlds, and for tasks that are no goals.
        """
        episode = self._goal_episode("an oracle")
        here = episode.observation.astype(np.float64)
        there = self.simulator.theirs.get_oracle_subgoal(here, episode.place)[0]
        cell = self.simulator.theirs.xy_to_ij
        if cell(here) == cell(episode.place):
            there = episode.place
        return np.clip((there - here) / REACH, -1.0, 1.0).astype(np.float32)

    def straight_line_action(self, rng: np.random.Generator) -> NDArray[np.float32]:
        """Return the action of the baseline that ignores walls; `rng` is not used."""
        episode = self._goal_episode("a straight line")
        return np.clip((episode.place - episode.observation) / REACH, -1.0, 1.0).astype(np.float32)

    def _goal_episode(self, policy: str) -> Any:
        """Return the running episode, which must have a goal in a point maze."""
        episode: Episode = self._running()
        if not self.world.name.startswith("point") or episode.place is None:
            raise NoOracle(f"{self.name}: only goals in point mazes have {policy}")
        return episode

    def get_state(self) -> dict[str, Any]:
        """Return a snapshot of episode, simulator and generator."""
        return super().get_state() | {"physics": self.simulator.snapshot()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot; what follows is identical, any number of times."""
        super().set_state(state)
        self.simulator.restore(state["physics"])

    def _picture(self, episode: Episode) -> str:
        """Return the features in words."""
        found = self.features(episode.observation[None])
        return ", ".join(f"{name} {float(value[0]):.2f}" for name, value in found.items())

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles, which load a simulator of their own in the same state."""
        state = {name: value for name, value in vars(self).items() if name != "simulator"}
        return state if self._episode is None else state | {"_physics": self.simulator.snapshot()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if "_physics" in state:
            self.simulator.restore(vars(self).pop("_physics"))

    def _place(self, given: Any, what: str) -> Place:
        """Read a place, given as such or as an observation."""
        values = as_floats(given)
        size = len(self.world.columns)
        if values.shape == (self.world.observations,) and self.world.observations != size:
            numbers = range(size)
            values = np.array([self.world.coordinate(values[None], i)[0] for i in numbers])
        if values.size != size or not self.simulator.is_free(values.ravel()):
            kind = "a free point (x, y) of the maze"
            if not self.world.is_maze:
                kind = f"(x, y, z) on the table for each of {self.world.things} cubes"
            raise ValueError(
                f"{self.name}: {what} must be {kind}, or an observation there, got "
                f"{str(given)[:60]}"
            )
        return values.ravel()

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        return self._task_of(self._place(goal, "goal"), "goal")

    def _task_of(self, place: Place, name: str) -> Task:
        rounded = ", ".join(f"{number:.2f}" for number in place)
        text = f"Go to ({rounded})." if self.world.is_maze else f"Put the cubes at ({rounded})."
        reward = Reached(self.world, tuple(place.tolist()))
        return Task(name, text, reward, self.simulator.goal_observation(place))

    def _transitions(self) -> Batch:
        rng = np.random.default_rng(0)
        rows = rng.normal(0.0, 1.0, (2 * PROBES, self.world.observations)).astype(np.float32)
        actions = rng.uniform(-1.0, 1.0, (PROBES, self.world.actions)).astype(np.float32)
        return rows[:PROBES], actions, rows[PROBES:]
