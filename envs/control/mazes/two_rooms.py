"""Two rooms, a wall between them, and a door whose place is a context: the environment of "PLDM".

After "Learning from Reward-Free Offline Data: A Case for Planning with Latent Dynamics Models"
(2025, arXiv 2502.14819); sizes are those of the code published with it. Differences, all ours: the
point slides along walls (theirs stops, with noise), actions are in [-1, 1], an episode goes on at
the goal, and y points up in the picture. In both, the door is fixed during an episode and may
move between episodes. Left out: their offline datasets.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.contexts import Constant, complete_context
from zerogym.envs.control.core.discrete_actions import check_view
from zerogym.envs.control.core.env import DEFAULT, RESET_OPTIONS
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.mazes.base import COORDINATES, Place
from zerogym.envs.control.mazes.physics import Maze
from zerogym.envs.control.mazes.tasks import goal_task
from zerogym.envs.control.mazes.text_view import TextMazeEnv

View = Literal["numeric", "text", "image"]

PIXELS = 64
LOW, HIGH = 4.5, 58.5  # the rooms; pixels 4 and 59 of both axes are the border
HALF_WALL, HALF_DOOR = 1.5, 4.5
STEP = 2.45  # the longest step of their action space
GOAL_RADIUS = 2**0.5  # theirs: the mean of the squared differences along x and y is below 1
DOT = 1.3  # standard deviation of the dot in the picture
CROSS = "cross"

CONSTANTS: Mapping[str, Constant] = MappingProxyType(
    {
        "door": Constant(10.0, 10.0, 53.0, "y of the middle of the door, pixels", (10.0, 40.0)),
        "wall": Constant(32.0, 20.0, 43.0, "x of the middle of the wall, pixels", (20.0, 37.0)),
    }
)


@dataclass(frozen=True)
class Rooms(Maze):
    """The two rooms of one context."""

    door: float = CONSTANTS["door"].default
    wall: float = CONSTANTS["wall"].default


class TwoRoomsEnv(TextMazeEnv):
    """Two rooms with a door that may be anywhere.

    Description:
        A point moves in a square with a wall across, which has one door. It slides along walls and
        never passes them. Lengths are pixels of the 64 x 64 picture; the rooms are
        [4.5, 58.5] x [4.5, 58.5], the wall is 3 thick, the door 9 wide. `door` and `wall` are the
        constants of the context: agents trained with some doors can be evaluated with others.

    Observation:
        `view="numeric"`: the position (x, y), float32 (2,); the door is hidden. `view="image"`:
        uint8 (2, 64, 64), the point as a dot of standard deviation 1.3 and the walls, y upwards;
        `env.unwrapped.images(positions)` draws stored positions or a goal. `view="text"`: at the
        start the task, the place, the distances to the next wall or border in four directions, and
        the unit of a step; later place and distances only.

    Action:
        float32 (2,) in [-1, 1]: the distance along x and y, in units of 2.45; larger values are
        clipped. `view="text"`: a reply with the two numbers, such as 0.5 -1, in
        `<answer>...</answer>` or as its last line; any other counts as staying and sets
        `info["void_turn"]`.

    Reward:
        That of the task, in [0, 1] for goals: 1 within 1.41 of the goal, 0.1 at twice that.
        `task=None` is reward-free: 0. Rewards are functions of positions in all views;
        `info["position"]` has them where the observation is an image or a text. Features for
        rewards of `(features, action)`: `x` and `y`.

    Episode end:
        Truncated after `horizon` steps, never terminated: rewards go on at the goal.
        `info["success"]` (goal tasks): the point has been within 1.41 of the goal.

    Difficulty:
        The door: the farther it is from the straight line, the longer the path. In half of the
        episodes of `task="cross"` or more the straight line fails.

    Arguments:
        task: None; the name of a task; `cross` (each episode draws a start in one room and a goal
            in the other, as in the paper); a `zerogym.envs.control.core.tasks.Task`; a function
            `reward(obs, action, next_obs) -> (B,)` of batches of positions (B, 2), or
            `reward(features, action) -> (B,)`; or a goal (x, y).
        view: `numeric`, `text` or `image`.
        context: Places of `door` (10 to 53) and `wall` (20 to 43); defaults as in the
            paper: 10 and 32.

        `reset(options=...)` may pin `start` (x, y), `task` and `context` for one episode; else the
        start is drawn uniformly from both rooms.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/TwoRooms-v0", task="goal_right", context={"door": 45})
        >>> obs, info = env.reset(seed=0, options={"start": (30, 20)})
        >>> obs, reward, terminated, truncated, info = env.step([1.0, 0.5])  # the wall stops it
        >>> print(obs, round(reward, 3), info["success"])
        [30.5   21.225] 0.0 False

    Source:
        "Learning from Reward-Free Offline Data: A Case for Planning with Latent Dynamics Models"
        (2025, arXiv 2502.14819).
    """

    default_task = "cross"
    views: ClassVar[tuple[str, ...]] = get_args(View)
    random_tasks = (CROSS,)
    reset_options = (*RESET_OPTIONS, "context")
    constants: Mapping[str, Constant] = CONSTANTS

    def __init__(
        self,
        task: Any = DEFAULT,
        view: View = "numeric",
        context: Mapping[str, float] | None = None,
        horizon: int = 200,
        render_mode: str | None = None,
    ) -> None:
        check_view(view, self.views)
        rooms = two_rooms(**complete_context(CONSTANTS, context, self.name))
        super().__init__(view, rooms, task, horizon, render_mode)
        if view == "image":
            self.observation_space = spaces.Box(0, 255, (2, PIXELS, PIXELS), np.uint8)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """Six goals, free for every place of the wall."""
        return TASKS

    @property
    def measures(self) -> Measures:
        """`x` and `y` of positions (B, 2)."""
        return COORDINATES

    @property
    def context(self) -> dict[str, float]:
        """The places of door and wall in this episode, or in the next."""
        rooms = self.maze
        assert isinstance(rooms, Rooms)
        return {"door": rooms.door, "wall": rooms.wall}

    def images(self, positions: NDArray[Any]) -> NDArray[np.uint8]:
        """Return the image view of positions (B, 2) in the present context; (B, 2, 64, 64)."""
        x, y = np.asarray(positions, dtype=np.float64).T[:, :, None]  # (B, 1) each
        pixels = np.arange(PIXELS)
        across, upwards = (np.exp(-((pixels - at) ** 2) / (2 * DOT**2)) for at in (x, y))
        dots = 255 * upwards[:, ::-1, None] * across[:, None, :]  # (B, 64, 64)
        walls = np.broadcast_to(wall_picture(self.maze), dots.shape)
        return np.stack([dots, walls], axis=1).astype(np.uint8)

    def _settle_in(self, context: Mapping[str, float]) -> None:
        self._maze = two_rooms(**{**self.context, **context})

    def _maze_of(self, options: dict[str, Any]) -> Maze:
        if "context" not in options:
            return self._maze
        return two_rooms(**complete_context(CONSTANTS, options["context"], self.name))

    def _observation(self) -> Any:
        position = super()._observation()
        return self.images(position[None])[0] if self.view == "image" else position

    def _info(self) -> dict[str, Any]:
        info = super()._info()
        return info | {"position": super()._observation()} if self.view == "image" else info

    def _draw_pair(self, maze: Maze) -> tuple[Place, Place]:
        """Draw a place in each room, in either order."""
        left, right = maze.walls[0][:2]
        places = self.np_random.uniform((LOW, LOW, right, LOW), (left, HIGH, HIGH, HIGH))
        one, other = places.astype(np.float32).reshape(2, 2)
        return (one, other) if self.np_random.random() < 0.5 else (other, one)


@lru_cache(maxsize=256)
def two_rooms(door: float, wall: float) -> Rooms:
    """Return the rooms of a context."""
    left, right, below, above = np.array(
        [wall - HALF_WALL, wall + HALF_WALL, door - HALF_DOOR, door + HALF_DOOR], dtype=np.float32
    ).tolist()
    walls = ((left, right, LOW - 1, below), (left, right, above, HIGH + 1))
    return Rooms("two rooms", walls, HIGH, LOW, STEP, GOAL_RADIUS, door, wall)


@lru_cache(maxsize=256)
def wall_picture(maze: Maze) -> NDArray[np.uint8]:
    """Return the walls as 255, y upwards; pixels whose centre is in a wall. (64, 64)."""
    x, y = np.meshgrid(np.arange(PIXELS), np.arange(PIXELS)[::-1])  # (64, 64) each
    picture = np.zeros((PIXELS, PIXELS), dtype=np.uint8)
    for x0, x1, y0, y1 in maze.walls:
        picture[(x > x0) & (x < x1) & (y > y0) & (y < y1)] = 255
    for line in (int(LOW), PIXELS - 1 - int(LOW)):
        picture[line, :] = picture[:, line] = 255
    return picture


TASKS: Mapping[str, Task] = MappingProxyType(
    {
        name: goal_task((x, y), name, GOAL_RADIUS)
        for side, x in {"left": 11.0, "right": 52.0}.items()
        for row, y in {"bottom": 12.0, "": 31.5, "top": 51.0}.items()
        for name in ["_".join(filter(None, ("goal", side, row)))]
    }
)
