"""Propositional formulas: trees, text, and truth tables held in the bits of one integer.

A formula is a name, or a tuple of an operator and its parts: `("implies", "p", ("not", "q"))`. Its
truth table over n names is an integer with 2**n bits, so that `and` of two formulas is `&` of two
integers. Left out: more than `MAX_NAMES` names, constants for true and false.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TypeAlias

from zerogym.envs.reasoning.renaming import Bag, Term

Formula: TypeAlias = "str | tuple[Formula | str, ...]"

MAX_NAMES = 16  # 65,536 bits a table
SYMBOLS = {"and": "&", "or": "|", "implies": "->", "iff": "<->"}
_LOOSEST_FIRST = ("iff", "implies", "or", "and")
_TOKEN = re.compile(r"\s*(<->|->|[~&|()]|\w+)")


@cache
def columns(count: int) -> tuple[int, ...]:
    """The truth tables of `count` names alone; row r of a table is bit r, name i is bit i of r.

    Example:
        >>> [f"{column:04b}" for column in columns(2)]
        ['1010', '1100']
    """
    if not 0 <= count <= MAX_NAMES:
        raise ValueError(f"from 0 to {MAX_NAMES} names, got {count}")
    full = (1 << (1 << count)) - 1
    return tuple(full ^ full // ((1 << (1 << index)) + 1) for index in range(count))


def tables_of(names: Sequence[str]) -> tuple[dict[str, int], int]:
    """The truth tables of some names, and the table of a tautology over them."""
    return dict(zip(names, columns(len(names)), strict=True)), (1 << (1 << len(names))) - 1


def table(formula: Formula, names: dict[str, int], full: int) -> int:
    """The truth table of a formula, from the tables of its names and the table of a tautology.

    Example:
        >>> p, q = columns(2)
        >>> f"{table(('implies', 'p', 'q'), {'p': p, 'q': q}, 15):04b}"
        '1101'
    """
    if isinstance(formula, str):
        return names[formula]
    left = table(formula[1], names, full)
    if formula[0] == "not":
        return full ^ left
    right = table(formula[2], names, full)
    if formula[0] == "and":
        return left & right
    if formula[0] == "or":
        return left | right
    if formula[0] == "implies":
        return full ^ left | right
    return full ^ left ^ right


def write(formula: Formula) -> str:
    """A formula as text, with brackets around every inner formula of two parts.

    Example:
        >>> write(("implies", ("and", "p", ("not", "q")), "r"))
        '(p & ~q) -> r'
    """
    if isinstance(formula, str):
        return formula
    if formula[0] == "not":
        return f"~{_bracketed(formula[1])}"
    symbol = SYMBOLS[str(formula[0])]
    return f"{_bracketed(formula[1])} {symbol} {_bracketed(formula[2])}"


def _bracketed(formula: Formula) -> str:
    text = write(formula)
    return text if isinstance(formula, str) or formula[0] == "not" else f"({text})"


def parse_formula(text: str) -> Formula:
    """Read a formula; `~` binds most, then `&`, `|`, `->` (to the right) and `<->`.

    Raises:
        ValueError: If the text is no formula.

    Example:
        >>> parse_formula("p & ~q -> r")
        ('implies', ('and', 'p', ('not', 'q')), 'r')
    """
    tokens = _TOKEN.findall(text)
    if "".join(tokens) != "".join(text.split()) or len(tokens) > 1000:
        raise ValueError(f"not a formula: {text[:80]!r}")
    formula, rest = _parse_level(tokens, 0, 0)
    if rest != len(tokens):
        raise ValueError(f"not a formula: {text[:80]!r}")
    return formula


def _parse_level(tokens: list[str], start: int, level: int) -> tuple[Formula, int]:
    """The formula that starts here and holds no operator looser than `level`, and where it ends."""
    if level == len(_LOOSEST_FIRST):
        return _parse_tight(tokens, start)
    operator = _LOOSEST_FIRST[level]
    left, place = _parse_level(tokens, start, level + 1)
    while place < len(tokens) and tokens[place] == SYMBOLS[operator]:
        # an implication is read to the right: its right side may be another one
        deeper = level if operator == "implies" else level + 1
        right, place = _parse_level(tokens, place + 1, deeper)
        left = (operator, left, right)
    return left, place


def _parse_tight(tokens: list[str], place: int) -> tuple[Formula, int]:
    token = tokens[place] if place < len(tokens) else ""
    if token == "~":
        inner, place = _parse_tight(tokens, place + 1)
        return ("not", inner), place
    if token == "(":
        inner, place = _parse_level(tokens, place + 1, 0)
        if place < len(tokens) and tokens[place] == ")":
            return inner, place + 1
    elif token.isidentifier():
        return token, place + 1
    raise ValueError(f"not a formula: {' '.join(tokens)[:80]!r}")


def without_order(formula: Formula) -> Term:
    """Return the formula with the two sides of `and`, `or` and `iff` in no order.

    Example:
        >>> without_order(("or", "q", "p")) == ("or", Bag(("q", "p")))
        True
    """
    if isinstance(formula, str):
        return formula
    operator, *parts = formula
    sides = [without_order(part) for part in parts]
    return (operator, *sides) if operator in ("not", "implies") else (operator, Bag(sides))


def names_of(formulas: Sequence[Formula]) -> list[str]:
    """The names in formulas, in the order in which they occur."""
    found: dict[str, None] = {}
    waiting = list(reversed(formulas))
    while waiting:
        formula = waiting.pop()
        if isinstance(formula, str):
            found[formula] = None
        else:
            waiting.extend(reversed(formula[1:]))
    return list(found)


def closing_cases(names: Sequence[str], reasons: Sequence[tuple[str, int]]) -> Iterator[str]:
    """A case analysis as lines: each case fixes some names until one reason holds in all its rows.

    Args:
        names: What to split on, in this order.
        reasons: A text and the rows in which it holds; together they cover all rows.

    Example:
        >>> p, q = columns(2)
        >>> print(*closing_cases("pq", [("p or q fails", 15 ^ (p | q)), ("p fails", 15 ^ p),
        ...                             ("q holds", q), ("p holds", p)]), sep="\\n")
        p = true: p holds
        p = false: p fails
    """
    table_columns = columns(len(names))

    def split(rows: int, index: int, fixed: str) -> Iterator[str]:
        for text, holds in reasons:
            if rows & ~holds == 0:
                yield f"{fixed or 'always'}: {text}"
                return
        column, name = table_columns[index], names[index]
        start = f"{fixed}, " if fixed else ""
        yield from split(rows & column, index + 1, f"{start}{name} = true")
        yield from split(rows & ~column, index + 1, f"{start}{name} = false")

    yield from split((1 << (1 << len(names))) - 1, 0, "")
