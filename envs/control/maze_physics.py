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
_CLEARANCE = 0.015625  # how far from a wall's end the way keeps: more than rounding

Floats = NDArray[np.float64]
Positions = NDArray[np.float32]

_ALONG_X: Floats = np.array(WALLS)  # (K, 4): from, to along the axis, then across it
_ALONG_Y: Floats = _ALONG_X[:, [2, 3, 0, 1]]


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
    x = _slide(x, y, shift[:, 0], _ALONG_X)
    y = _slide(y, x, shift[:, 1], _ALONG_Y)
    return np.stack([x, y], axis=1).astype(np.float32)


def _slide(along: Floats, across: Floats, shift: Floats, walls: Floats) -> Floats:
    """One axis: go by `shift`, stop at the first face; all (B,), walls (K, 4)."""
    low, high, side_low, side_high = walls.T  # (K,) each
    here, beside = along[:, None], across[:, None]  # (B, 1)
    in_the_way = (beside > side_low) & (beside < side_high)  # (B, K)
    ahead = np.where(in_the_way & (here <= low), low, SIZE).min(axis=1)  # (B,)
    behind = np.where(in_the_way & (here >= high), high, 0.0).max(axis=1)  # (B,)
    return np.minimum(np.maximum(along + shift, behind), ahead)


def is_free(positions: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether positions (B, 2) lie in the square and in no wall; faces are free. Shape (B,)."""
    x, y = np.asarray(positions, dtype=np.float64).T
    free = (x >= 0) & (x <= SIZE) & (y >= 0) & (y <= SIZE)
    for x0, x1, y0, y1 in WALLS:
        free &= ~((x > x0) & (x < x1) & (y > y0) & (y < y1))
    return free


def waypoint(position: NDArray[Any], goal: NDArray[Any]) -> Floats:
    """Where to steer from `position` so as to come round the walls to `goal`; all (2,).

    The way leads to the end of the next wall. Along x it points at the goal all the time: a wall
    in between stops the point, which slides along it to its end.
    """
    x, y = float(position[0]), float(position[1])
    rightwards = float(goal[0]) > x
    for x0, x1, y0, y1 in WALLS if rightwards else WALLS[::-1]:
        near, far = (x0, x1) if rightwards else (x1, x0)
        passed = x >= far if rightwards else x <= far
        short = goal[0] <= near if rightwards else goal[0] >= near
        if passed or short:
            continue
        opens_above = y0 < 0
        beside = y >= y1 if opens_above else y <= y0
        if not (beside and x0 < goal[0] < x1):
            return np.array([goal[0], y1 + _CLEARANCE if opens_above else y0 - _CLEARANCE])
    return np.array(goal, dtype=np.float64)


def steer(position: NDArray[Any], target: NDArray[Any]) -> NDArray[np.float32]:
    """The action (2,) straight towards a point, as fast as each axis allows."""
    away = np.asarray(target, dtype=np.float64) - position
    return np.clip(away / STEP, -1.0, 1.0).astype(np.float32)
