"""Regular expressions as trees: a parser of a small syntax, and back to text.

Letters, digits, `.`, classes `[abc]`, `[a-c]`, `[^a]`, brackets, `|`, `?`, `*`, `+`, `{2}`,
`{2,}`, `{2,4}`. Left out: escapes, anchors inside, look-around, back-references, lazy repetition.
"""

from dataclasses import dataclass

MAX_PATTERN = 4096  # characters
MAX_DEPTH = 30  # of brackets
MAX_COUNT = 99  # in braces


class PatternError(ValueError):
    """The text is not a pattern of this syntax, or too large."""


@dataclass(frozen=True)
class Chars:
    """One character: of the set, or (`negated`) any other."""

    chars: str
    negated: bool = False

    def __contains__(self, char: str) -> bool:
        return (char in self.chars) != self.negated

    def __str__(self) -> str:
        if self.negated:
            return f"[^{self.chars}]" if self.chars else "."
        return self.chars if len(self.chars) == 1 else f"[{_ranges(self.chars)}]"


@dataclass(frozen=True)
class Sequence:
    """Parts one after the other; no part is the empty string."""

    parts: tuple["Pattern", ...]

    def __str__(self) -> str:
        return "".join(f"({p})" if isinstance(p, Choice) else str(p) for p in self.parts)


@dataclass(frozen=True)
class Choice:
    """One of the options."""

    options: tuple["Pattern", ...]

    def __str__(self) -> str:
        return "|".join(map(str, self.options))


@dataclass(frozen=True)
class Repeat:
    """From `least` to `most` times the inner pattern; None is without limit."""

    inner: "Pattern"
    least: int
    most: int | None

    def __str__(self) -> str:
        inner = str(self.inner) if isinstance(self.inner, Chars) else f"({self.inner})"
        return inner + _SIGNS.get((self.least, self.most), _braces(self.least, self.most))


Pattern = Chars | Sequence | Choice | Repeat
_SIGNS: dict[tuple[int, int | None], str] = {(0, None): "*", (1, None): "+", (0, 1): "?"}
_COUNTS = {sign: counts for counts, sign in _SIGNS.items()}


def _braces(least: int, most: int | None) -> str:
    if least == most:
        return f"{{{least}}}"
    return f"{{{least},{'' if most is None else most}}}"


def _ranges(chars: str) -> str:
    """Write `abcd` as `a-d`, other sets one by one."""
    codes = [ord(char) for char in chars]
    if len(chars) > 3 and codes == list(range(codes[0], codes[0] + len(codes))):
        return f"{chars[0]}-{chars[-1]}"
    return chars


def parse_pattern(text: str) -> Pattern:
    """Return the tree of a pattern; `^` before it and `$` after it are ignored.

    Example:
        >>> parse_pattern("a[bc]*")
        Sequence(parts=(Chars(chars='a', negated=False), Repeat(inner=Chars(chars='bc', \
negated=False), least=0, most=None)))
        >>> str(parse_pattern("^(?:ab|c){2,3}[d-g].$"))
        '(ab|c){2,3}[d-g].'

    Raises:
        PatternError: If it is not of the syntax above.
    """
    if len(text) > MAX_PATTERN:
        raise PatternError("the pattern is too long")
    reader = _Reader(text.removeprefix("^").removesuffix("$"))
    pattern = reader.choice(0)
    if reader.next:
        raise PatternError(f"unexpected {reader.next!r}")
    return pattern


class _Reader:
    """Recursive descent; `next` is the character that is read next, empty at the end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    @property
    def next(self) -> str:
        return self.text[self.place : self.place + 1]

    def take(self, token: str) -> bool:
        """Return whether the text goes on with a token, which is then skipped."""
        found = self.text.startswith(token, self.place)
        self.place += len(token) * found
        return found

    def choice(self, depth: int) -> Pattern:
        options = [self.sequence(depth)]
        while self.take("|"):
            options.append(self.sequence(depth))
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def sequence(self, depth: int) -> Pattern:
        parts: list[Pattern] = []
        while self.next and self.next not in "|)":
            parts.append(self.repeated(self.atom(depth)))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def atom(self, depth: int) -> Pattern:
        if depth >= MAX_DEPTH:
            raise PatternError("the brackets are nested too deeply")
        if self.take("("):
            self.take("?:")
            inner = self.choice(depth + 1)
            if not self.take(")"):
                raise PatternError("a bracket is not closed")
            return inner
        if self.take("["):
            return self.char_class()
        return Chars("", negated=True) if self.take(".") else Chars(self.letter())

    def letter(self) -> str:
        char = self.next
        if not (char.isascii() and char.isalnum()):
            raise PatternError(f"unexpected {char!r}" if char else "the pattern ends too early")
        self.place += 1
        return char

    def char_class(self) -> Pattern:
        negated = self.take("^")
        found: set[str] = set()
        while not self.take("]"):
            first = self.letter()
            last = self.letter() if self.take("-") else first
            if last < first:
                raise PatternError(f"{first}-{last} is no range")
            codes = range(ord(first), ord(last) + 1)
            found.update(c for c in map(chr, codes) if c.isalnum())
        if not found:
            raise PatternError("a class is empty")
        return Chars("".join(sorted(found)), negated)

    def repeated(self, inner: Pattern) -> Pattern:
        if self.next and self.next in "?*+":
            sign = self.next
            self.place += 1
            return Repeat(inner, *_COUNTS[sign])
        if not self.take("{"):
            return inner
        end = self.text.find("}", self.place)
        low, comma, high = self.text[self.place : max(end, self.place)].partition(",")
        self.place = end + 1
        least = _count(low)
        most = least if not comma else _count(high) if high.strip() else None
        if most is not None and most < least:
            raise PatternError("the larger number comes first")
        return Repeat(inner, least, most)


def _count(text: str) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdecimal() and len(text) <= 2):
        raise PatternError(f"{{...}} needs numbers from 0 to {MAX_COUNT}")
    return int(text)
