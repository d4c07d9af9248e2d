"""Word problems as ledgers: things with a rate and a count, and facts about them.

A fact is `[quantity, value]`, or `[quantity, other quantity, difference]`. Of every group of
quantities that differences tie together exactly one has a value of its own, so it is plain which
facts a question needs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, pick, sample_of, shuffled

MORE_THINGS = 4  # things whose quantities are named but not given
Fact = list[str | int]


@dataclass(frozen=True)
class Theme:
    """Words for one kind of ledger; `{one}` and `{many}` are a thing and several of it."""

    things: tuple[tuple[str, str], ...]
    rate: str
    count: str
    rate_given: str
    rate_compared: str
    count_given: str
    question: str


THEMES = (
    Theme(
        (("pen", "pens"), ("book", "books"), ("marker", "markers"), ("ruler", "rulers"),
         ("folder", "folders"), ("brush", "brushes"), ("stamp", "stamps"), ("map", "maps")),
        "price of a {one}", "number of {many}",
        "A {one} costs {n} coins.", "A {one} costs {n} coins {more} than a {other}.",
        "Mia buys {n} {many}.", "How many coins does Mia pay for the {listed}?",
    ),
    Theme(
        (("carrot", "carrots"), ("leek", "leeks"), ("turnip", "turnips"), ("bean", "beans"),
         ("radish", "radishes"), ("tomato", "tomatoes"), ("pumpkin", "pumpkins"), ("pea", "peas")),
        "number of plants in a {one} row", "number of {one} rows",
        "A {one} row has {n} plants.", "A {one} row has {n} plants {more} than a {other} row.",
        "There are {n} {one} rows.", "How many plants are there among the {listed}?",
    ),
    Theme(
        (("bolt", "bolts"), ("spring", "springs"), ("gear", "gears"), ("valve", "valves"),
         ("hinge", "hinges"), ("lever", "levers"), ("chain", "chains"), ("wheel", "wheels")),
        "speed of the {one} machine", "hours of the {one} machine",
        "The {one} machine makes {n} parts an hour.",
        "The {one} machine makes {n} parts {more} an hour than the {other} machine.",
        "The {one} machine runs for {n} hours.", "How many parts are made of the {listed}?",
    ),
    Theme(
        (("plum", "plums"), ("lemon", "lemons"), ("mango", "mangoes"), ("melon", "melons"),
         ("fig", "figs"), ("pear", "pears"), ("peach", "peaches"), ("lime", "limes")),
        "size of a {one} crate", "number of {one} crates",
        "A {one} crate holds {n} fruits.",
        "A {one} crate holds {n} fruits {more} than a {other} crate.",
        "{n} {one} crates arrive.", "How many fruits arrive as {listed}?",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Ledger:
    """All quantities and facts of a problem before some facts are left out.

    Attributes:
        names: The quantities: rate and count of each thing.
        facts: One fact and its sentence for each quantity.
        values: The value of each quantity.
        terms: Pairs of a rate and a count whose products are added.
        groups: For each quantity those that differences tie to it.
        question: The question as a sentence.
        unit: Unit of the sum, such as `coins`.
        others: Quantities of things that are not in the text, but could be.
    """

    names: list[str]
    facts: dict[str, tuple[Fact, str]]
    values: dict[str, int]
    terms: list[list[str]]
    groups: dict[str, list[str]]
    question: str
    unit: str
    others: list[str]

    @property
    def needed(self) -> list[str]:
        """Return the quantities with a value of their own that the question needs."""
        needed = {name for pair in self.terms for name in pair}
        return [n for n in self.own_values if needed & set(self.groups[n])]

    @property
    def own_values(self) -> list[str]:
        """Return the quantities with a value of their own."""
        return [name for name in self.names if len(self.facts[name][0]) == 2]


def draw_ledger(rng: np.random.Generator, size: int, terms: int, compare: float) -> Ledger:
    """Draw things with rates and counts; a share `compare` of rates is given as a difference."""
    theme = pick(rng, THEMES)
    every = shuffled(rng, theme.things)
    things, spare = every[:size], every[size : size + MORE_THINGS]
    names: list[str] = []
    facts: dict[str, tuple[Fact, str]] = {}
    values: dict[str, int] = {}
    groups: dict[str, list[str]] = {}
    rates: list[str] = []
    for place, (one, many) in enumerate(things):
        rate, count = theme.rate.format(one=one), theme.count.format(one=one, many=many)
        values[rate], values[count] = draw_int(rng, 3, 30), draw_int(rng, 2, 12)
        base = int(rng.random() * place) if place else 0
        if place and rng.random() < compare and values[rate] != values[rates[base]]:
            facts[rate] = _compare(theme, rate, one, rates[base], things[base][0], values)
            groups[rate] = groups[rates[base]]
            groups[rate].append(rate)
        else:
            text = theme.rate_given.format(one=one, n=values[rate])
            facts[rate], groups[rate] = ([rate, values[rate]], text), [rate]
        text = theme.count_given.format(one=one, many=many, n=values[count])
        facts[count], groups[count] = ([count, values[count]], text), [count]
        rates.append(rate)
        names += [rate, count]
    chosen = sorted(sample_of(rng, range(size), terms))
    listed = " and ".join(things[place][1] for place in chosen)
    question = theme.question.format(listed=listed) + (" Add them up." if terms > 1 else "")
    pairs = [names[2 * place : 2 * place + 2] for place in chosen]
    others = [
        text.format(one=one, many=many)
        for one, many in spare for text in (theme.rate, theme.count)
    ]  # fmt: skip
    unit = theme.question.split()[2]
    return Ledger(names, facts, values, pairs, groups, question, unit, others)


def _compare(
    theme: Theme, rate: str, one: str, base: str, other: str, values: Mapping[str, int]
) -> tuple[Fact, str]:
    difference = values[rate] - values[base]
    more = "more" if difference > 0 else "less"
    text = theme.rate_compared.format(one=one, other=other, n=abs(difference), more=more)
    return [rate, base, difference], text


def work_out(facts: Sequence[Fact], known: Mapping[str, int]) -> dict[str, int]:
    """Return every value that follows from the facts and other known values."""
    values = dict(known) | {str(fact[0]): int(fact[1]) for fact in facts if len(fact) == 2}
    links = [(str(f[0]), str(f[1]), int(f[2])) for f in facts if len(f) == 3]
    while True:
        before = len(values)
        for name, base, difference in links:
            if base in values:
                values.setdefault(name, values[base] + difference)
            elif name in values:
                values[base] = values[name] - difference
        if len(values) == before:
            return values


def total(terms: Sequence[Sequence[str]], values: Mapping[str, int]) -> int | None:
    """Return the sum of products of rates and counts; None if a value for it is missing."""
    if any(name not in values for pair in terms for name in pair):
        return None
    return sum(values[rate] * values[count] for rate, count in terms)


def what_would_settle(data: Mapping[str, Any]) -> list[str]:
    """Return the quantities whose value, were it known, would answer the question."""
    return [
        name
        for name in data["names"]
        if total(data["asked"], work_out(data["facts"], {name: 0})) is not None
    ]
