"""The page of parts and measures: paper, part, test, and a small claim with its outcome.

Tables and papers are read from the registry; tests and claims from the files below `tests`, without
importing them. A test belongs to a part whose class it names, or whose name it gives to a setting.
A claim is a mark of a test, `@pytest.mark.claim("tempo", says="...")`: it is held, because the test
passes, or, with `held=False`, not held, which the test shows.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from papers import IDS, TITLED

from zerogym.agents.explore.policies import POLICIES
from zerogym.agents.llm.algorithms.presets import PRESETS
from zerogym.agents.llm.algorithms.tables import TABLES
from zerogym.agents.parts import Table

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (
    "tests/agents/llm",
    "tests/agents/explore",
    "tests/agents/self_play",
    "tests/benchmarks",
)
MEASURE = "measure"
# Functions and commands that measure what a paper claims: the module, and a name that tests use.
MEASURES = {
    "pass@k": ("agents/llm/sample_measures.py", "pass_at_k"),
    "curve of pass@k": ("benchmarks/report/pass_curves.py", "pass_picture"),
    "support": ("benchmarks/results/support.py", "support_change"),
    "share of changed weights": ("agents/llm/models/changed_weights.py", "changed_weights"),
    "prefix probe": ("agents/llm/contamination.py", "prefix_probe"),
}
ALL: dict[str, Table[Any]] = {**TABLES, POLICIES.kind: POLICIES}
SHOWN = 2  # tests of a part on the page
EXACT = re.compile("by_hand|enumeration|unbiased|gradient|of_trl|posterior|papers|numbers")
LESS = re.compile("refused|fails|named|go_on|goes_on|settings|ctrl_c|every_|run_|which")
PRESET = "preset"
ABOUT = """\
# Parts

{parts} parts in {tables} tables. A part of a paper has a test of an exact value: a case by hand, an
enumeration, a closed form or a peer's number. `zerogym parts` lists them, `zerogym parts tempo`
explains one; [a tutorial](tutorials/own_advantage.md) makes another.

A **claim** is a statement of the paper in small: on an enumerable policy, a scripted run or a few
episodes, never the paper's experiment. *Held* is what a test shows, *not held* what a test shows to
be otherwise, *not run* where no test of ours has looked at one. Further properties hold of every
part of a table (`test_part_properties.py`)."""
HEAD = "| part | paper | test | claim |\n|---|---|---|---|"


@dataclass(frozen=True)
class Entry:
    """A part of a table.

    Attributes:
        table: The table's name, which is that of the run's setting.
        name: The part's name.
        does: The first paragraph of its docstring, or its notes.
        source: Title, year and arXiv id.
        words: Names by which a test may call it.
    """

    table: str
    name: str
    does: str
    source: str
    words: frozenset[str]


@dataclass(frozen=True)
class Test:
    """A test function: the words in it, and the claims that it shows."""

    path: Path
    name: str
    words: frozenset[str]
    claims: tuple[tuple[tuple[str, ...], str, bool], ...]  # parts, words, held


@cache
def entries() -> list[Entry]:
    """Return every part of every table, presets included."""
    parts = [
        Entry(kind, name, _summary(table[name]),
              table[name].source,
              frozenset({table[name].__name__, table[name].__name__.removesuffix("Reward"),
                         f"{kind}={name}", f"{_plural(kind)}:{name}"}))
        for kind, table in ALL.items()
        for name in table.names()
        if table[name].__module__.startswith("zerogym.")  # not those of other packages
    ]  # fmt: skip
    presets = [
        Entry(PRESET, name, preset.notes, preset.source,
              frozenset({f"{PRESET}={name}", f"{_plural(PRESET)}:{name}"}))
        for name, preset in PRESETS.items()
    ]  # fmt: skip
    return [*parts, *presets, *(_measure(name, *where) for name, where in MEASURES.items())]


def _measure(name: str, module: str, function: str) -> Entry:
    """Return the entry of a measure; its paper is the first that its module names."""
    text = ast.get_docstring(ast.parse((ROOT / module).read_text("utf-8"))) or ""
    title, year, number = TITLED.findall(" ".join(text.split()))[0]
    does = " ".join(text.split("\n\n")[0].split())
    return Entry(MEASURE, name, does, f"{title} ({year}, arXiv {number})", frozenset({function}))


def _summary(part: type[Any]) -> str:
    """Return the first paragraph of a docstring, on one line."""
    return " ".join((inspect.getdoc(part) or "").split("\n\n")[0].split())


def _plural(kind: str) -> str:
    """Return the name of a table in Python."""
    own = {"kl_estimator": "DIVERGENCES", "sequence_loss": "SEQUENCE_LOSSES", "policy": "POLICIES"}
    return own.get(kind, kind.upper() if kind.endswith("s") else f"{kind.upper()}S")


@cache
def tests() -> tuple[Test, ...]:
    """Return the test functions of the rooms that have parts."""
    return tuple(
        test
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("test_*.py"))
        for test in _tests_in(path.relative_to(ROOT), ast.parse(path.read_text("utf-8")))
    )


def _tests_in(path: Path, tree: ast.Module) -> Iterator[Test]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            claims = tuple(_claims(node))
            yield Test(path, node.name, frozenset(_words(node)), claims)


def _words(function: ast.FunctionDef) -> Iterator[str]:
    """Yield classes, `setting=name`, and `TABLE:name` of texts beside a table's name."""
    nodes = list(ast.walk(function))
    tables = {node.id for node in nodes if isinstance(node, ast.Name) and node.id.isupper()}
    for node in nodes:
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (f"{table}:{node.value}" for table in tables)
        elif isinstance(node, ast.keyword) and isinstance(node.value, ast.Constant):
            yield f"{node.arg}={node.value.value!s}"
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(value, ast.Constant):
                    yield f"{key.value!s}={value.value!s}"
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple):
            values = (each.value for each in node.iter.elts if isinstance(each, ast.Constant))
            yield from (f"each:{value!s}" for value in values)
    yield from _parametrized(function)


