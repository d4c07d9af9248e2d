"""The family of rules behind `Sequences`: what each rule computes, and which rules fit given terms.

A rule is a kind with its numbers, or two of them that take turns. Its cost is how many numbers
write it down, starting terms included. It can fit only if more terms are shown than it costs, since
fewer would fit any rule of its kind. Left out: rules on digits, primes, and rational numbers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

Numbers = tuple[int, ...]
Terms = Sequence[int]


@dataclass(frozen=True)
class Kind:
    """A kind of rule.

    Attributes:
        hint: The rule in words.
        starts: Terms that are given before the rule applies.
        cost: Starting terms and numbers.
        fit: The only numbers with which the first terms can follow the rule, None for one that
            does not exist. Gets more terms than `cost`; the caller checks that all follow.
        step: The next term; None if it is not an integer.
        say: The next term as a calculation.
    """

    hint: str
    starts: int
    cost: int
    fit: Callable[[Terms], tuple[int | None, ...]]
    step: Callable[[Numbers, Terms], int | None]
    say: Callable[[Numbers, Terms], str]


@dataclass(frozen=True)
class Rule:
    """A kind with its numbers, or two of them that take turns."""

    parts: tuple[tuple[Kind, Numbers], ...]

    @property
    def cost(self) -> int:
        return sum(kind.cost for kind, _ in self.parts)

    @property
    def hint(self) -> str:
        hints = [kind.hint for kind, _ in self.parts]
        if len(hints) == 1:
            return hints[0]
        return f"two sequences take turns; in one {hints[0]}, in the other {hints[1]}"

    def next(self, terms: Terms) -> int | None:
        kind, numbers, own = self._part(terms)
        return kind.step(numbers, own)

    def say(self, terms: Terms) -> str:
        kind, numbers, own = self._part(terms)
        return kind.say(numbers, own)

    def _part(self, terms: Terms) -> tuple[Kind, Numbers, Terms]:
        """The part that gives the next term, and its own terms."""
        turns = len(self.parts)
        turn = len(terms) % turns
        return *self.parts[turn], terms[turn::turns]


def continued(rule: Rule, terms: Terms, count: int) -> list[int] | None:
    """The next `count` terms; None if one is not an integer."""
    found = list(terms)
    for _ in range(count):
        value = rule.next(found)
        if value is None:
            return None
        found.append(value)
    return found[len(terms) :]


def rules_that_fit(terms: Terms) -> list[Rule]:
    """Every rule of the family that all the terms follow, the simplest first.

    Example:
        >>> rules_that_fit([3, 5, 7, 9])[0].hint
        'a fixed number is added'
    """
    found = [Rule((part,)) for part in _simple(terms, tuple(KINDS.values()))]
    turns = [_simple(terms[turn::2], TURN_KINDS) for turn in (0, 1)]
    found += [Rule(pair) for pair in product(*turns)]
    return sorted(found, key=lambda rule: rule.cost)


def _simple(terms: Terms, kinds: tuple[Kind, ...]) -> list[tuple[Kind, Numbers]]:
    """The kinds that all terms follow, with their numbers."""
    found = []
    for kind in kinds:
        numbers = kind.fit(terms) if len(terms) > kind.cost else (None,)
        known = tuple(number for number in numbers if number is not None)
        if len(known) == len(numbers) and all(
            kind.step(known, terms[:n]) == terms[n] for n in range(kind.starts, len(terms))
        ):
            found.append((kind, known))
    return found


def _quotient(top: int, bottom: int) -> int | None:
    """The integer quotient, if there is one."""
    return top // bottom if bottom and top % bottom == 0 else None


def _affine(t: Terms) -> tuple[int | None, ...]:
    factor = _quotient(t[2] - t[1], t[1] - t[0])
    return factor, t[1] - (factor or 0) * t[0]


def _plus_then_times(t: Terms) -> tuple[int | None, ...]:
    if t[1] == 0 and len(t) == 4:  # nothing shows the factor
        return (None,)
    return _quotient(t[2], t[1]) if t[1] else _quotient(t[4], t[3]), t[1] - t[0]


def _recurrence(t: Terms) -> tuple[int | None, ...]:
    """Cramer's rule; where it has no answer, the terms follow a simpler rule or none."""
    common = t[1] * t[1] - t[0] * t[2]
    first = _quotient(t[1] * t[2] - t[0] * t[3], common)
    return first, _quotient(t[1] * t[3] - t[2] * t[2], common)


def _plus(value: int) -> str:
    return f"- {-value}" if value < 0 else f"+ {value}"


def _times(value: int) -> str:
    return f"({value})" if value < 0 else str(value)


