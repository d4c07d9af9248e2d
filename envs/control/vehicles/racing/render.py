"""Pictures of the ring from above, in NumPy alone."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Floats
from zerogym.envs.control.core.canvas import GROUND, MARK, PIXELS, Stroke, picture
from zerogym.envs.control.vehicles.integration import Numbers
from zerogym.envs.control.vehicles.racing.physics import (
    LENGTH,
    RIVALS,
    ROAD,
    START,
    RingRules,
    direction,
)

PIECES = 48  # of the road
VIEW = 62.0  # m from the middle of the picture to its edges
LINE, CAR, OTHER = (245, 245, 245), (200, 40, 40), (40, 60, 110)
SIZE = 3.2  # m, of a car: enlarged, to be visible


def bird_view(
    rules: RingRules, state: Floats, context: Numbers, goal: Floats | None
) -> NDArray[np.uint8]:
    """Draw the ring, the car red, the others blue, the line at the start and the goal green.

    Args:
        rules: The physics.
        state: Of the episode; (S,).
        context: Its constants.
        goal: Laps ahead of the start and metres to the left; None if there is none.
    """
    road = tuple(state[ROAD].tolist())
    image = _road(road, float(context["width"]), float(state[START])).copy()
    lanes = state[RIVALS + rules.rivals :] * context["width"] / 4
    others = state[RIVALS : RIVALS + rules.rivals]
    cars = [(along, lane, OTHER) for along, lane in zip(others, lanes, strict=True)]
    if goal is not None:
        cars.insert(0, (state[START] + LENGTH * goal[0], goal[1], MARK))
    for along, across, colour in [*cars, (state[0], state[1], CAR)]:
        x, y = _place(road, float(along), float(across))
        row, column = ((VIEW - y) * PIXELS / (2 * VIEW), (x + VIEW) * PIXELS / (2 * VIEW))
        reach = SIZE * PIXELS / (4 * VIEW)
        up, side = (
            slice(max(0, int(c - reach)), max(0, int(c + reach) + 1)) for c in (row, column)
        )
        image[up, side] = colour
    return image


@lru_cache(maxsize=32)
def _road(road: tuple[float, ...], width: float, begins: float) -> NDArray[np.uint8]:
    """Draw the empty road, with its centre line and where the episode begins."""
    line = [(float(x), float(y)) for x, y in _centre(road)[:: len(_centre(road)) // PIECES]]
    closed = (*line, line[0])
    start = (_place(road, begins, -width / 2), _place(road, begins, width / 2))
    return picture(
        [Stroke(closed, width, GROUND), Stroke(closed, 0.5, LINE), Stroke(start, 1.0, MARK)], VIEW
    )


@lru_cache(maxsize=32)
def _centre(road: tuple[float, ...]) -> Floats:
    """Return the centre line in steps of 0.25 m; (P, 2) with the mean at the origin."""
    step = 0.25
    middles = np.arange(step / 2, LENGTH, step)
    heading = direction(middles, np.array(road))
    moves = step * np.stack([np.cos(heading), np.sin(heading)], axis=1)
    points = np.concatenate([np.zeros((1, 2)), np.cumsum(moves, axis=0)])[:-1]
    centred: Floats = points - points.mean(axis=0)
    return centred


def _place(road: tuple[float, ...], along: float, across: float) -> tuple[float, float]:
    """Return x and y of a place along and across the road."""
    line, here = _centre(road), along % LENGTH
    x, y = line[int(here / LENGTH * len(line)) % len(line)]
    heading = float(direction(np.array([here]), np.array(road))[0])
    return float(x - across * np.sin(heading)), float(y + across * np.cos(heading))
