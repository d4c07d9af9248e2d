"""Every function does what its document says: a second implementation reads the documents only."""

import re

import numpy as np
import pytest

from helpers.tools.documents import Reader
from zerogym.envs.tools.functions.compiler import compile_functions
from zerogym.envs.tools.functions.database import redrawn, sample_database
from zerogym.envs.tools.functions.draws import Draws
from zerogym.envs.tools.functions.kinds import State

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


def random_arguments(tool, database, rng):
    """Arguments that fit the schema; most of them find something."""
    names = [name for table in database.tables.values() for name in table.names]
    arguments = {}
    for name, schema in tool.parameters["properties"].items():
        if name not in tool.parameters["required"] and rng.random() < 0.5:
            continue
        if "enum" in schema:
            arguments[name] = schema["enum"][rng.integers(len(schema["enum"]))]
        elif schema["type"] == "string":
            arguments[name] = names[rng.integers(len(names))]
        else:
            low = schema.get("minimum", 0)
            arguments[name] = int(rng.integers(low, 6 if name == "limit" else 10_500))
    return arguments


def check(seed: int, tables: int, records: int) -> set[type]:
    """Call every function of a set with random arguments; return the kinds."""
    draws, rng = Draws(np.random.default_rng(seed)), np.random.default_rng([seed, 1])
    database = sample_database(draws, tables, records)
    tools = list(compile_functions(draws, database, (), 24).values())
    assert len({tool.name for tool in tools}) == len(tools) >= 20
    for known in (database, redrawn(database, draws)):
        reader = Reader(known)
        for tool in tools:
            assert NAME.fullmatch(tool.name) and tool.body in tool.parameters["required"]
            for _ in range(4):
                arguments = random_arguments(tool, known, rng)
                state = State(known)
                result = tool.call(arguments, state)
                assert state.made == [(tool.name, result.text)] and not state.changed
                if result.ok:
                    expected = reader.result(tool, arguments)
                    assert result.text == expected, (tool.description, arguments)
                else:
                    value = arguments[tool.body]
                    assert result.text.startswith("There is no ") and repr(value) in result.text
    return {type(tool) for tool in tools}


def test_documents_and_functions_agree():
    kinds = set()
    for seed in range(40):
        kinds |= check(seed, 2 + seed % 4, 6 + seed % 11)
    assert {kind.__name__ for kind in kinds} == {"Lookup", "Find", "Aggregate", "Rank", "Convert"}


@pytest.mark.proof
def test_documents_and_functions_agree_on_many_seeds():
    for seed in range(40, 1040):
        check(seed, 2 + seed % 4, 6 + seed % 11)


def test_equal_seeds_give_equal_tool_sets():
    def shown(seed):
        draws = Draws(np.random.default_rng(seed))
        database = sample_database(draws, 3, 8)
        tools = compile_functions(draws, database, (), 10).values()
        return database.records, [(tool.name, tool.description) for tool in tools]

    assert shown(3) == shown(3) != shown(4)


def test_integers_that_json_writes_as_floats_are_integers():
    draws = Draws(np.random.default_rng(0))
    database = sample_database(draws, 2, 8)
    for tool in compile_functions(draws, database, (), 24).values():
        if "integer" in [s.get("type") for s in tool.parameters["properties"].values()]:
            whole = {tool.body: 5000} | ({"limit": 2} if tool.optional else {})
            floats = {name: float(value) for name, value in whole.items()}
            first, second = (tool.call(a, State(database)).text for a in (whole, floats))
            assert first == second
