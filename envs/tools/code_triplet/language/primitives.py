"""The operations of the small language, each with its function and its form in Python.

A program is a tree of JSON values. An expression is an integer (itself), `["text", s]`,
`["var", name]`, a primitive with its arguments (`["add", a, b]`), a conditional
`["either", condition, a, b]`, or a comprehension `[kind, names, iterable, element, condition]`
with a kind of `COMPREHENSIONS`, one name or two, and None for no condition. An iterable is
`["each", list or text]`, `["range", number]`, or with two names `["enumerate", list or text]` or
`["neighbours", list or text]` (each element with the next one). A statement is
`["let", name, expression]`, `["append", name, expression]`,
`["if", [[condition, statements], ...], statements]` or `["for", names, iterable, statements]`.

Everything is total: all values of the right types have a result. So there is no
division by a variable, no plain index, and no loop but over something finite. The last two
primitives are for single characters, as iteration over a text gives them.

Left out: dictionaries, tuples, floats, functions, and results that are booleans (they are guessed).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

ATOM, UNARY, PRODUCT, SUM, COMPARE, AND, OR, LOOSEST = 8, 7, 6, 5, 4, 3, 2, 1
COMPREHENSIONS = ("list", "sum", "join")


@dataclass(frozen=True)
class Primitive:
    """One operation.

    Attributes:
        compute: Its meaning, on values of the right types.
        written: Python source, with `{0}`, `{1}` for the arguments.
        binds: Precedence of the written form, `ATOM` the highest.
        arguments: Least precedence of each argument; `LOOSEST` inside brackets.
    """

    compute: Callable[..., Any]
    written: str
    binds: int = ATOM
    arguments: tuple[int, ...] = (LOOSEST, LOOSEST, LOOSEST)


def _infix(sign: str, binds: int, compute: Callable[..., Any]) -> Primitive:
    """A sign between two arguments, left to right; comparisons do not chain."""
    left = binds + 1 if binds == COMPARE else binds
    return Primitive(compute, f"{{0}} {sign} {{1}}", binds, (left, binds + 1))


def _of(written: str, compute: Callable[..., Any]) -> Primitive:
    """A form that starts with its first argument: slices and methods."""
    return Primitive(compute, written, ATOM, (ATOM, LOOSEST, LOOSEST))


PRIMITIVES: Mapping[str, Primitive] = {
    "add": _infix("+", SUM, lambda a, b: a + b),
    "subtract": _infix("-", SUM, lambda a, b: a - b),
    "multiply": _infix("*", PRODUCT, lambda a, b: a * b),
    "quotient": _infix("//", PRODUCT, lambda a, b: a // b),
    "remainder": _infix("%", PRODUCT, lambda a, b: a % b),
    "less": _infix("<", COMPARE, lambda a, b: a < b),
    "at_most": _infix("<=", COMPARE, lambda a, b: a <= b),
    "more": _infix(">", COMPARE, lambda a, b: a > b),
    "at_least": _infix(">=", COMPARE, lambda a, b: a >= b),
    "equal": _infix("==", COMPARE, lambda a, b: a == b),
    "unequal": _infix("!=", COMPARE, lambda a, b: a != b),
    "in": _infix("in", COMPARE, lambda a, b: a in b),
    "not_in": _infix("not in", COMPARE, lambda a, b: a not in b),
    "and": _infix("and", AND, lambda a, b: a and b),
    "or": _infix("or", OR, lambda a, b: a or b),
    "absolute": Primitive(abs, "abs({0})"),
    "larger": Primitive(max, "max({0}, {1})"),
    "smaller": Primitive(min, "min({0}, {1})"),
    "length": Primitive(len, "len({0})"),
    "largest": Primitive(lambda v: max(v, default=0), "max({0}, default=0)"),
    "smallest": Primitive(lambda v: min(v, default=0), "min({0}, default=0)"),
    "add_up": Primitive(sum, "sum({0})"),
    "count": _of("{0}.count({1})", lambda v, x: v.count(x)),
    "empty": Primitive(lambda: [], "[]"),
    "single": Primitive(lambda x: [x], "[{0}]"),
    "sorted": Primitive(sorted, "sorted({0})"),
    "descending": Primitive(lambda v: sorted(v, reverse=True), "sorted({0}, reverse=True)"),
    "reversed": _of("{0}[::-1]", lambda v: v[::-1]),
    "from": _of("{0}[{1}:]", lambda v, n: v[n:]),
    "until": _of("{0}[:{1}]", lambda v, n: v[:n]),
    "between": _of("{0}[{1}:{2}]", lambda v, m, n: v[m:n]),
    "every": _of("{0}[::{1}]", lambda v, n: v[::n]),
    "every_from": _of("{0}[{1}::{2}]", lambda v, m, n: v[m::n]),
    "upper": _of("{0}.upper()", str.upper),
    "replace": _of("{0}.replace({1}, {2})", str.replace),
    "digits": Primitive(lambda n: [int(d) for d in str(abs(n))], "[int(d) for d in str(abs({0}))]"),
    "alphabet_place": Primitive(lambda c: ord(c) - 97, "ord({0}) - 97", SUM),
    "shift": Primitive(
        lambda c, n: chr((ord(c) - 97 + n) % 26 + 97),
        "chr((ord({0}) - 97 + {1}) % 26 + 97)",
        ATOM,
        (LOOSEST, PRODUCT),
    ),
}
