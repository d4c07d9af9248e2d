"""Pictures of a radio band: a waterfall of what was sensed, and where the radio sent itself."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.exogenous.radio.tasks import Layout

PIXELS, LINES = 240, 24  # of the square; steps that are shown
FREE, BUSY = (235, 238, 242), (70, 90, 140)
ALONE, HIT = (60, 160, 90), (200, 70, 60)  # one's own signal
NONE = (255, 255, 255)  # before the first step


def ansi(layout: Layout, past: Sequence[NDArray[np.float32]]) -> str:
    """Draw a line a step, newest last: `#` busy, `.` free, `o` sent alone, `x` sent on another."""
    marks = np.array(list(".#ox"))
    return "\n".join("".join(marks[_cells(layout, row)]) for row in past[-LINES:])


def rgb(layout: Layout, past: Sequence[NDArray[np.float32]]) -> NDArray[np.uint8]:
    """Draw the same as squares, (PIXELS, PIXELS, 3)."""
    lines = np.full((LINES, layout.channels), 4)
    shown = past[-LINES:]
    for line, row in enumerate(shown, start=LINES - len(shown)):
        lines[line] = _cells(layout, row)
    colours = np.array([FREE, BUSY, ALONE, HIT, NONE], dtype=np.uint8)[lines]
    down = np.arange(PIXELS) * LINES // PIXELS
    across = np.arange(PIXELS) * layout.channels // PIXELS
    image: NDArray[np.uint8] = colours[down][:, across]
    return image


def _cells(layout: Layout, row: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return (C,): 0 free, 1 busy, 2 sent alone, 3 sent on another."""
    cells = layout.sensed(row[None])[0, 0].astype(np.int64)
    own = layout.own(row[None])[0]
    if own.any():
        cells[own.argmax()] = 3 if layout.hits(row[None]).any() else 2
    return cells
