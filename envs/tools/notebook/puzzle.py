"""What every kind of puzzle has: files, a question, the truth, and a program that finds it.

The truth is computed here from what the files were written from. The program is what the scripted
expert runs in the sandbox: it reads the files, and knows nothing else.
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
        """What is asked, with the names of the files and the form of the answer."""

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
        """Whether the question is one: nothing in it can be left out."""
        return True


def is_right(given: str, right: str) -> bool:
    """Whether an answer is the right one: the same number, or the same words in order.

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
    """Different words that no language has; at most half of what so many syllables can make.

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
