"""Questions that have no answer, or whose answer is known without the calls, are refused."""

import numpy as np
import pytest

from zerogym.envs.tools.functions.compiler import Spec, compile_functions
from zerogym.envs.tools.functions.database import sample_database
from zerogym.envs.tools.functions.draws import Draws
from zerogym.envs.tools.functions.kinds import Aggregate, Lookup
from zerogym.envs.tools.functions.questions import Term, Unsound, question_of, solve, specs_of


@pytest.fixture
def world():
    """A database, a table that links to itself, the link, and a number of it."""
    for seed in range(100):
        database = sample_database(Draws(np.random.default_rng(seed)), 2, 6)
        for table in database.tables.values():
            for link in table.of_kind("link"):
                if link.target == table.noun:
                    return database, table, link, table.of_kind("number")[0]
    raise AssertionError("no table links to itself")


def answer(database, *terms):
    needed = [spec for term in terms for spec in specs_of(term)]
    functions = compile_functions(Draws(np.random.default_rng(0)), database, needed, 0)
    return solve(terms, functions, database)


def test_a_question_and_its_plan(world):
    database, table, link, number = world
    first, second, third, *_ = table.names
    records = database.records[table.noun]
    records[first][link.name], records[second][link.name] = second, third
    inner = Term(Spec(Lookup, (table, link)), first)
    chain = Term(Spec(Lookup, (table, number)), Term(Spec(Lookup, (table, link)), inner))
    solution = answer(database, chain)
    assert solution.results == (second, third, str(records[third][number.name]))
    assert [list(call.arguments.values()) for call in solution.plan] == [[first], [second], [third]]
    assert question_of([chain]) == (
        f"What is the {number.name} of the {link.name} of the {link.name} of the {table.noun} "
        f"{first}?"
    )


def test_an_answer_that_the_question_names(world):
    database, table, link, _ = world
    name = table.names[0]
    database.records[table.noun][name][link.name] = name
    with pytest.raises(Unsound, match="known"):
        answer(database, Term(Spec(Lookup, (table, link)), name))


def test_a_chain_that_goes_in_a_circle(world):
    database, table, link, number = world
    first, second, *_ = table.names
    records = database.records[table.noun]
    records[first][link.name], records[second][link.name] = second, first
    term = Term(Spec(Lookup, (table, link)), first)
    for _ in range(2):
        term = Term(Spec(Lookup, (table, link)), term)
    with pytest.raises(Unsound, match="what is known"):
        answer(database, Term(Spec(Lookup, (table, number)), term))


def test_a_group_without_records(world):
    database, table, _, number = world
    label = table.of_kind("label")[0]
    for record in database.records[table.noun].values():
        record[label.name] = label.labels[0]
    spec = Spec(Aggregate, (table, number, label, "total"))
    assert answer(database, Term(spec, label.labels[0])).answer.isdigit()
    with pytest.raises(Unsound, match="finds nothing"):
        answer(database, Term(spec, label.labels[1]))
