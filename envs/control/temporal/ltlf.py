"""Linear temporal logic on finite traces (LTLf): parsing and progression of formulas.

A formula is about events at moments 1, 2, ..., T of an episode:

| written | holds at a moment if |
|---|---|
| `key`, `true`, `false` | the event holds then; always; never |
| `!p`, `p & q`, `p \\| q`, `p -> q` | as in propositional logic |
| `X p` | there is a next moment and p holds at it |
| `N p` | p holds at the next moment, if there is one ("weak next") |
| `F p`, `G p` | p holds at some, at every moment from now on |
| `p U q` | q holds at some moment from now on, and p at all before it |
| `p R q` | q holds up to and at the first moment at which p holds, or for ever |

`!`, `X`, `N`, `F`, `G` bind closest, then `U` and `R`, `&`, `|`, `->`; the last four and `U`, `R`
group to the right. Semantics of "Linear Temporal Logic and Linear Dynamic Logic on Finite Traces"
(2013, De Giacomo and Vardi, IJCAI). *Progression* rewrites a formula after each moment into its
obligations for the rest of the episode. These are a set of alternatives (a disjunctive normal form
over subformulas), so that there are finitely many. Left out: past time.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from zerogym.errors import UnknownName

MAX_LENGTH = 400  # characters of a formula
MAX_DEPTH = 50  # of brackets, negations and operators of one argument in each other
MAX_ALTERNATIVES = 128  # of the obligations: for some formulas they grow without bound
_MAX_COMPARED = 512  # alternatives before subsumed ones are dropped

_TOKEN = re.compile(r"\s*(?:(->|[!&|()])|([A-Za-z_][A-Za-z0-9_]*))")
_DUAL = {"X": "N", "N": "X", "F": "G", "G": "F", "U": "R", "R": "U", "&": "|", "|": "&"}
_LEVELS = (("->",), ("|",), ("&",), ("U", "R"))  # loosest first


@dataclass(frozen=True, order=True)
class Formula:
    """A formula in which only events are negated.

    Attributes:
        kind: `event`, `not` (of an event), `true`, `false`, or an operator.
        parts: The operands.
        name: Name of the event.
    """

    kind: str
    parts: tuple["Formula", ...] = ()
    name: str = ""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.kind, self.parts, self.name))

    def __reduce__(self) -> tuple[type["Formula"], tuple[object, ...]]:
        return Formula, (self.kind, self.parts, self.name)  # another process has other hashes


TRUE, FALSE = Formula("true"), Formula("false")

# A duty is a formula that must hold from the next moment on: there must be one ("X"), or only if
# there is one ("N"). Alternatives are sets of duties; all duties of one of them must be fulfilled.
Duty = tuple[str, Formula]
Duties = frozenset[frozenset[Duty]]

_DONE: Duties = frozenset([frozenset()])  # satisfied, whatever follows
_LOST: Duties = frozenset()  # violated, whatever follows


def parse(text: str) -> Formula:
    """Parse a formula.

    Raises:
        TypeError: If it is no string.
        ValueError: If it cannot be parsed; names the place.
    """
    if not isinstance(text, str):
        raise TypeError(f"a formula is a str, not {type(text).__name__}")
    if len(text) > MAX_LENGTH:
        raise ValueError(f"a formula may have {MAX_LENGTH} characters, not {len(text)}")
    parser = _Parser(text)
    formula = parser.binary(0)
    if parser.token is not None:
        raise parser.fault("the end")
    return formula


def negate(formula: Formula) -> Formula:
    """Return the negation, with negations only at events."""
    kind, parts = formula.kind, formula.parts
    if kind in ("event", "not"):
        return Formula("not" if kind == "event" else "event", name=formula.name)
    if kind in ("true", "false"):
        return FALSE if kind == "true" else TRUE
    return Formula(_DUAL[kind], tuple(map(negate, parts)))


def names(formula: Formula) -> set[str]:
    """Return the names of the events of a formula."""
    return {part.name for part in _walk(formula) if part.name}


def check_names(formula: Formula, known: Collection[str]) -> None:
    """Refuse unknown events.

    Raises:
        UnknownName: If the formula has another event than the known ones; names the nearest.
    """
    for name in sorted(names(formula)):
        if name not in known:
            raise UnknownName("event", name, list(known))


def in_order(events: Sequence[str]) -> str:
    """Return the formula of events one after the other, each at a later moment."""
    formula = f"F {events[-1]}"
    for event in reversed(events[:-1]):
        formula = f"F ({event} & X {formula})"
    return formula


def is_temporal(formula: Formula) -> bool:
    """Return True if the formula has a temporal operator."""
    return any(part.kind in "XNFGUR" for part in _walk(formula))


def start(formula: Formula) -> Duties:
    """Return the duties before the first moment; an episode has at least one."""
    return frozenset([frozenset([("X", formula)])])


def progress(duties: Duties, holding: frozenset[str]) -> Duties:
    """Return the duties after a moment at which these events held.

    Raises:
        ValueError: If there are more than `MAX_ALTERNATIVES`.
    """
    after: set[frozenset[Duty]] = set()
    for alternative in duties:
        rest = _DONE
        for _, formula in sorted(alternative):  # the order of string sets differs between processes
            rest = _both(rest, _expand(formula, holding))
        after |= rest
    return _smallest(after)


def relevant(duties: Duties) -> frozenset[str]:
    """Return the events on which the result of `progress` depends."""
    return frozenset().union(*(_now(formula) for each in duties for _, formula in each))


def satisfied(duties: Duties) -> bool:
    """Return True if the formula holds if the episode ends here."""
    return any(all(when == "N" for when, _ in alternative) for alternative in duties)


def decided(duties: Duties) -> bool:
    """Return True if no further moment can change the outcome."""
    return duties in (_DONE, _LOST)


@lru_cache(maxsize=4096)
def _now(formula: Formula) -> frozenset[str]:
    """Return the events that a formula reads at this moment."""
    if formula.kind in "XN":
        return frozenset()
    own = {formula.name} if formula.name else set()
    return frozenset(own).union(*map(_now, formula.parts))


def _expand(formula: Formula, holding: frozenset[str]) -> Duties:
    """Return the duties of a formula for the rest, if these events hold at this moment."""
    kind, parts = formula.kind, formula.parts
    match kind:
        case "event" | "not":
            return _DONE if (formula.name in holding) == (kind == "event") else _LOST
        case "true" | "false":
            return _DONE if kind == "true" else _LOST
        case "X" | "N":
            return frozenset([frozenset([(kind, parts[0])])])
        case "&":
            return _both(_expand(parts[0], holding), _expand(parts[1], holding))
        case "|":
            return _smallest(_expand(parts[0], holding) | _expand(parts[1], holding))
        case "F" | "U":  # q, or p now and the same again from a next moment on
            now = _expand(parts[-1], holding)
            before = _DONE if kind == "F" else _expand(parts[0], holding)
            return _smallest(now | _both(before, frozenset([frozenset([("X", formula)])])))
        case _:  # "G", "R": q, and (p now, or the same again if there is a next moment)
            now = _expand(parts[-1], holding)
            released = _LOST if kind == "G" else _expand(parts[0], holding)
            return _both(now, _smallest(released | {frozenset([("N", formula)])}))


def _both(one: Duties, other: Duties) -> Duties:
    return _smallest({a | b for a in one for b in other})


def _smallest(alternatives: set[frozenset[Duty]] | Duties) -> Duties:
    """Return the alternatives without those that are proper supersets of another one."""
    kept = {frozenset(d for d in a if not (d[0] == "N" and ("X", d[1]) in a)) for a in alternatives}
    if len(kept) > _MAX_COMPARED:
        raise ValueError(f"the formula has more than {_MAX_COMPARED} alternatives: simplify it")
    found = frozenset(a for a in kept if not any(b < a for b in kept))
    if len(found) > MAX_ALTERNATIVES:
        raise ValueError(f"the formula has more than {MAX_ALTERNATIVES} alternatives: simplify it")
    return found


def _walk(formula: Formula) -> Iterator[Formula]:
    yield formula
    for part in formula.parts:
        yield from _walk(part)


class _Parser:
    """Recursive-descent parser of formulas."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._next = text, 0, 0
        self.token: str | None = None
        self._depth = 0
        self.advance()

    def advance(self) -> None:
        """Go to the next token; None at the end."""
        self._at = self._next
        if not self._text[self._at :].strip():
            self.token = None
            return
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            raise self.fault("an event or operator")
        self.token, self._next = found[1] or found[2], found.end()

    def fault(self, expected: str) -> ValueError:
        """Return the error that names the expected token and the place."""
        rest = self._text[self._at :].lstrip()
        place = len(self._text) - len(rest) + 1
        return ValueError(
            f"formula {self._text[:80]!r}: expected {expected} at {rest[:20]!r}, character {place}"
        )

    def binary(self, level: int) -> Formula:
        """Parse a formula whose operators bind at least as closely as those of a level."""
        if level == len(_LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        if self.token not in _LEVELS[level]:
            return left
        operator = self.token
        self.advance()
        right = self.binary(level)
        if operator == "->":
            return Formula("|", (negate(left), right))
        return Formula(str(operator), (left, right))

    def unary(self) -> Formula:
        """Parse an event, a constant, a bracket, or one of these after `!`, `X`, `N`, `F`, `G`."""
        token = self.token
        if token is None or token in ("&", "|", "->", ")", "U", "R"):
            raise self.fault("an event")
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self.fault(f"not more than {MAX_DEPTH} in each other, stopped")
        self.advance()
        match token:
            case "(":
                formula = self.binary(0)
                if self.token != ")":
                    raise self.fault("')'")
                self.advance()
            case "!":
                formula = negate(self.unary())
            case "X" | "N" | "F" | "G":
                formula = Formula(token, (self.unary(),))
            case "true" | "false":
                formula = TRUE if token == "true" else FALSE
            case _:
                formula = Formula("event", name=token)
        self._depth -= 1
        return formula
