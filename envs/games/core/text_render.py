"""Pictures of the text view, for games without a board.

All pictures have one size, so that they make a video. Left out: cards and dice as drawings.
"""

import textwrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.errors import require

LINES, COLUMNS = 24, 80  # of a picture; of a longer text the end is shown
CHARACTER = (11, 6)  # pixels of a character: height, width
MARGIN = 8
INK, GROUND = (20, 20, 20), (255, 255, 255)


def text_picture(text: str) -> NDArray[np.uint8]:
    """A text as pixels: uint8 (280, 496, 3). What the font lacks is shown as a question mark.

    Raises:
        MissingExtra: If Pillow is not installed.
    """
    image_module: Any = require("PIL.Image", "games", "a picture of a game")
    drawing: Any = require("PIL.ImageDraw", "games", "a picture of a game")
    fonts: Any = require("PIL.ImageFont", "games", "a picture of a game")
    height, width = LINES * CHARACTER[0] + 2 * MARGIN, COLUMNS * CHARACTER[1] + 2 * MARGIN
    image = image_module.new("RGB", (width, height), GROUND)
    pen, font = drawing.Draw(image), fonts.load_default_imagefont()
    for number, line in enumerate(_lines(text)):
        pen.text((MARGIN, MARGIN + number * CHARACTER[0]), line, INK, font)
    return np.array(image, dtype=np.uint8)


def _lines(text: str) -> list[str]:
    """The last lines, broken where they are too long."""
    written = text.encode("latin-1", "replace").decode("latin-1").expandtabs(4)
    broken = [
        part
        for line in written.splitlines()
        for part in textwrap.wrap(line, COLUMNS, drop_whitespace=False) or [""]
    ]
    return broken[-LINES:]
