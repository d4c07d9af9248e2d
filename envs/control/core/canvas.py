"""Pictures made of thick lines on a white square, in NumPy alone."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

PIXELS = 240
PAPER, GROUND = (255, 255, 255), (150, 150, 150)
BODY, ROD, MARK = (40, 60, 110), (200, 120, 60), (60, 160, 90)
Point = tuple[float, float]


@dataclass(frozen=True)
class Stroke:
    """A line from point to point, with round ends; metres, y upwards.

    Attributes:
        points: At least one; one is a disc.
        width: Of the line.
        colour: Red, green, blue.
    """

    points: tuple[Point, ...]
    width: float
    colour: tuple[int, int, int]


def picture(strokes: list[Stroke], half: float) -> NDArray[np.uint8]:
    """Draw the square from (-half, -half) to (half, half), later strokes on top; (H, W, 3)."""
    image = np.full((PIXELS, PIXELS, 3), PAPER, dtype=np.uint8)
    raster = half * _raster()
    for stroke in strokes:
        points = np.array(stroke.points)
        ends = points[1:] if len(points) > 1 else points
        for start, end in zip(points, ends, strict=False):
            image[segment_distance(raster, start, end) <= stroke.width / 2] = stroke.colour
    return image


def segment_distance(
    points: NDArray[np.float64], start: NDArray[np.float64], end: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the distances of points (H, W, 2) from the line between two points; (H, W)."""
    along = end - start
    length = float(along @ along)
    share = np.clip((points - start) @ along / length, 0.0, 1.0) if length > 0 else 0.0
    nearest = start + np.multiply.outer(share, along)
    away: NDArray[np.float64] = np.sqrt(((points - nearest) ** 2).sum(axis=-1))
    return away


@cache
def _raster() -> NDArray[np.float64]:
    """Return the midpoints of the pixels in [-1, 1], top line first; (H, W, 2)."""
    axis = (np.arange(PIXELS) + 0.5) * 2 / PIXELS - 1
    return np.stack(np.meshgrid(axis, -axis), axis=-1)