def _parametrized(function: ast.FunctionDef) -> Iterator[str]:
    """Yield `argument=value` of the constants that a test is parametrized with."""
    for mark in function.decorator_list:
        if not (isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith("parametrize")):
            continue
        names, values = mark.args[:2]
        if not isinstance(values, ast.List | ast.Tuple):
            continue
        listed = ast.literal_eval(names)
        split = listed.replace(",", " ").split() if isinstance(listed, str) else list(listed)
        for row in values.elts:
            cells = row.elts if isinstance(row, ast.Tuple) and len(split) > 1 else [row]
            for name, cell in zip(split, cells, strict=False):
                if isinstance(cell, ast.Constant):
                    yield f"{'kl_estimator' if name == 'estimator' else name}={cell.value!s}"


def _claims(function: ast.FunctionDef) -> Iterator[tuple[tuple[str, ...], str, bool]]:
    for mark in function.decorator_list:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.claim":
            given: dict[str, Any] = {
                word.arg: ast.literal_eval(word.value) for word in mark.keywords if word.arg
            }
            parts = tuple(ast.literal_eval(each) for each in mark.args)
            yield parts, given["says"], given.get("held", True)


def tests_of(entry: Entry) -> list[Test]:
    """Return the tests of a part, those that are named after it and exact first."""
    names = {each.name for each in entries()} - {entry.name}

    title = _title(entry)

    def order(test: Test) -> tuple[int, int, str]:
        rank = -2 * any(title in parts for parts, _, _ in test.claims)
        rank -= 2 * (entry.name in test.name) + bool(EXACT.search(test.name))
        rank += 3 * bool(LESS.search(test.name))
        others = sum(f"_{name}_" in f"{test.name}_" for name in names)
        return rank, others, test.name

    def about(test: Test) -> bool:
        return bool(entry.words & test.words) or any(title in each for each, _, _ in test.claims)

    named = sorted(filter(about, tests()), key=order)
    return named or [test for test in tests() if f"each:{entry.name}" in test.words]


def claims_of(entry: Entry) -> list[tuple[str, bool]]:
    """Return the claims of a part, and whether each is held."""
    return [
        (says, held)
        for test in tests()
        for parts, says, held in test.claims
        if _title(entry) in parts
    ]


def _title(entry: Entry) -> str:
    """Return the name of a part in claims: presets have the names of advantages, too."""
    return f"{PRESET}:{entry.name}" if entry.table == PRESET else entry.name


def page() -> str:
    """Return the page: a section for each table."""
    found = entries()
    kinds = list(dict.fromkeys(entry.table for entry in found))
    counted = sum(entry.table != MEASURE for entry in found)
    parts = [ABOUT.format(parts=counted, tables=len(kinds) - 1)]
    for kind in kinds:
        rows = [_row(entry) for entry in found if entry.table == kind]
        parts.append("\n".join([f"## {kind}\n", HEAD, *rows]))
    return "\n\n".join(parts) + "\n"


def _row(entry: Entry) -> str:
    about = f"<br>{_cell(entry.does)}" if entry.does else ""
    paper = IDS.sub(r"[arXiv \1](https://arxiv.org/abs/\1)", entry.source)
    tests = "<br>".join(
        f"<code>{test.path.name}::<wbr>{test.name}</code>" for test in tests_of(entry)[:SHOWN]
    )
    claims = "<br>".join(
        f"{_cell(says)} *{'Held' if held else 'Not held'}.*" for says, held in claims_of(entry)
    )
    return f"| `{entry.name}`{about} | {paper} | {tests} | {claims or '*Not run.*'} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
