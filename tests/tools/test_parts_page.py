"""The page of parts: every part has a test, claims are of parts, statuses are those of marks."""

import ast
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from zerogym.agents.llm.algorithms.presets import PRESETS


@pytest.fixture(scope="module")
def parts_page(load_tool: Callable[[str], ModuleType]) -> ModuleType:
    """The tool that makes it."""
    return load_tool("parts_page")


def test_every_part_of_every_table_is_on_the_page_with_a_test(parts_page: ModuleType) -> None:
    entries = parts_page.entries()
    names = [
        (kind, name)
        for kind, table in parts_page.ALL.items()
        for name in table
        if table[name].__module__.split(".")[0] == "zerogym"
    ]
    assert [(each.table, each.name) for each in entries] == [
        *names, *(("preset", name) for name in PRESETS),
        *(("measure", name) for name in parts_page.MEASURES),
    ]  # fmt: skip
    assert len(names) >= 60
    untested = [(each.table, each.name) for each in entries if not parts_page.tests_of(each)]
    assert not untested, "a test must name its class, or give its name to the setting"


def test_claims_are_of_parts(parts_page: ModuleType) -> None:
    known = {parts_page._title(each) for each in parts_page.entries()}
    claimed = [name for test in parts_page.tests() for names, _, _ in test.claims for name in names]
    assert len(claimed) > 20 and set(claimed) <= known
    page = parts_page.page()
    row = next(line for line in page.splitlines() if line.startswith("| `k3`"))
    assert "*Held.*" in row and "*Not held.*" in row and "test_divergences.py" in row
    (untried,) = (line for line in page.splitlines() if line.startswith("| `pass_at_k`"))
    assert untried.endswith("*Not run.* |") and "arxiv.org/abs/2508.10751" in untried


def test_marks_and_names_are_read_from_the_text_of_tests(parts_page: ModuleType) -> None:
    source = """
@pytest.mark.claim("tempo", "preset:t1", says="It " "works.", held=False)
@pytest.mark.parametrize(("estimator", "place"), [("k1", "loss"), ("k2", "reward")])
def test_something(estimator, place):
    Tempo(alpha=1)
    train(advantage="opo")
    assert PRESETS["dapo"]

def helper():
    RlZvp()
"""
    (found,) = parts_page._tests_in(Path("test_x.py"), ast.parse(source))
    assert found.claims == ((("tempo", "preset:t1"), "It works.", False),)
    expected = {"Tempo", "advantage=opo", "PRESETS:dapo", "kl_estimator=k1", "place=reward"}
    assert expected <= found.words and "RlZvp" not in found.words