def _turn_step(n: Numbers, t: Terms, plus_turn: int) -> int:
    return t[-1] + n[1] if len(t) % 2 == plus_turn else t[-1] * n[0]


def _turn_text(n: Numbers, t: Terms, plus_turn: int) -> str:
    return f"{t[-1]} {_plus(n[1])}" if len(t) % 2 == plus_turn else f"{t[-1]} * {_times(n[0])}"


KINDS: dict[str, Kind] = {
    "arithmetic": Kind(
        "a fixed number is added", 1, 2,
        lambda t: (t[1] - t[0],),
        lambda n, t: t[-1] + n[0],
        lambda n, t: f"{t[-1]} {_plus(n[0])}",
    ),
    "geometric": Kind(
        "the term is multiplied by a fixed number", 1, 2,
        lambda t: (_quotient(t[1], t[0]),),
        lambda n, t: t[-1] * n[0],
        lambda n, t: f"{t[-1]} * {_times(n[0])}",
    ),
    "division": Kind(
        "the term is divided by a fixed number", 1, 2,
        lambda t: (_quotient(t[0], t[1]),),
        lambda n, t: _quotient(t[-1], n[0]),
        lambda n, t: f"{t[-1]} / {_times(n[0])}",
    ),
    "sum of two": Kind(
        "each term is the sum of the two before it", 2, 2,
        lambda t: (),
        lambda n, t: t[-1] + t[-2],
        lambda n, t: f"{t[-2]} {_plus(t[-1])}",
    ),
    "quadratic": Kind(
        "the steps change by a fixed number", 2, 3,
        lambda t: (t[2] - 2 * t[1] + t[0],),
        lambda n, t: 2 * t[-1] - t[-2] + n[0],
        lambda n, t: f"{t[-1]} {_plus(t[-1] - t[-2])} {_plus(n[0])}",
    ),
    "alternating steps": Kind(
        "two fixed numbers are added in turn", 1, 3,
        lambda t: (t[1] - t[0], t[2] - t[1]),
        lambda n, t: t[-1] + n[(len(t) - 1) % 2],
        lambda n, t: f"{t[-1]} {_plus(n[(len(t) - 1) % 2])}",
    ),
    "affine": Kind(
        "the term is multiplied by a fixed number and another one is added", 1, 3,
        _affine,
        lambda n, t: n[0] * t[-1] + n[1],
        lambda n, t: f"{n[0]} * {_times(t[-1])} {_plus(n[1])}",
    ),
    "times then plus": Kind(
        "multiplying by a fixed number and adding one take turns", 1, 3,
        lambda t: (
            _quotient(t[1], t[0]) if t[0] else _quotient(t[3], t[2]), t[2] - t[1]
        ),
        lambda n, t: _turn_step(n, t, 0),
        lambda n, t: _turn_text(n, t, 0),
    ),
    "plus then times": Kind(
        "adding a fixed number and multiplying by one take turns", 1, 3,
        _plus_then_times,
        lambda n, t: _turn_step(n, t, 1),
        lambda n, t: _turn_text(n, t, 1),
    ),
    "sum of two and more": Kind(
        "each term is the sum of the two before it and a fixed number", 2, 3,
        lambda t: (t[2] - t[1] - t[0],),
        lambda n, t: t[-1] + t[-2] + n[0],
        lambda n, t: f"{t[-2]} {_plus(t[-1])} {_plus(n[0])}",
    ),
    "sum of three": Kind(
        "each term is the sum of the three before it", 3, 3,
        lambda t: (),
        lambda n, t: t[-1] + t[-2] + t[-3],
        lambda n, t: f"{t[-3]} {_plus(t[-2])} {_plus(t[-1])}",
    ),
    "recurrence": Kind(
        "each term is a fixed multiple of the one before it plus a fixed multiple of the one "
        "before that", 2, 4,
        _recurrence,
        lambda n, t: n[0] * t[-1] + n[1] * t[-2],
        lambda n, t: f"{n[0]} * {_times(t[-1])} + {_times(n[1])} * {_times(t[-2])}",
    ),
    "cubic": Kind(
        "the steps of the steps change by a fixed number", 3, 4,
        lambda t: (t[3] - 3 * t[2] + 3 * t[1] - t[0],),
        lambda n, t: 3 * t[-1] - 3 * t[-2] + t[-3] + n[0],
        lambda n, t: f"{t[-1]} {_plus(t[-1] - t[-2])} "
        f"{_plus(t[-1] - 2 * t[-2] + t[-3])} {_plus(n[0])}",
    ),
}  # fmt: skip
TURN_NAMES = ("arithmetic", "geometric", "division", "quadratic")
TURN_KINDS = tuple(KINDS[name] for name in TURN_NAMES)
