"""Pictures of the toy market: the price over time, coloured by what was held."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.canvas import BODY, GROUND, MARK, ROD, Stroke, picture
from zerogym.envs.control.exogenous.trading.market import POSITION
from zerogym.envs.control.exogenous.trading.text_view import HELD, prices

STEPS, LINES = 60, 12  # of the curve, of the text
COLOURS = {0: GROUND, 1: MARK, -1: ROD}


def ansi(past: Sequence[NDArray[np.float32]]) -> str:
    """Draw a line a step, newest last: the price, and the position while it moved there."""
    rows = zip(prices(past)[-LINES:], past[-LINES:], strict=True)
    return "\n".join(f"{price:9.2f}  {HELD[int(row[POSITION])]}" for price, row in rows)


def rgb(past: Sequence[NDArray[np.float32]]) -> NDArray[np.uint8]:
    """Draw a curve; green while long, brown while short, grey while out."""
    shown, values = past[-STEPS:], prices(past)[-STEPS:]
    middle, half = (values.max() + values.min()) / 2, max(values.max() - values.min(), 1.0) / 1.6
    across = np.linspace(-0.9, 0.9, STEPS)[: len(values)]
    points = [(float(x), float(y)) for x, y in zip(across, (values - middle) / half, strict=True)]
    strokes = [
        Stroke((start, end), 0.03, COLOURS[int(row[POSITION])])
        for start, end, row in zip(points, points[1:], shown[1:], strict=False)
    ]
    return picture([*strokes, Stroke((points[-1],), 0.07, BODY)], 1.0)
