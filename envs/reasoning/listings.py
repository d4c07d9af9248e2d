"""Answers that list something: integers, words, assignments, grids, yes or no.

Every function takes any string, returns None if the text is
not such a listing, and ends in time linear in its length. Brackets around a listing and a full stop
after it are ignored; separators are commas, semicolons, line breaks or blanks.
"""

import re
import unicodedata
from collections.abc import Collection

MAX_LENGTH = 4096  # characters
MAX_DIGITS = 40  # of an integer in a listing

_SEPARATORS = re.compile(r"\s*[,;]\s*|\s+")
_INTEGER = re.compile(r"[+-]?\d{1,40}", re.ASCII)
_WORD = re.compile(r"[^\s,;]+")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w{0,39})\s*(?:=|:|->|is)\s*([^\s,;=:]+)", re.ASCII)
_MARK = re.compile(
    r"^[ \t]*(?:(?:step |move )?\d{1,4}[.):][ \t]+|[-*\u2022][ \t]+)", re.MULTILINE | re.IGNORECASE
)
_PAIRS = {"[": "]", "(": ")", "{": "}"}
_DRAWN = frozenset("-+| \t\r")
_BETWEEN_CELLS = str.maketrans(",|", "  ")
_MINUS = str.maketrans({"\u2212": "-", "\u2013": "-", "\u00a0": " "})
_YES = frozenset(("yes", "true", "y"))
_NO = frozenset(("no", "false", "n"))


def bare(text: str) -> str:
    """The text without outer blanks, one full stop at its end and brackets around it.

    Example:
        >>> bare(" [1, 2]. "), bare("(a) and (b)")
        ('1, 2', '(a) and (b)')
    """
    text = text.strip().removesuffix(".").rstrip()
    closing = _PAIRS.get(text[:1])
    if closing and text.endswith(closing) and text.find(closing) == len(text) - 1:
        return text[1:-1].strip()
    return text


def unnumbered(text: str) -> str:
    """Lines without the numbers or bullets of a list before them.

    Not for lists of numbers, in which `1. 2` is one.

    Example:
        >>> unnumbered("1. fill A\\n2) empty B\\n- pour A->C\\nStep 4: fill B")
        'fill A\\nempty B\\npour A->C\\nfill B'
    """
    return _MARK.sub("", text)


def without_unit(text: str, units: Collection[str]) -> str:
    """The text without one of some lower-case words at its end, and without a full stop.

    Example:
        >>> without_unit("13 Days.", ("day", "days")), without_unit("13 weeks", ("day", "days"))
        ('13', '13 weeks')
    """
    head, _, last = text.strip().removesuffix(".").rpartition(" ")
    return head if head and last.casefold() in units else text


def parse_integers(text: str) -> tuple[int, ...] | None:
    """A list of integers of at most 40 digits; None if anything else is in it.

    Before the last one `and` may stand.

    Example:
        >>> parse_integers("[3, -1, 2]"), parse_integers("3 1 2"), parse_integers("3, x")
        ((3, -1, 2), (3, 1, 2), None)
        >>> parse_integers("-10, -7 and 2"), parse_integers("and 2"), parse_integers("1 and 2 3")
        ((-10, -7, 2), None, None)
    """
    words = parse_words(text.translate(_MINUS)) if len(text) <= MAX_LENGTH else None
    if words is not None and len(words) > 2 and words[-2] == "and":
        words = (*words[:-2], words[-1])
    if words is None or not all(_INTEGER.fullmatch(word) for word in words):
        return None
    return tuple(map(int, words))


def parse_words(text: str) -> tuple[str, ...] | None:
    """A list of words, lower-cased, without quotes; None if empty or too long.

    Example:
        >>> parse_words("'Tea', coffee milk")
        ('tea', 'coffee', 'milk')
    """
    if len(text) > MAX_LENGTH:
        return None
    found = tuple(word.strip("'\"`").casefold() for word in _WORD.findall(bare(text)))
    return found if found and all(found) else None


def parse_assignments(text: str) -> dict[str, str] | None:
    """`x = 1, y = 2` (also `x: 1`, `x is 1`, `x -> 1`) as lower-cased names and values.

    Lines may be numbered or have bullets. None if anything is left over or a name comes twice with
    two values.

    Example:
        >>> parse_assignments("A = True, b: no"), parse_assignments("a = 1, then b = 2")
        ({'a': 'true', 'b': 'no'}, None)
    """
    if len(text) > MAX_LENGTH:
        return None
    text = unnumbered(bare(text))
    found: dict[str, str] = {}
    position = 0
    while position < len(text):
        match = _ASSIGNMENT.match(text, position)
        if match is None:
            return None
        name, value = match[1].casefold(), match[2].strip("'\"`").casefold()
        if found.setdefault(name, value) != value:
            return None
        gap = _SEPARATORS.match(text, match.end())
        position = gap.end() if gap else match.end()
        if gap is None and position < len(text):
            return None
    return found or None


def parse_grid(text: str) -> tuple[tuple[str, ...], ...] | None:
    """Rows of cells: a row is a line, or ends at `;` or `]`; cells need no separator.

    Lines drawn between cells (`|`, and rows of `-` and `+`) and a full stop are ignored.

    Example:
        >>> parse_grid("1 2\\n3 4") == parse_grid("[[1, 2], [3, 4]]") == parse_grid("12;34")
        True
        >>> parse_grid("1 | 2\\n--+--\\n3 | 4.")
        (('1', '2'), ('3', '4'))
    """
    if len(text) > MAX_LENGTH:
        return None
    text = text.strip().removesuffix(".")
    if text.startswith("[["):
        text = re.sub(r"\]\s*,?\s*\[", "\n", text)
        text = text.strip("[] \n")
    rows = []
    for line in re.split(r"[;\n]", text):
        if _DRAWN.issuperset(line):
            continue
        cells = line.strip().strip("[]").translate(_BETWEEN_CELLS).split()
        if len(cells) == 1 and len(cells[0]) > 1:
            cells = list(cells[0])
        if cells:
            rows.append(tuple(cells))
    return tuple(rows) or None


def parse_yes_no(text: str) -> bool | None:
    """Yes, true, no or false in any case, alone or as the first word before a comma.

    Example:
        >>> parse_yes_no("Yes."), parse_yes_no("no, it is not"), parse_yes_no("yes and no")
        (True, False, None)
    """
    if len(text) > MAX_LENGTH:
        return None
    first, _, _ = bare(text).partition(",")
    word = first.strip(" *'\"`.").casefold()
    return True if word in _YES else False if word in _NO else None


def plain(text: str) -> str:
    """Text for comparison: compatible characters, one blank between words, lower case.

    Example:
        >>> plain("  Hello\\n  World. ")
        'hello world'
    """
    text = unicodedata.normalize("NFKC", text[: MAX_LENGTH + 1])
    return " ".join(text.split()).removesuffix(".").strip("'\"`").casefold()
