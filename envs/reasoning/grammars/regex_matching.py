"""Matching in linear time: all partial matches advance at once, as bits of an integer.

Glushkov's automaton: a state for each place of a character in the pattern ("On the languages
accepted by finite deterministic automata", 1961), after repetitions with numbers are written out.
"""

from collections.abc import Iterator
from functools import reduce
from operator import or_

from zerogym.envs.reasoning.grammars.regexes import Chars, Choice, Pattern, PatternError, Sequence

MAX_PLACES = 300  # of characters
MAX_PARTS = 3000  # visited while repetitions are written out

Ends = tuple[bool, int, int]  # may be empty; places that can come first; and last


class Matcher:
    """A compiled pattern.

    Raises:
        PatternError: If the pattern is too large when its repetitions are written out.

    Example:
        >>> from zerogym.envs.reasoning.grammars.regexes import parse_pattern
        >>> matcher = Matcher(parse_pattern("(ab|c)+"))
        >>> [matcher.matches(string) for string in ("abc", "cab", "a", "")]
        [True, True, False, False]
    """

    def __init__(self, pattern: Pattern) -> None:
        self.chars: list[Chars] = []
        self.follow: list[int] = []
        self._parts = 0
        self._masks: dict[str, int] = {}
        self._steps: dict[int, int] = {}
        self.empty, self.first, self.last = self._ends(pattern)

    def matches(self, string: str) -> bool:
        """Return whether the whole string is matched."""
        if not string:
            return self.empty
        return self.fails_at(string) > len(string)

    def fails_at(self, string: str) -> int:
        """Return the place of the first character that no match can have there, counted from 0.

        `len(string)` if more characters must follow, and one more if the string matches.
        """
        active, matched = self.first, 0
        for place, char in enumerate(string):
            matched = active & self._mask(char)
            if not matched:
                return place
            active = self._after(matched)
        return len(string) + bool(matched & self.last)

    def string_of_length(self, length: int) -> str | None:
        """Return some string of this length that matches; None if there is none."""
        if length == 0:
            return "" if self.empty else None
        strings = {place: self._some(place) for place in _bits(self.first)}
        for _ in range(length - 1):
            longer: dict[int, str] = {}
            for place, string in strings.items():
                for after in _bits(self.follow[place]):
                    if after not in longer:
                        longer[after] = string + self._some(after)
            strings = longer
        return next((s for place, s in strings.items() if self.last >> place & 1), None)

    def _some(self, place: int) -> str:
        chars = self.chars[place]
        return next(char for char in chars.chars + "abcdefghijklmnopqrstuvwxyz" if char in chars)

    def _mask(self, char: str) -> int:
        """Return the places that this character can take."""
        if char not in self._masks:
            fitting = (1 << place for place, chars in enumerate(self.chars) if char in chars)
            self._masks[char] = sum(fitting)
        return self._masks[char]

    def _after(self, matched: int) -> int:
        """Return the places that can follow any of these."""
        if matched not in self._steps:
            self._steps[matched] = reduce(or_, (self.follow[at] for at in _bits(matched)), 0)
        return self._steps[matched]

    def _ends(self, pattern: Pattern) -> Ends:
        self._parts += 1
        if self._parts > MAX_PARTS or len(self.chars) >= MAX_PLACES:
            raise PatternError("the pattern is too large")
        if isinstance(pattern, Chars):
            place = 1 << len(self.chars)
            self.chars.append(pattern)
            self.follow.append(0)
            return False, place, place
        if isinstance(pattern, Choice):
            empty, first, last = zip(*map(self._ends, pattern.options), strict=True)
            return any(empty), reduce(or_, first), reduce(or_, last)
        if isinstance(pattern, Sequence):
            return self._joined([self._ends(part) for part in pattern.parts])
        copies = pattern.least if pattern.most is None else pattern.most
        ends = [self._ends(pattern.inner) for _ in range(max(copies, int(pattern.most is None)))]
        optional = [(n >= pattern.least or empty, a, z) for n, (empty, a, z) in enumerate(ends)]
        if pattern.most is None:
            self._link(ends[-1][2], ends[-1][1])
        return self._joined(optional)

    def _joined(self, ends: list[Ends]) -> Ends:
        empty, first, last = True, 0, 0
        for one_empty, one_first, one_last in ends:
            self._link(last, one_first)
            first |= one_first if empty else 0
            last = one_last | (last if one_empty else 0)
            empty = empty and one_empty
        return empty, first, last

    def _link(self, before: int, after: int) -> None:
        for place in _bits(before):
            self.follow[place] |= after


def _bits(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
