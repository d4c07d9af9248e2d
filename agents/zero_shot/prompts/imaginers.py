"""Who imagines a sentence: templates, a language model, or drawings of paths in a style of its own.

The drawings stand for the videos of other bodies of RLZero (arXiv 2412.05718): their colours, pen
and paper have nothing of the world's own pictures. Sentences that none of these understands raise
`NoImagination`. Left out: a video model.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerogym.agents.zero_shot.prompts.imagination import MAX_FRAMES, NoImagination
from zerogym.agents.zero_shot.prompts.sentences import Ask, last_marked

LONGEST = 20_000  # characters of a reply that are read, its last ones
SHOWN = 8  # descriptions that the model sees


@dataclass(frozen=True)
class Templates:
    r"""Frames in words by patterns; the first that is found in the sentence counts.

    Attributes:
        patterns: Regular expressions (letter case does not count), and the frames of each, in
            which `\1` stands for its first group.

    Example:
        >>> Templates({r"row (\d+)": ["You are at row \\1."]})("Go to row 3!")
        ['You are at row 3.']
    """

    patterns: Mapping[str, Sequence[str]]

    def __call__(self, sentence: str) -> list[str]:
        """See `Imaginer`."""
        for pattern, frames in self.patterns.items():
            found = re.search(pattern, sentence, re.IGNORECASE)
            if found:
                return [found.expand(frame) for frame in frames]
        raise NoImagination(f"no template fits {sentence[:80]!r}; there are {list(self.patterns)}")


@dataclass(frozen=True)
class LanguageModelImaginer:
    """Frames in words by a language model.

    Attributes:
        ask: A message in, its reply out, as in `sentences.py`.
        captions: Descriptions of states, for example `CaptionMatcher.captions`; the message shows
            some of them.
        frames: Number of frames requested.
        tries: Number of queries at most.
        check: Called with the frames, for example `CaptionMatcher.match`; the message of its
            ValueError goes into the next query.
    """

    ask: Ask
    captions: Sequence[str]
    frames: int = 8
    tries: int = 3
    check: Callable[[Sequence[str]], object] = len

    def __call__(self, sentence: str) -> list[str]:
        """See `Imaginer`."""
        message = question = self._question(sentence)
        fault = ""
        for _ in range(self.tries):
            reply = str(self.ask(message))[-LONGEST:]
            try:
                frames = _lines(reply)
                self.check(frames)
            except ValueError as error:
                fault = str(error)
                message = f"{question}\n\nYou wrote:\n{reply[-1000:]}\n\nThat fails: {fault}"
            else:
                return frames
        raise NoImagination(f"nothing for {sentence[:80]!r} in {self.tries} replies: {fault}")

    def _question(self, sentence: str) -> str:
        picked = np.linspace(0, len(self.captions) - 1, min(SHOWN, len(self.captions)))
        shown = "\n".join(self.captions[row] for row in picked.astype(int))
        return f"""Imagine that somebody has done this wish and goes on doing it: {sentence.strip()}

Describe {self.frames} moments of it, one in a line, in the way in which these are described:
{shown}

Answer with <frames>, the lines, and </frames>."""


def _lines(reply: str) -> list[str]:
    """The lines of the last marked answer."""
    lines = [line.strip() for line in last_marked(reply, "frames").splitlines() if line.strip()]
    if not lines:
        raise ValueError("there are no lines between <frames> and </frames>")
    if len(lines) > MAX_FRAMES:
        raise ValueError(f"{len(lines)} lines are too many")
    return lines


@dataclass(frozen=True)
class Style:
    """How a drawing looks; numbers are shares of its side, colours are red, green, blue."""

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
    """Pictures of a path, drawn in another style than the world's.

    Attributes:
        path_of: Where the mover is in each frame, (T, 2): shares of the side from the left and from
            below, in [0, 1]; raises `NoImagination` for a sentence it does not know.
        style: Of the drawing.
        seed: Of the grain of the paper.
    """

    path_of: Callable[[str], ArrayLike]
    style: Style = Style()
    seed: int = 0

    def __call__(self, sentence: str) -> list[NDArray[np.uint8]]:
        """See `Imaginer`."""
        path = np.asarray(self.path_of(sentence), dtype=np.float64)
        if path.ndim != 2 or path.shape[1] != 2 or not ((path >= 0) & (path <= 1)).all():
            raise NoImagination(f"a path is (T, 2) in [0, 1], got shape {path.shape}: {path!s:.80}")
        if len(path) > MAX_FRAMES:  # before they are drawn: a million fill the memory
            raise NoImagination(f"a path has at most {MAX_FRAMES} places, got {len(path)}")
        rng = np.random.default_rng(self.seed)
        return [_drawn(place, self.style, rng) for place in path]


def _drawn(place: NDArray[np.float64], style: Style, rng: np.random.Generator) -> NDArray[np.uint8]:
    """The mover at a place, (pixels, pixels, 3)."""
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
