"""Base class of puzzles: files, a question, the exact answer, and a program that computes it.

The answer is computed from the data that the files are written from. The oracle runs the program in
the sandbox: its only input is the files.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from zerogym.envs.reasoning.answers import MAX_ANSWER_LENGTH, parse_number
from zerogym.envs.reasoning.draws import draw_ints

INTEGER = "Answer with an integer."
# The number too, since one name of a few can be guessed.
NAME_AND_NUMBER = "Answer with the name and that number: name, number."
_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aeiou"
_SYLLABLES = tuple(c + v for c in _CONSONANTS for v in _VOWELS)
_WORD = re.compile(r"[^\s,;:\[\](){}\"'`]+")


@dataclass(frozen=True)
class Puzzle(ABC):
    """Files and a question; immutable.

    Attributes:
        hidden: Whether the prompt only names the files, instead of showing how they begin.
    """

    category: ClassVar[str]
    hidden: bool

    def __deepcopy__(self, memo: dict[int, Any]) -> "Puzzle":
        return self  # nothing in it can change

    @property
    @abstractmethod
    def question(self) -> str:
        """The question, with the names of the files and the form of the answer."""

    @abstractmethod
    def files(self) -> Mapping[str, str]:
        """The text of every file, by name."""

    @abstractmethod
    def solve(self) -> str:
        """The answer, computed from the data that the files are written from."""

    @abstractmethod
    def program(self) -> str:
        """A source that computes the answer from the files and prints it as the last line."""

    def is_sound(self) -> bool:
        """Return True if no part of the question can be left out."""
        return True


@dataclass(frozen=True)
class FilePuzzle(Puzzle):
    """A puzzle with one file.

    Attributes:
        name: The file's, without its ending.
    """

    ending: ClassVar[str] = "txt"
    name: str

    @property
    def file(self) -> str:
        return f"{self.name}.{self.ending}"

    @abstractmethod
    def text(self) -> str:
        """The content of the file."""

    def files(self) -> Mapping[str, str]:
        return {self.file: self.text()}


def largest(totals: Mapping[str, int]) -> str:
    """Name and total of the largest total; of equal ones, the alphabetically first name."""
    best = min(totals, key=lambda name: (-totals[name], name))
    return f"{best}, {totals[best]}"


def is_right(given: str, right: str) -> bool:
    """Return True for a right answer: the same number, or the same words in order.

    Case, separators, quotes and brackets do not matter.

    Example:
        >>> is_right("1,204", "1204"), is_right("(3, 7)", "3, 7"), is_right("7, 3", "3, 7")
        (True, True, False)
    """
    if len(given) > MAX_ANSWER_LENGTH:
        return False
    number = parse_number(right)
    if number is not None:
        return parse_number(given) == number
    return _words(given) == _words(right)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold().strip().removesuffix("."))


def scaled(rng: np.random.Generator, difficulty: float, base: int, most: int) -> int:
    """About `base` at difficulty 0, twice as much with each further point, never above `most`."""
    mean = base * 2 ** min(difficulty, 30.0)
    return min(most, int(mean * (0.8 + 0.4 * rng.random())))


def sample_names(rng: np.random.Generator, count: int, syllables: int = 3) -> list[str]:
    """Draw different made-up words; at most half of all words of so many syllables.

    Example:
        >>> sample_names(np.random.default_rng(0), 3)
        ['pahebo', 'betavo', 'noromo']
    """
    found: dict[str, None] = {}
    while len(found) < count:
        drawn = draw_ints(rng, 0, len(_SYLLABLES) - 1, syllables * (count - len(found)))
        for start in range(0, len(drawn), syllables):
            found["".join(_SYLLABLES[i] for i in drawn[start : start + syllables])] = None
    return list(found)
