"""Questions whose answers only calls can find: one call, several side by side, or a chain of them.

A question is made of terms; its plan is found by running the functions on the database, so that the
expert is right by construction.

Left out: questions that need a calculation besides the functions, and unanswerable ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.functions.compiler import Spec, sample_spec
from zerogym.envs.tools.functions.database import HIGH, LOW, Database, Table, Value
from zerogym.envs.tools.functions.draws import Draws
from zerogym.envs.tools.functions.kinds import (
    NONE,
    OPERATIONS,
    SEPARATOR,
    Aggregate,
    Convert,
    Find,
    Function,
    Lookup,
    Rank,
    State,
)

Reading = Literal["single", "parallel", "multi_hop"]
MAX_PARALLEL, MAX_HOPS = 5, 6
BETWEEN = " | "  # the answers of several questions
_SHORTEST = 3  # characters of an answer, so that it stands in no prompt by chance
_FOUND = (2, 4)  # records that a question for all of a kind has


@dataclass(frozen=True)
class Term:
    """A call whose argument is a value, or the result of another term.

    Attributes:
        spec: The function.
        argument: The value, or the term that finds it.
    """

    spec: Spec
    argument: "Value | Term"


@dataclass(frozen=True)
class Solution:
    """The calls that find an answer, in order, the result of each, and the answer."""

    plan: tuple[Call, ...]
    results: tuple[str, ...]
    answer: str


class Unsound(Exception):
    """A question has no answer, or one that is found without all of its calls."""


def solve(
    terms: Sequence[Term], functions: Mapping[Spec, Function], database: Database
) -> Solution:
    """Answer a question by running its functions on a database.

    Raises:
        Unsound: If a call finds nothing, if two calls are the same, or if the answer stands in the
            question or in a result before the last one.
    """
    state, plan = State(database), list[Call]()

    def result_of(term: Term) -> str:
        inner = term.argument
        value = result_of(inner) if isinstance(inner, Term) else inner
        function = functions[term.spec]
        if term.spec.kind is Convert:
            value = int(value)
        call = Call(function.name, {function.body: value})
        result = function.call(call.arguments, state)
        if result.text == NONE or call in plan:
            raise Unsound("a call finds nothing, or what is known")
        plan.append(call)
        return result.text

    answer = BETWEEN.join(result_of(term) for term in terms)
    results = tuple(result for _, result in state.made)
    known = (question_of(terms), *(results[:-1] if len(terms) == 1 else ()))
    if len(answer) < _SHORTEST or any(answer in text for text in known):
        raise Unsound("the answer is known")
    return Solution(tuple(plan), results, answer)


def specs_of(term: Term) -> list[Spec]:
    """Return the functions that a term needs."""
    inner = specs_of(term.argument) if isinstance(term.argument, Term) else []
    return [*inner, term.spec]


def sample_terms(
    draws: Draws, database: Database, category: Reading, difficulty: float
) -> tuple[Term, ...]:
    """Draw what a question is made of; it may turn out to be unsound."""
    extra = int(difficulty) + int(draws.chance() < difficulty % 1)
    if category == "multi_hop":
        return (_chain(draws, database, min(MAX_HOPS, 2 + extra)),)
    count = 1 if category == "single" else min(MAX_PARALLEL, 2 + extra)
    return tuple(_one_call(draws, database) for _ in range(count))


def _one_call(draws: Draws, database: Database) -> Term:
    spec = sample_spec(draws, database)
    if spec.kind is Convert:
        return Term(spec, draws.between(LOW, HIGH))
    table, attribute, *rest = spec.parts
    if spec.kind is Lookup:
        # A label would be easy to guess.
        named = draws.pick([*table.of_kind("number"), *table.of_kind("link")])
        return Term(Spec(Lookup, (table, named)), draws.pick(table.names))
    records = database.records[table.noun].values()
    if spec.kind is Find:
        values = sorted(record[attribute.name] for record in records)
        place = draws.between(*_FOUND)
        return Term(spec, values[-place] if rest[0] == "at least" else values[place - 1])
    return Term(spec, draws.pick(tuple(records))[rest[0].name])


def _chain(draws: Draws, database: Database, hops: int) -> Term:
    """Draw a walk over links that ends with a number, in so many calls."""
    table = draws.pick(tuple(database.tables.values()))
    convert = hops > 2 and draws.chance() < 0.3
    left = hops - 1 - convert
    term: Term | str = draws.pick(table.names)
    if draws.chance() < 0.5:
        label, number = draws.pick(table.of_kind("label")), draws.pick(table.of_kind("number"))
        operation = draws.pick(OPERATIONS[2:])
        term = Term(Spec(Rank, (table, number, label, operation)), draws.pick(label.labels))
        left -= 1
    for _ in range(left):
        link = draws.pick(table.of_kind("link"))
        term, table = Term(Spec(Lookup, (table, link)), term), database.tables[link.target]
    term = _last(draws, database, table, term)
    if convert:
        term = Term(Spec(Convert, tuple(draws.some(tuple(database.rates), 2))), term)
    return term


def _last(draws: Draws, database: Database, table: Table, term: Term | str) -> Term:
    """Draw the number at the end of a walk: of its record, or of all that link to it."""
    groups = [
        (other, link)
        for other in database.tables.values()
        for link in other.of_kind("link")
        if link.target == table.noun
    ]
    if not groups or draws.chance() < 0.6:
        numbers = table.of_kind("number")
        if isinstance(term, Term) and term.spec.kind is Rank:
            # The number by which it was ranked, one aggregate might return at once.
            numbers.remove(term.spec.parts[1])
        return Term(Spec(Lookup, (table, draws.pick(numbers))), term)
    other, link = draws.pick(groups)
    number, operation = draws.pick(other.of_kind("number")), draws.pick(OPERATIONS)
    return Term(Spec(Aggregate, (other, number, link, operation)), term)


def question_of(terms: Sequence[Term]) -> str:
    """Write a question in words."""
    if len(terms) == 1:
        return _sentence(terms[0])
    parts = [f"({number}) {_sentence(term)}" for number, term in enumerate(terms, 1)]
    return f"{' '.join(parts)} Give the answers in this order, separated by '{BETWEEN}'."


def _sentence(term: Term) -> str:
    if term.spec.kind is Find:
        table, attribute, side = term.spec.parts
        return (
            f"Which {table.plural} have {attribute.name} {side} {term.argument}? (Names in "
            f"alphabetical order, separated by '{SEPARATOR}'.)"
        )
    return f"What is {_phrase(term)}?"


def _phrase(term: Term) -> str:
    kind, parts = term.spec.kind, term.spec.parts
    inner = _phrase(term.argument) if isinstance(term.argument, Term) else term.argument
    if kind is Convert:
        return f"{inner}, converted from {parts[0]} into {parts[1]}"
    table, attribute, *rest = parts
    if kind is Lookup:
        owner = inner if isinstance(term.argument, Term) else f"the {table.noun} {inner}"
        return f"the {attribute.name} of {owner}"
    group, operation = rest
    whose = f"of all {table.plural} whose {group.name} is {inner}"
    if kind is Rank:
        return f"the {table.noun} with the {operation} {attribute.name} {whose}"
    rounded = " (rounded down)" if operation == "average" else ""
    return f"the {operation} {attribute.name} {whose}{rounded}"
