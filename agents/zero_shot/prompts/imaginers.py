"""Imaginers of sentences: templates, a language model, or drawings of paths in their own style.

The drawings replace the videos of other bodies of RLZero (arXiv 2412.05718): colours, pen and paper
differ from the environment's own pictures. A sentence without frames raises `NoImagination`. Left
out: a video model.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerogym.agents.zero_shot.prompts.imagination import MAX_FRAMES, NoImagination
from zerogym.agents.zero_shot.prompts.sentences import LanguageModel, last_marked, query_until_valid

LONGEST = 20_000  # characters of a reply that are read, its last ones
QUOTED = 1_000  # characters of an invalid reply in the next message
SHOWN = 8  # descriptions that the model sees


@dataclass(frozen=True)
class Templates:
    r"""Frames in words by patterns; the first pattern found in the sentence is used.

    Attributes:
        patterns: Regular expressions (letter case does not count), and the frames of each, in
            which `\1` stands for its first group.

    Example:
        >>> Templates({r"row (\d+)": ["You are at row \\1."]})("Go to row 3!")
        ['You are at row 3.']
    """

    patterns: Mapping[str, Sequence[str]]

    def __call__(self, sentence: str) -> list[str]:
        """Return the frames; see `Imaginer`."""
        for pattern, frames in self.patterns.items():
            found = re.search(pattern, sentence, re.IGNORECASE)
            if found:
                return [found.expand(frame) for frame in frames]
        raise NoImagination(f"no template fits {sentence[:80]!r}; there are {list(self.patterns)}")


@dataclass(frozen=True)
class LanguageModelImaginer:
    """Frames in words by a language model.

    Attributes:
        language_model: A message in, its reply out, as in `sentences.py`.
        captions: Descriptions of states, for example `CaptionMatcher.captions`; the message shows
            some of them.
        frames: Number of frames requested.
        tries: Number of queries at most.
        check: Called with the frames, for example `CaptionMatcher.match`; the message of its
            ValueError goes into the next query.
    """

    language_model: LanguageModel
    captions: Sequence[str]
    frames: int = 8
    tries: int = 3
    check: Callable[[Sequence[str]], object] = len

    def __call__(self, sentence: str) -> list[str]:
        """Return the frames; see `Imaginer`."""
        picked = np.linspace(0, len(self.captions) - 1, min(SHOWN, len(self.captions)))
        shown = "\n".join(self.captions[row] for row in picked.astype(int))
        request = sentence.strip()
        question = f"""Imagine that somebody has done this wish and goes on doing it: {request}

Describe {self.frames} moments of it, one in a line, in the way in which these are described:
{shown}

Answer with <frames>, the lines, and </frames>."""
        try:
            return query_until_valid(
                self.language_model, question, self._frames, self.tries, QUOTED
            )
        except ValueError as error:
            fault = f"nothing for {sentence[:80]!r} in {self.tries} replies: {error}"
            raise NoImagination(fault) from None

    def _frames(self, reply: str) -> list[str]:
        """Return the lines of the last marked answer."""
        text = last_marked(reply[-LONGEST:], "frames")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if not lines:
            raise ValueError("there are no lines between <frames> and </frames>")
        if len(lines) > MAX_FRAMES:
            raise ValueError(f"{len(lines)} lines are too many")
        self.check(lines)
        return lines


@dataclass(frozen=True)
class Style:
    """The style of a drawing; numbers are shares of its side, colours are red, green, blue."""

    paper: tuple[int, int, int] = (250, 240, 210)
    ink: tuple[int, int, int] = (20, 40, 120)
    pixels: int = 96  # a side
    size: float = 0.05  # from the middle of the mover to its edge
    cross: bool = False  # a cross instead of a diamond
    lines: int = 6  # of a grid on the paper, each way
    grain: int = 12  # largest difference of the paper between two frames

    def __post_init__(self) -> None:
        if self.pixels < 1 or self.lines < 1:
            raise ValueError(f"a style needs pixels and lines, got {self.pixels} and {self.lines}")


@dataclass(frozen=True)
class PathSketchImaginer:
    """Pictures of a path, drawn in another style than the environment's.

    Attributes:
        path_of: Returns the position of the mover in each frame, (T, 2): shares of the side from
            the left and from below, in [0, 1]; raises `NoImagination` for an unknown sentence.
        style: Of the drawing.
        seed: Of the grain of the paper.
    """

    path_of: Callable[[str], ArrayLike]
    style: Style = Style()
    seed: int = 0

    def __call__(self, sentence: str) -> list[NDArray[np.uint8]]:
        """Return the frames; see `Imaginer`."""
        path = np.asarray(self.path_of(sentence), dtype=np.float64)
        if path.ndim != 2 or path.shape[1] != 2 or not ((path >= 0) & (path <= 1)).all():
            raise NoImagination(f"a path is (T, 2) in [0, 1], got shape {path.shape}: {path!s:.80}")
        if len(path) > MAX_FRAMES:  # checked before drawing: a million would fill the memory
            raise NoImagination(f"a path has at most {MAX_FRAMES} places, got {len(path)}")
        rng = np.random.default_rng(self.seed)
        return [_drawn(place, self.style, rng) for place in path]


def _drawn(place: NDArray[np.float64], style: Style, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Draw the mover at a position, (pixels, pixels, 3)."""
    middles = (np.arange(style.pixels) + 0.5) / style.pixels
    x, y = np.abs(middles - place[0])[None], np.abs(1 - middles - place[1])[:, None]
    body = x + y <= style.size
    if style.cross:
        body = (np.minimum(x, y) <= style.size / 3) & (np.maximum(x, y) <= style.size)
    picture = np.broadcast_to(np.array(style.paper), (style.pixels, style.pixels, 3)).copy()
    every = max(1, style.pixels // style.lines)
    picture[::every], picture[:, ::every] = style.ink, style.ink
    picture += rng.integers(-style.grain, style.grain + 1, picture.shape)
    picture[body] = style.ink
    return np.clip(picture, 0, 255).astype(np.uint8)
