"""The levels of the `minigrid` package as environments with any task.

See `levels.py` for the levels and what is left out, `state.py` for the numeric view, `text_view.py`
for the text view.
"""

import contextlib
import io
from typing import Any

import numpy as np

from zerogym.envs.control.core.env import DEFAULT
from zerogym.envs.control.minigrid.base import BaseMiniGridEnv, View
from zerogym.envs.control.minigrid.episode import package
from zerogym.envs.control.minigrid.levels import LEVELS, package_id
from zerogym.envs.registry import TASKS
from zerogym.errors import UnknownName

TARGET = "control.minigrid.minigrid_env:MiniGridEnv"  # in the registry


class MiniGridEnv(BaseMiniGridEnv):
    r"""Rooms, doors, keys and things to carry, with a mission in words, or any reward.

    Description:
        An agent turns, walks, carries one thing at a time, and opens doors, some with a key of
        their colour. Each episode draws a map and a mission, of the level's kind, by the `minigrid`
        package: to use a key and get to the goal (`DoorKey-6x6`), to find the key of a ball's room
        (`KeyCorridorS3R2`), or a sentence of the baby language (`BabyAI-GoToLocal`, ...). Physics
        and reward are apart: `env.unwrapped.tasks` holds rewards by name, any other can be given,
        and `env.unwrapped.events` holds events, for reward machines.

    Observation:
        `view="numeric"`: the whole state, float32 in [0, 1]: agent, thing in front, thing carried,
        doors, mission, time, then the grid (width, height, 3); `env.unwrapped.measures` names the
        parts. `view="partial"`: the 7x7x3 cells in the agent's view, scaled, then its direction
        one-hot, (151,); `env.unwrapped.state` is then the whole state, for relabelling.
        `view="text"`: the same cells in words, with the actions that would change something. The
        mission is not part of the numeric views but `info["mission"]`.

    Action:
        0 turn left, 1 turn right, 2 go forward, 3 pick up, 4 drop, 5 toggle (open or close a door
        or box), 6 wait. `view="text"`: a reply that names one of these in `<answer>...</answer>` or
        as its last line; any other counts as waiting and sets `info["void_turn"]`.

    Reward:
        That of the task for the transition. `mission`: 1 - 0.9 t / horizon, once, as published,
        with the level's own limit in place of the horizon; the other named tasks give 1 for each
        step that ends in their state. `task=None` is reward-free: 0.

    Episode end:
        Terminated when the mission is the task and accomplished or failed, and in lava, whatever
        the task. Else truncated after `horizon` steps. `info["success"]` (named tasks): the task
        has been done.

    Difficulty:
        The level.

    Arguments:
        level: Name of a level, as in the package, without `MiniGrid-` and version.
        task: None; `mission` (that of the episode); the name of a task; a
            `zerogym.envs.control.core.tasks.Task`; a function `reward(obs, action, next_obs) ->
            (B,)` or `reward(features, action) -> (B,)` of whole states; or a cell (x, y) to stand
            on.

        `reset(options=...)` may pin `level`, the seed of the package's generator, and `task` for
        one episode.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/MiniGrid-v0", task="mission", view="text")
        >>> for line in env.reset(options={"level": 3})[0].replace(". ", ".\n").splitlines()[:4]:
        ...     print(line)
        Use the key to open the door and then get to the goal.
        You see a wall 2 steps forward.
        You see a wall 2 steps left.
        You see a wall 1 step right.
        >>> env.step("I shall <answer>go forward</answer>")[4]["event"]
        'You go forward.'

    Source:
        "Minigrid & Miniworld" (2023, arXiv 2306.13831), "BabyAI" (2018, arXiv 1810.08272); texts
        after "Grounding Large Language Models in Interactive Environments with Online Reinforcement
        Learning" (2023, arXiv 2302.02662).
    """

    library = "minigrid"

    def __init__(
        self,
        level: str = "DoorKey-6x6",
        task: Any = DEFAULT,
        view: View = "numeric",
        horizon: int = 200,
        render_mode: str | None = None,
    ) -> None:
        if level not in tuple(LEVELS):
            raise UnknownName("level", level, list(LEVELS))
        self.level = level
        own_ids = {task.kwargs.get("level"): task.id for task in TASKS if task.target == TARGET}
        needed_by = own_ids.get(level, own_ids[None])  # the id that has this level, for the error
        pristine = package(package_id(level), needed_by, max_steps=10**9)
        super().__init__(pristine, LEVELS[level], task, view, horizon, render_mode)

    def _draw(self, world: Any, rng: np.random.Generator, level: Any) -> None:
        seed = int(rng.integers(2**31))  # always drawn: pinning does not shift later draws
        if level is not None:
            if isinstance(level, bool) or not isinstance(level, (int, np.integer)) or level < 0:
                raise ValueError(f"{self.name}: level must be a seed >= 0, got {str(level)[:60]!r}")
            seed = int(level)
        with contextlib.redirect_stdout(io.StringIO()):  # the package reports its failed draws
            world.reset(seed=seed)
