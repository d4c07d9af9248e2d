"""The English words that tasks about letters and texts draw from.

`data/words.txt` was written by hand for this package: about 4,200 common words of 3 to 12 letters
`a` to `z`, sorted, one a line. Among them are some 240 groups of anagrams. Left out: proper names,
one- and two-letter words, and anything like completeness.
"""

from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np

from zerogym.envs.reasoning.draws import draw_ints

SHORTEST, LONGEST = 3, 12


@cache
def words_up_to(length: int) -> tuple[str, ...]:
    """Return the listed words of at most `length` letters, sorted by length, then by alphabet.

    Example:
        >>> words_up_to(3)[:3], len(words_up_to(12)) > 4000
        (('act', 'add', 'age'), True)
    """
    text = Path(__file__).with_name("data").joinpath("words.txt").read_text("ascii")
    return tuple(sorted((w for w in text.split() if len(w) <= length), key=lambda w: (len(w), w)))


@cache
def words_of(length: int) -> tuple[str, ...]:
    """Return the listed words of exactly `length` letters, sorted."""
    return tuple(word for word in words_up_to(length) if len(word) == length)


@cache
def known_words() -> frozenset[str]:
    """Return all listed words."""
    return frozenset(words_up_to(LONGEST))


@cache
def letters_of(word: str) -> frozenset[str]:
    """Return a word's letters, the second `e` as `ee` and so on: `&` is what two words share.

    Example:
        >>> sorted(letters_of("eye")), len(letters_of("eye") & letters_of("feed"))
        (['e', 'ee', 'y'], 2)
    """
    return frozenset(letter * word[: n + 1].count(letter) for n, letter in enumerate(word))


@cache
def words_by_initial() -> dict[str, tuple[str, ...]]:
    """Return all listed words by their first letter."""
    words = sorted(words_up_to(LONGEST), key=itemgetter(0))  # stable: short words stay first
    return {initial: tuple(group) for initial, group in groupby(words, itemgetter(0))}


def draw_word(rng: np.random.Generator, shortest: int, longest: int) -> str:
    """Draw a word of `shortest` to `longest` letters, both within 3 to 12.

    Example:
        >>> len(draw_word(np.random.default_rng(0), 7, 7))
        7
    """
    return draw_words(rng, shortest, longest, 1)[0]


def draw_words(rng: np.random.Generator, shortest: int, longest: int, count: int) -> list[str]:
    """Draw `count` words, with the same draws as so many calls of `draw_word`."""
    words = words_up_to(longest)
    places = draw_ints(rng, len(words_up_to(shortest - 1)), len(words) - 1, count)
    return [words[place] for place in places]
