"""Shortest ways of a ball among walls that are boxes: round their corners.

The shortest way between two points among polygons leads from corner to corner (a visibility graph,
"An Algorithm for Planning Collision-Free Paths Among Polyhedral Obstacles", 1979). Boxes stand for
the walls widened by the ball's radius; corners are taken a little outside of them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Floats

Box = tuple[float, float, float, float]  # x0, x1, y0, y1


@dataclass(frozen=True)
class Boxes:
    """Walls in a square.

    Attributes:
        boxes: Obstacles for the centre of the ball.
        side: Half the side of the square in which the centre of the ball is.
        clearance: Distance from the boxes at which corners are passed, m.
    """

    boxes: tuple[Box, ...]
    side: float
    clearance: float

    def is_free(self, place: Floats) -> bool:
        """Return whether the centre of the ball can be at a place (2,)."""
        x, y = place
        walled = any(x0 < x < x1 and y0 < y < y1 for x0, x1, y0, y1 in self.boxes)
        return not walled and bool(np.abs(place).max() <= self.side)

    @cached_property
    def corners(self) -> Floats:
        """The turning points of all ways; (C, 2)."""
        away = self.clearance
        points = [
            (x, y)
            for x0, x1, y0, y1 in self.boxes
            for x in (x0 - away, x1 + away)
            for y in (y0 - away, y1 + away)
        ]
        return np.array([point for point in points if self.is_free(np.array(point))])

    @cached_property
    def between(self) -> Floats:
        """Lengths of the shortest ways between the corners; (C, C)."""
        lengths = np.stack([self._sight(corner, self.corners) for corner in self.corners])
        for middle in range(len(lengths)):
            lengths = np.minimum(lengths, lengths[:, middle, None] + lengths[None, middle])
        return lengths

    def next_point(self, place: Floats, goal: Floats) -> Floats:
        """Return the next turning point of the shortest way to the goal; (2,)."""
        if np.isfinite(self._sight(place, goal[None])[0]):
            return goal
        rest = (self.between + self._sight(goal, self.corners)).min(axis=1)
        lengths = self._sight(place, self.corners) + rest
        best: Floats = self.corners[int(lengths.argmin())]
        return best

    def _sight(self, place: Floats, points: Floats) -> Floats:
        """Return distances from a place to points (P, 2); infinite where a box is in between."""
        lengths = np.linalg.norm(points - place, axis=1)
        for box in self.boxes:
            lengths = np.where(_crosses(place, points, box), np.inf, lengths)
        return lengths


def _crosses(place: Floats, points: Floats, box: Box) -> NDArray[np.bool_]:
    """Return whether the lines from a place to points (P, 2) cross a box; (P,)."""
    enter, leave = np.zeros(len(points)), np.ones(len(points))
    for axis, (low, high) in enumerate((box[:2], box[2:])):
        along = points[:, axis] - place[axis]
        still = along == 0
        step = np.where(still, 1.0, along)
        first, last = (low - place[axis]) / step, (high - place[axis]) / step
        inside = low < place[axis] < high
        enter = np.maximum(enter, np.where(still, 0.0 if inside else 2.0, np.minimum(first, last)))
        leave = np.minimum(leave, np.where(still, 1.0, np.maximum(first, last)))
    crosses: NDArray[np.bool_] = enter < leave
    return crosses
