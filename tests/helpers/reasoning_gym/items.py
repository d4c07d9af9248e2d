"""Items of reasoning-gym as problems of our tasks: numbers.

Written from the items' questions and metadata; `words.py` and
`puzzles.py` have the others. A problem made here has no answer yet: our solver gives
it.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from functools import reduce
from typing import Any

import pytest

from zerogym.envs.reasoning.algebra.linear_equations import LinearEquationsEnv
from zerogym.envs.reasoning.algebra.polynomials import PolynomialsEnv
from zerogym.envs.reasoning.algebra.sequence_rules import continued, rules_that_fit
from zerogym.envs.reasoning.algebra.sequences import SequencesEnv
from zerogym.envs.reasoning.algebra.univariate import parse_polynomial, product, rational_roots
from zerogym.envs.reasoning.arithmetic.base_conversion import BaseConversionEnv
from zerogym.envs.reasoning.arithmetic.chain_sum import ChainSumEnv
from zerogym.envs.reasoning.arithmetic.countdown import CountdownEnv
from zerogym.envs.reasoning.arithmetic.integers import parse_factors
from zerogym.envs.reasoning.arithmetic.number_theory import NumberTheoryEnv
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.measurement.date_questions import WEEKDAYS
from zerogym.envs.reasoning.measurement.dates import CalendarEnv
from zerogym.envs.reasoning.probability.probability import ProbabilityEnv

suite = pytest.importorskip("reasoning_gym")

Item = Mapping[str, Any]
Text = Callable[[str, Item], str]


def unchanged(text: str, item: Item) -> str:
    return text


@dataclass(frozen=True)
class Dataset:
    """A dataset of reasoning-gym beside a task of ours.

    Attributes:
        task: Our task.
        problem: The item's question as our problem; None if our task has no such question.
        read: An answer in its form, rewritten in our form.
        write: Our answer in its form.
        config: Arguments of the dataset where its defaults are too slow or another question.
    """

    task: type[ReasoningEnv]
    problem: Callable[[Item], Problem | None]
    read: Text = unchanged
    write: Text = unchanged
    config: Mapping[str, Any] = field(default_factory=dict)


def pose(item: Item, data: Mapping[str, Any], category: str = "") -> Problem:
    """A problem whose answer is still open."""
    return Problem(item["question"], "", category=category, data=data)


def _number_theory(item: Item, category: str) -> Problem:
    metadata = item["metadata"]
    if category == "factorisation":
        return pose(item, {"number": metadata["number"]}, category)
    return pose(item, {"numbers": metadata["numbers"]}, category)


def _write_factors(answer: str, item: Item) -> str:
    factors = parse_factors(answer) or Counter()
    return " × ".join(str(prime) for prime in sorted(factors.elements()))


def _base_conversion(item: Item) -> Problem | None:
    """It writes the number 0 as nothing in most bases."""
    metadata = item["metadata"]
    if not metadata["source_repr"]:
        return None
    bases = {"source": metadata["source_base"], "target": metadata["target_base"]}
    return pose(item, {"number": metadata["source_repr"].upper()} | bases)


def _equation(item: Item) -> Problem | None:
    """Some of its equations have lost their unknown."""
    metadata = item["metadata"]
    if metadata["variable"] not in metadata["equation"]:
        return None
    data = {"equations": [metadata["equation"]], "unknowns": metadata["variable"]}
    return pose(item, data, "one_unknown")


def value(answer: str, item: Item) -> str:
    return answer.partition("=")[2].strip()


def _coefficients(text: str, variable: str) -> list[int] | None:
    found = parse_polynomial(text.replace(variable, "x"))
    return None if found is None else [int(value) for value in found]


def _roots(item: Item) -> Problem | None:
    """Ours have all roots rational, none of them twice."""
    metadata = item["metadata"]
    polynomial = _coefficients(metadata["polynomial_expr"], metadata["variable"])
    if not polynomial or len(polynomial) < 2:
        return None
    roots = rational_roots(polynomial)
    if len(set(roots)) < len(polynomial) - 1:
        return None
    return pose(item, {"polynomial": polynomial}, "roots")


def _decimals(answer: str, item: Item) -> str:
    roots = sorted(round(float(Fraction(root)), 4) for root in answer.split(", "))
    return ", ".join(map(str, roots))


_FACTOR = re.compile(r"\(([^()]*)\)(?:\*\*(\d))?")


def _multiplication(item: Item) -> Problem | None:
    """Brackets with or without a power, and what is multiplied to them without brackets."""
    metadata = item["metadata"]
    text, names = metadata["polynomial_expr"], metadata["variables"]
    name = names[0] if names else "x"
    factors = []
    for inner, power in _FACTOR.findall(text):
        factors += [_coefficients(inner, name)] * int(power or 1)
    rest = _FACTOR.sub("", text).strip("*").replace("**(", "(")
    factors.append(_coefficients(f"{rest}1" if rest == "-" else rest, name) if rest else [1])
    known = [factor for factor in factors if factor]
    if len(known) < len(factors):
        return None  # one of them is 0
    first = reduce(product, known[:-1], [1])
    return pose(item, {"factors": [first, known[-1]]}, "multiplication")


def _read_polynomial(answer: str, item: Item) -> str:
    names = item["metadata"]["variables"]
    return answer.replace(names[0], "x") if names else answer


def _write_polynomial(answer: str, item: Item) -> str:
    name = (item["metadata"]["variables"] or ["x"])[0]
    return re.sub(r"(?<=\d)x", "*x", answer).replace("^", "**").replace("x", name)


def _sequence(item: Item) -> Problem | None:
    """Only where rules of our family fit, and all of them agree about the next term."""
    terms = item["metadata"]["sequence"][:-1]
    following = {tuple(continued(rule, terms, 1) or ()) for rule in rules_that_fit(terms)}
    if len(following) != 1 or () in following:
        return None
    return pose(item, {"terms": terms, "asked": 1})


def _dice(item: Item) -> Problem:
    puzzle = item["metadata"]["puzzle"]
    dice = [int(sides) for sides in re.findall(r"1d(\d+)", puzzle["dice_str"])]
    return pose(item, {"dice": dice, "event": [puzzle["target"], sum(dice)], "given": None}, "dice")


def _coins(item: Item) -> Problem:
    metadata = item["metadata"]
    flips, heads = metadata["num_trials"], metadata["k_heads"]
    most = heads if metadata["problem_type"] == "exact" else flips
    fair = {"good": 1, "other": 1, "draws": flips, "replace": True, "first": 0}
    return pose(item, fair | {"event": [heads, most], "given": None}, "coins")


CALENDAR_TASKS = ["weekday_offset", "weekday_of_date", "recurring_event_day", "count_days"]
_ORDINALS = ("last", "first", "second", "third", "fourth")
_COUNTED = re.compile(r"(?:How many|occurrences of|times does) ([A-Z][a-z]+day)")


def _parts(day: str) -> list[int]:
    return [int(part) for part in day.split("-")]


def _calendar(item: Item) -> Problem:
    metadata = item["metadata"]
    if metadata["task"] == "count_days":
        named = _COUNTED.search(item["question"])
        assert named is not None
        ends = {"first": _parts(metadata["start_date"]), "second": _parts(metadata["end_date"])}
        return pose(item, ends | {"kind": "count", "weekday": WEEKDAYS.index(named[1])}, "count")
    if metadata["task"] == "recurring_event_day":
        number, weekday = _ORDINALS.index(metadata["ordinal"]), WEEKDAYS.index(metadata["weekday"])
        month = {"year": metadata["year"], "month": metadata["month"]}
        return pose(item, month | {"kind": "nth", "weekday": weekday, "number": number}, "nth")
    start = metadata.get("start_date", metadata["target_date"])
    shifts = [[metadata.get("offset_days", 0), "day"]]
    return pose(item, {"kind": "days", "first": _parts(start), "shifts": shifts}, "days")


def _read_calendar(answer: str, item: Item) -> str:
    """Our answers have the date, too, or the whole date of the day of the month."""
    metadata = item["metadata"]
    if metadata["task"] == "count_days":
        return answer
    if metadata["task"] == "recurring_event_day":
        return f"{metadata['year']}-{metadata['month']:02d}-{answer}"
    return f"{answer} {metadata['target_date']}"


def _write_calendar(answer: str, item: Item) -> str:
    if item["metadata"]["task"] == "recurring_event_day":
        return str(date.fromisoformat(answer).day)
    return answer.partition(" ")[0]


NUMBERS: dict[str, Dataset] = {
    "chain_sum": Dataset(
        ChainSumEnv, lambda item: pose(item, {"expression": item["metadata"]["expression"]})
    ),
    "countdown": Dataset(
        CountdownEnv,
        lambda item: pose(item, {key: item["metadata"][key] for key in ("numbers", "target")}),
        config={"max_numbers": 4},
    ),
    "gcd": Dataset(NumberTheoryEnv, lambda item: _number_theory(item, "gcd")),
    "lcm": Dataset(NumberTheoryEnv, lambda item: _number_theory(item, "lcm")),
    "prime_factorization": Dataset(
        NumberTheoryEnv,
        lambda item: _number_theory(item, "factorisation"),
        write=_write_factors,
    ),
    "base_conversion": Dataset(
        BaseConversionEnv, _base_conversion, write=lambda answer, item: answer.lower()
    ),
    "simple_equations": Dataset(LinearEquationsEnv, _equation, write=value),
    "polynomial_equations": Dataset(PolynomialsEnv, _roots, write=_decimals),
    "polynomial_multiplication": Dataset(
        PolynomialsEnv, _multiplication, _read_polynomial, _write_polynomial
    ),
    "number_sequence": Dataset(SequencesEnv, _sequence),
    "dice": Dataset(ProbabilityEnv, _dice),
    "coin_flip": Dataset(ProbabilityEnv, _coins),
    "calendar_arithmetic": Dataset(
        CalendarEnv, _calendar, _read_calendar, _write_calendar, {"tasks": CALENDAR_TASKS}
    ),
}
