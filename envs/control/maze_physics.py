"""A point in a square with two walls: the motion, and the way round the walls.

Everything is exact in float32: wall faces are multiples of 1/8, and rounding cannot carry a
position across a face that is itself a float32 number.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

SIZE = 3.0  # side of the square; positions are (x, y) in [0, SIZE]
STEP = 0.2  # distance that an action of 1 covers along an axis
# (x from, x to, y from, y to). Openings at opposite ends, narrow, so that the straight line fails.
# The other end lies outside the square: a wall that ended on the border would let one pass there.
WALLS = ((0.875, 1.125, -1.0, 2.5), (1.875, 2.125, 0.5, SIZE + 1.0))
_CLEARANCE = 0.0625  # how far from a wall's end the waypoints keep

Positions = NDArray[np.float32]


def move(positions: NDArray[Any], actions: NDArray[Any]) -> Positions:
    """Where actions lead: along x, then along y, each until the first wall.

    Both legs are swept, so no action passes through a wall; what is left of it slides along.

    Args:
        positions: (B, 2) free positions.
        actions: (B, 2) in [-1, 1], in units of `STEP`.

    Returns:
        (B, 2) float32.
    """
    start = np.asarray(positions, dtype=np.float64)
    shift = STEP * np.asarray(actions, dtype=np.float64)
    x, y = start[:, 0], start[:, 1]  # (B,)
    x = _slide(x, y, shift[:, 0], [(x0, x1, y0, y1) for x0, x1, y0, y1 in WALLS])
    # Rounded before the second leg, so that both legs see the x that is returned.
    x = x.astype(np.float32).astype(np.float64)
    y = _slide(y, x, shift[:, 1], [(y0, y1, x0, x1) for x0, x1, y0, y1 in WALLS])
    return np.stack([x, y], axis=1).astype(np.float32)


def _slide(
    along: NDArray[np.float64],
    across: NDArray[np.float64],
    shift: NDArray[np.float64],
    walls: list[tuple[float, float, float, float]],
) -> NDArray[np.float64]:
    """One axis: go by `shift`, stop at the first face. Walls: (from, to) along, then across."""
    target = np.clip(along + shift, 0.0, SIZE)  # (B,)
    for low, high, side_low, side_high in walls:
        in_the_way = (across > side_low) & (across < side_high)
        target = np.where(in_the_way & (along <= low) & (target > low), low, target)
        target = np.where(in_the_way & (along >= high) & (target < high), high, target)
    return target


def is_free(positions: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether positions (B, 2) lie in the square and in no wall; faces are free. Shape (B,)."""
    x, y = np.asarray(positions, dtype=np.float64).T
    free = (x >= 0) & (x <= SIZE) & (y >= 0) & (y <= SIZE)
    for x0, x1, y0, y1 in WALLS:
        free &= ~((x > x0) & (x < x1) & (y > y0) & (y < y1))
    return free


def waypoint(position: NDArray[Any], goal: NDArray[Any]) -> NDArray[np.float64]:
    """The next point on the way round the walls, in a straight line from `position`; both (2,)."""
    x, y = float(position[0]), float(position[1])
    rightwards = float(goal[0]) > x
    for x0, x1, y0, y1 in WALLS if rightwards else WALLS[::-1]:
        near, far = (x0, x1) if rightwards else (x1, x0)
        passed = x >= far if rightwards else x <= far
        short = goal[0] <= near if rightwards else goal[0] >= near
        if passed or short:
            continue
        opens_above = y0 < 0
        end = y1 + _CLEARANCE if opens_above else y0 - _CLEARANCE
        if not (y >= y1 if opens_above else y <= y0):
            return np.array((near, end))
        return np.array(goal if x0 < goal[0] < x1 else (far, end), dtype=np.float64)
    return np.array(goal, dtype=np.float64)


def steer(position: NDArray[Any], target: NDArray[Any]) -> NDArray[np.float32]:
    """The action (2,) straight towards a point, as fast as each axis allows."""
    away = np.asarray(target, dtype=np.float64) - position
    return np.clip(away / STEP, -1.0, 1.0).astype(np.float32)
