"""The whole state of a MiniGrid world as one vector, and its named features.

Rewards, events and relabelling need the whole state: the package's own view shows the agent a
7x7 part of the grid, without its place and the status of its mission. The vector holds, besides the
grid, the agent, the cell in front of it, the carried thing, the numbers of open and locked doors,
the time, and the verdict of the package's verifier on the mission, which may depend on the past
("go to the ball, then open a door"). Left out: contents of boxes, and the state of the verifier.
"""

from collections.abc import Mapping
from dataclasses import dataclass

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
MAX_DOORS = 32.0  # of a world; more than any level has

FACES = ("faces_right", "faces_down", "faces_left", "faces_up")
HEAD = (
    "x", "y", *FACES, "front", "front_color", "front_state", "carried", "carried_color", "on",
    "open_doors", "locked_doors", "solved", "failed", "time",
)  # fmt: skip
CELL_SCALE = np.array([10.0, 5.0, 2.0])  # the largest kind, colour and state
_SCALES = {
    "front": 10, "front_color": 5, "front_state": 2, "carried": 10, "carried_color": 5, "on": 10,
    "open_doors": MAX_DOORS, "locked_doors": MAX_DOORS,
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """One number of the vectors, in its own unit; whole numbers are exact."""

    index: int
    scale: float
    whole: bool = True

    def __call__(self, observations: Array) -> Array:
        value = observations[..., self.index] * self.scale
        return namespace(value).round(value) if self.whole else value


def measures_of(width: int, height: int) -> Mapping[str, Column]:
    """Return the features of vectors of a world of this size: `HEAD` by name."""
    scales = {"x": width - 1, "y": height - 1} | _SCALES
    return {
        name: Column(index, float(scales.get(name, 1)), name != "time")
        for index, name in enumerate(HEAD)
    }


def reading_of(vector: NDArray[np.float32], scales: NDArray[np.float64]) -> dict[str, np.int64]:
    """Return the integer features of one state by name, faster than by `Features`.

    Args:
        vector: The state.
        scales: Scales of the columns, in the order of `HEAD`.
    """
    numbers = (vector[: len(HEAD)] * scales).round().astype(np.int64)
    return dict(zip(HEAD, numbers, strict=True))


def size_of(width: int, height: int) -> int:
    """Return the length of the vectors."""
    return len(HEAD) + 3 * width * height


def vector_of(
    grid: NDArray[np.uint8],
    place: tuple[int, int],
    facing: int,
    carried: tuple[int, int],
    solved: bool,
    failed: bool,
    time: float,
) -> NDArray[np.float32]:
    """Return the state as a vector in [0, 1].

    Args:
        grid: (width, height, 3) kinds, colours and states, the package's encoding.
        place: (x, y) of the agent, from the top left.
        facing: An index of `DIRECTIONS`.
        carried: Kind and colour as the package's numbers; (0, 0) is nothing.
        solved: True if the mission has been accomplished.
        failed: True if it has failed for good.
        time: Share of the horizon that is over.
    """
    width, height = grid.shape[:2]
    (x, y), (dx, dy) = place, DIRECTIONS[facing]
    doors = grid[:, :, 2][grid[:, :, 0] == DOOR].tolist()
    front, color, state = grid[x + dx, y + dy].tolist()
    head = [
        x / (width - 1), y / (height - 1), *(float(facing == i) for i in range(4)),
        front / 10, color / 5, state / 2, carried[0] / 10, carried[1] / 5,
        grid[x, y, 0] / 10, doors.count(0) / MAX_DOORS, doors.count(2) / MAX_DOORS,
        solved, failed, time,
    ]  # fmt: skip
    vector = np.empty(size_of(width, height), dtype=np.float32)
    vector[: len(HEAD)] = head
    vector[len(HEAD) :] = (grid / CELL_SCALE).ravel()
    return vector
