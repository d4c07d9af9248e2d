"""The whole state of a MiniGrid world as one vector, and what can be read from it.

Rewards, events and relabelling need the whole state: the package's own view shows the agent a
7x7 part of the grid, in which neither its place nor the fate of its mission can be seen. So the
vector holds, besides the grid, the agent, what is in front of it, what it carries, how many doors
are open or locked, the time, and what the package's verifier has said of the mission, which may
depend on the past ("go to the ball, then open a door"). Left out: what is hidden in boxes, and
that memory of the verifier.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace

# The package's numbers of types, colours and states of doors (a test compares them).
KINDS = (
    "unseen", "empty", "wall", "floor", "door", "key", "ball", "box", "goal", "lava", "agent",
)  # fmt: skip
COLORS = ("red", "green", "blue", "purple", "yellow", "grey")
DOOR_STATES = ("open", "closed", "locked")
MOVABLE = ("key", "ball", "box")
DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0, -1))  # (x, y): right, down, left, up
DOOR = KINDS.index("door")
MOST_DOORS = 32.0  # of a world; more than any level has

FACES = ("faces_right", "faces_down", "faces_left", "faces_up")
HEAD = (
    "x", "y", *FACES, "front", "front_color", "front_state", "carried", "carried_color", "on",
    "open_doors", "locked_doors", "solved", "failed", "time",
)  # fmt: skip
CELL_SCALE = np.array([10.0, 5.0, 2.0])  # the largest kind, colour and state
_SCALES = {
    "front": 10, "front_color": 5, "front_state": 2, "carried": 10, "carried_color": 5, "on": 10,
    "open_doors": MOST_DOORS, "locked_doors": MOST_DOORS,
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """One number of the vectors, in its own unit again; whole numbers are exact."""

    index: int
    scale: float
    whole: bool = True

    def __call__(self, observations: Array) -> Array:
        value = observations[..., self.index] * self.scale
        return namespace(value).round(value) if self.whole else value


@dataclass
class Situation:
    """What is not in the grid.

    Attributes:
        place: (x, y) of the agent, from the top left.
        facing: An index of `DIRECTIONS`.
        carried: Kind and colour as the package's numbers; (0, 0) is nothing.
        solved: The mission has been accomplished.
        failed: It has been missed, for good.
        time: Share of the horizon that is over.
    """

    place: tuple[int, int]
    facing: int
    carried: tuple[int, int]
    solved: bool
    failed: bool
    time: float


def measures_of(width: int, height: int) -> Mapping[str, Column]:
    """What can be measured of vectors of a world of this size: `HEAD` by name."""
    scales = {"x": width - 1, "y": height - 1} | _SCALES
    return {
        name: Column(index, float(scales.get(name, 1)), name != "time")
        for index, name in enumerate(HEAD)
    }


def reading_of(vector: NDArray[np.float32], scales: NDArray[np.float64]) -> dict[str, np.int64]:
    """One state's whole quantities by name, faster than by `Features`.

    Args:
        vector: The state.
        scales: Those of the columns, in the order of `HEAD`.
    """
    numbers = (vector[: len(HEAD)] * scales).round().astype(np.int64)
    return dict(zip(HEAD, numbers, strict=True))


def size_of(width: int, height: int) -> int:
    """Length of the vectors."""
    return len(HEAD) + 3 * width * height


def vector_of(grid: NDArray[np.uint8], now: Situation) -> NDArray[np.float32]:
    """The state as a vector in [0, 1].

    Args:
        grid: (width, height, 3) kinds, colours and states, the package's encoding.
        now: The rest.
    """
    width, height = grid.shape[:2]
    (x, y), (dx, dy) = now.place, DIRECTIONS[now.facing]
    doors = grid[:, :, 2][grid[:, :, 0] == DOOR].tolist()
    front, color, state = grid[x + dx, y + dy].tolist()
    head: list[Any] = [
        x / (width - 1), y / (height - 1), *(float(now.facing == i) for i in range(4)),
        front / 10, color / 5, state / 2, now.carried[0] / 10, now.carried[1] / 5,
        grid[x, y, 0] / 10, doors.count(0) / MOST_DOORS, doors.count(2) / MOST_DOORS,
        now.solved, now.failed, now.time,
    ]  # fmt: skip
    vector = np.empty(size_of(width, height), dtype=np.float32)
    vector[: len(HEAD)] = head
    vector[len(HEAD) :] = (grid / CELL_SCALE).ravel()
    return vector
