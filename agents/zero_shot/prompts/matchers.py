"""Nearest states by pictures: the position of the mover, whatever its style.

A picture becomes its foreground (what differs from the median of the pictures of its own style),
blurred on a coarse grid and scaled to length 1. Colours, line widths, backgrounds, sizes in pixels
and the shape of the mover are lost, and its position remains. A simple replacement of the image
model of RLZero (arXiv 2412.05718). Left out: another camera; pictures must show the same part of
the environment from the same side. Frames in words are for `captions.py`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerogym.agents.zero_shot.prompts.imagination import NoMatch

CELLS = 24  # of the coarse grid, a side
BLUR = 0.06  # standard deviation, of the side
PRESENT = 0.5  # of the largest difference in a picture: above it is foreground
FEWEST = 3  # different pictures; of two, the median is a ghost of both
MEDIAN_OF = 33  # pictures at most, evenly taken: more hardly change it
SAME = 1e-9  # similarities closer than this are equal


class ImageMatcher:
    """A matcher of pictures.

    Attributes:
        observations: The distinct states, (N, k).

    Args:
        observations: States of the agent's own data, (M, k); each is drawn once: a subset may do.
        draw: The picture of one of them (k,): (H, W) or (H, W, channels), all of one size.

    Raises:
        NoMatch: If the pictures do not differ.
    """

    def __init__(self, observations: ArrayLike, draw: Callable[[Any], NDArray[Any]]) -> None:
        self.observations = distinct(observations)
        self._known = silhouettes([draw(observation) for observation in self.observations])

    def match(self, frames: Sequence[Any]) -> NDArray[np.float64]:
        """Match by cosines of silhouettes; states with equal best cosines share a frame.

        The background is the median of the different frames, so the mover must not stay in one
        place in half of them (frames that are equal to the last pixel count once).
        """
        return shares(silhouettes(frames) @ self._known.T)


def silhouettes(pictures: Sequence[Any]) -> NDArray[np.float64]:
    """Return blurred foregrounds of pictures of one style, of length 1; (T, CELLS * CELLS)."""
    stack = _stack(pictures)  # (T, H, W, channels)
    different = list({picture.tobytes(): picture for picture in stack}.values())
    if len(different) < FEWEST:
        raise NoMatch(f"{FEWEST} different pictures are needed to see what moves in them")
    taken = np.linspace(0, len(different) - 1, min(MEDIAN_OF, len(different))).astype(int)
    still = np.median([different[row] for row in taken], axis=0).astype(np.float32)
    down, across = _blur(stack.shape[1]), _blur(stack.shape[2])
    rows = []
    for index, picture in enumerate(stack):
        change = np.abs(picture - still).sum(-1)  # (H, W)
        if not change.any():
            raise NoMatch(f"nothing is seen to move in picture {index} of {len(stack)}")
        blurred = down @ (change > PRESENT * change.max()) @ across.T  # (CELLS, CELLS)
        rows.append(blurred.ravel() / np.linalg.norm(blurred))
    return np.stack(rows)


def shares(similarities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share each row's weight evenly among its largest entries; (T, N)."""
    best = similarities >= similarities.max(1, keepdims=True) - SAME
    return best / best.sum(1, keepdims=True)


def distinct(observations: ArrayLike) -> NDArray[np.float32]:
    """Return the different rows of (M, k), sorted.

    Raises:
        ValueError: If there are fewer than two, or a number is not finite.
    """
    states = np.asarray(observations, dtype=np.float32)
    if states.ndim != 2 or not np.isfinite(states).all():
        raise ValueError(f"states must be finite numbers of shape (M, k), got {states.shape}")
    rows = np.unique(states, axis=0)
    if len(rows) < 2:
        raise ValueError(f"two different states or more are needed, got {len(rows)}")
    return rows


def _stack(pictures: Sequence[Any]) -> NDArray[Any]:
    arrays = [picture for picture in pictures if isinstance(picture, np.ndarray)]
    shapes = {array.shape for array in arrays}
    if len(arrays) < len(pictures) or len(shapes) != 1 or arrays[0].ndim not in (2, 3):
        raise NoMatch(
            "pictures are arrays (H, W) or (H, W, channels) of one shape, got "
            f"{sorted({str(getattr(p, 'shape', type(p).__name__)) for p in pictures})}"
        )
    stack = np.stack(arrays)  # in their own type: in floats a thousand pictures would be a gigabyte
    if stack.dtype.kind not in "uif" or not np.isfinite(stack).all() or 0 in stack.shape:
        raise NoMatch(f"pictures must be finite numbers, and some; got {stack.dtype} {stack.shape}")
    return stack if stack.ndim == 4 else stack[..., None]


def _blur(pixels: int) -> NDArray[np.float64]:
    """Return the weights from a line of pixels to the coarse grid, (CELLS, pixels)."""
    cells = (np.arange(CELLS) + 0.5) / CELLS
    places = (np.arange(pixels) + 0.5) / pixels
    return np.exp(-0.5 * ((cells[:, None] - places) / BLUR) ** 2)
