"""One episode of a MiniGrid environment: the package's environment and its encoded state.

The package moves the agent and verifies the mission. Its own view is computed only on request: it
would take two thirds of its time.
"""

from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.env import ControlEpisode
from zerogym.envs.control.minigrid.state import CELL_SCALE, COLORS, KINDS, vector_of
from zerogym.envs.control.minigrid.text_view import WAIT, admissible, admissible_text, view_text
from zerogym.errors import require


@dataclass(kw_only=True)
class Episode(ControlEpisode):
    """The state of an episode.

    Attributes:
        world: The package's environment.
        horizon: Steps in the episode.
        grid: Its encoded grid.
        state: The whole state as a vector.
        solved: True once the package has reported success of the mission.
        failed: True once it has reported failure.
        plan: The remaining actions of the oracle; None before its first call.
    """

    world: Any
    horizon: int
    grid: NDArray[np.uint8]
    state: NDArray[np.float32]
    solved: bool = False
    failed: bool = False
    plan: list[int] | None = None

    @classmethod
    def begin(cls, world: Any, horizon: int) -> "Episode":
        """Return the episode of a world that has just been reset."""
        none = np.zeros(0, dtype=np.float32)
        episode = cls(task=None, world=world, horizon=horizon, grid=world.grid.encode(), state=none)
        episode.state = episode._vector(0)
        return episode

    @property
    def carried(self) -> tuple[int, int]:
        """Kind and colour of the carried thing; (0, 0) is nothing."""
        thing = self.world.carrying
        return (0, 0) if thing is None else (KINDS.index(thing.type), COLORS.index(thing.color))

    @property
    def on(self) -> str:
        """Kind of the cell under the agent."""
        x, y = self.world.agent_pos
        return KINDS[self.grid[int(x), int(y), 0]]

    def advance(self, move: int) -> None:
        """Do an action in the package, and update the state."""
        front = self._front()
        _, reward, ended, _, _ = self.world.step(move)
        if ended and not (self.solved or self.failed):
            self.solved, self.failed = bool(reward > 0), bool(reward <= 0)
        thing = self.world.grid.get(*front)  # nothing else in the grid can have changed
        self.grid[front] = (KINDS.index("empty"), 0, 0) if thing is None else thing.encode()
        self.state = self._vector(self.turn + 1)
        if self.plan is not None:  # another action makes the plan void
            follows = (self.plan[0] if self.plan else WAIT) == move
            self.plan = self.plan[1:] if follows else None

    def admissible(self) -> list[int]:
        """Return the actions that would change something now."""
        kind, color, state = (int(n) for n in self.grid[self._front()])
        return admissible((kind, color, state), self.carried)

    def partial_view(self) -> NDArray[np.float32]:
        """Return the agent's view, scaled to [0, 1], then its direction one-hot."""
        facing = np.arange(4) == self.world.agent_dir
        return np.concatenate([(self._image() / CELL_SCALE).ravel(), facing]).astype(np.float32)

    def words(self) -> str:
        """Return the agent's view and its admissible actions in words."""
        thing = self.world.carrying
        carried = "" if thing is None else f"{thing.color} {thing.type}"
        return f"{view_text(self._image(), carried)} {admissible_text(self.admissible())}"

    def _image(self) -> NDArray[np.uint8]:
        image: NDArray[np.uint8] = type(self.world).gen_obs(self.world)["image"]
        return image

    def _front(self) -> tuple[int, int]:
        x, y = self.world.front_pos
        return int(x), int(y)

    def _vector(self, turn: int) -> NDArray[np.float32]:
        x, y = self.world.agent_pos
        place, facing = (int(x), int(y)), int(self.world.agent_dir)
        ends = self.solved, self.failed, turn / self.horizon
        return vector_of(self.grid, place, facing, self.carried, *ends)


def package(id: str, needed_by: str, **arguments: Any) -> Any:
    """Return an environment of the `minigrid` package, without wrappers and without its own view.

    Args:
        id: The package's id.
        needed_by: Name of our environment, for the error if the package is not installed.
        **arguments: Arguments of the environment.
    """
    require("minigrid", "control", needed_by)  # registers its ids
    world: Any = gym.make(id, disable_env_checker=True, **arguments).unwrapped
    world.gen_obs = dict  # its own view is never used
    return world
