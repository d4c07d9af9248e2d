"""Compiles tool sets: which functions a database can have, and what they and arguments are called.

A `Spec` says what a function does. `compile_functions` turns the specs that a question needs, and
others that it does not need, into functions whose names, arguments and documents follow one style.

"Feedback-Driven Tool-Use Improvements in Large Language Models via Automated Build Environments"
(2025, arXiv 2508.08791) has language models write documents and code of such tools, merge them and
add others that only distract; here a grammar does it, so that both always agree.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from zerogym.envs.tools.functions.database import Database
from zerogym.envs.tools.functions.draws import Draws
from zerogym.envs.tools.functions.kinds import (
    OPERATIONS,
    Aggregate,
    Convert,
    Find,
    Function,
    Lookup,
    Rank,
)

Kind = type[Lookup] | type[Find] | type[Aggregate] | type[Convert]
_NAMES: dict[Kind, tuple[str, ...]] = {
    Lookup: ("get_{noun}_{word}", "{noun}_{word}", "fetch_{word}_of_{noun}"),
    Find: ("find_{plural}_by_{side}_{word}", "{plural}_with_{side}_{word}"),
    Aggregate: (
        "{operation}_{noun}_{word}_by_{group}",
        "get_{operation}_{noun}_{word}_per_{group}",
    ),
    Rank: ("find_{operation}_{noun}_by_{word}_{group}", "{noun}_of_{operation}_{word}_in_{group}"),
    Convert: ("convert_{source}_to_{target}", "{source}_into_{target}"),
}
_ARGUMENTS: dict[Kind, tuple[str, ...]] = {
    Lookup: ("name", "{noun}", "{noun}_name"),
    Find: ("bound", "{word}", "bound_of_{word}"),
    Aggregate: ("value", "{group}", "which_{group}"),
    Rank: ("value", "{group}", "which_{group}"),
    Convert: ("amount", "{source}", "amount_of_{source}"),
}
_SHORT = {"average": "mean", "largest": "most", "smallest": "least"}


@dataclass(frozen=True)
class Spec:
    """A function that a database can have: its kind, and the arguments of the kind's class."""

    kind: Kind
    parts: tuple[Any, ...]


def sample_spec(draws: Draws, database: Database, like: Spec | None = None) -> Spec:
    """Draw a function that a database can have.

    Args:
        draws: Source of randomness.
        database: The database.
        like: Draw one of the same kind, of the same table where it has one.
    """
    table = draws.pick(tuple(database.tables.values()))
    kinds: tuple[Kind, ...] = (Lookup, Lookup, Lookup, Find, Aggregate, Rank, Convert)
    kind = draws.pick(kinds)
    if like is not None:
        kind = like.kind
        table = table if kind is Convert else like.parts[0]
    if kind is Convert:
        return Spec(Convert, tuple(draws.some(tuple(database.rates), 2)))
    if kind is Lookup:
        return Spec(Lookup, (table, draws.pick(table.attributes)))
    number = draws.pick(table.of_kind("number"))
    if kind is Find:
        return Spec(Find, (table, number, draws.pick(("at least", "at most"))))
    if kind is Rank:
        group = draws.pick(table.of_kind("label"))
        return Spec(Rank, (table, number, group, draws.pick(OPERATIONS[2:])))
    group = draws.pick([*table.of_kind("label"), *table.of_kind("link")])
    return Spec(Aggregate, (table, number, group, draws.pick(OPERATIONS)))


def compile_functions(
    draws: Draws, database: Database, needed: Iterable[Spec], count: int
) -> dict[Spec, Function]:
    """Compile the functions of one tool set, in random order.

    Args:
        draws: Source of the style and of the choice of functions that only distract: one half of
            them resemble a needed one.
        database: What the functions read.
        needed: The functions that the question needs.
        count: Functions of the set, if so many different ones are found; at least the needed ones.
    """
    specs = dict.fromkeys(needed)
    models: list[Spec | None] = [*specs, *[None] * len(specs)] or [None]
    for _ in range(4 * count):
        if len(specs) >= count:
            break
        specs.setdefault(sample_spec(draws, database, draws.pick(models)))
    style = draws.between(0, 5)
    return {spec: _compiled(spec, style) for spec in draws.some(tuple(specs), len(specs))}


def _compiled(spec: Spec, style: int) -> Function:
    kind, words = spec.kind, _words(spec)
    names, arguments = _NAMES[kind], _ARGUMENTS[kind]
    name = names[style % len(names)].format(**words)
    argument = arguments[style % len(arguments)].format(**words)
    return kind(*spec.parts, name, style // 3, argument)


def _words(spec: Spec) -> dict[str, str]:
    """Return the words of which names are made."""
    if spec.kind is Convert:
        return {"source": spec.parts[0], "target": spec.parts[1]}
    table, attribute, *rest = spec.parts
    words = {"noun": table.noun, "plural": table.plural, "word": attribute.name}
    if spec.kind is Find:
        words["side"] = {"at least": "min", "at most": "max"}[rest[0]]
    elif rest:
        words["group"] = rest[0].name
        words["operation"] = _SHORT.get(rest[1], rest[1])
    return words
