"""The papers that docstrings name: title, year, arXiv id, the modules that name them, their tests.

The site's page of papers is made of this, so that it is as fresh as the docstrings. A docstring
names a paper as "Title" (year, arXiv 2103.07945); where one gives the id alone, the title is that
of another docstring.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from zerogym.envs.registry import TASKS

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("envs", "wrappers", "agents", "benchmarks")
NUMBER = r"arXiv:?\s+(\d{4}\.\d{4,5}|[a-z-]+/\d{7})"
IDS = re.compile(NUMBER)
# Title, a few words such as a short name, and (2021, arXiv ...) or ", 2021, arXiv ...".
TITLED = re.compile(
    rf'"([^"]{{4,200}}?),?"[^"()]{{0,40}}?[(,][^()"]{{0,30}}?\b(\d{{4}}),\s+{NUMBER}'
)
ABOUT = """\
---
hide: [toc]
---

# Papers

The docstrings of {modules} modules name {papers} papers of arXiv: one implements a method or a
task, takes a definition or a constant from a paper, or compares with it. The docstring says which,
and what is left out. Older sources without an arXiv id are in the docstrings alone."""
HEAD = ("| paper | where | test |", "|---|---|---|")
# Parts of the page: a heading, and the folders whose modules it lists.
PARTS = {
    "Reasoning and tools": ("envs/reasoning", "envs/tools"),
    "Games": ("envs/games", "agents/self_play", "benchmarks/league", "benchmarks/games"),
    "Control": ("envs/control",),
    "Wrappers": ("wrappers",),
    "Language models": ("agents/llm",),
    "Zero-shot agents": ("agents/zero_shot",),
    "Offline agents": ("agents/offline",),
    "Exploration, data and baselines": ("agents",),
    "Evaluation": ("benchmarks",),
    "Interfaces": ("envs",),
}


@dataclass
class Paper:
    """A paper, and the files whose docstrings name it."""

    number: str
    title: str = ""
    year: str = ""
    modules: list[Path] = field(default_factory=list)


def papers() -> list[Paper]:
    """Every paper that a docstring names, the newest first."""
    found: dict[str, Paper] = {}
    for path, text in _docstrings():
        for number in IDS.findall(text):
            paper = found.setdefault(number, Paper(number))
            if path not in paper.modules:
                paper.modules.append(path)
        for title, year, number in TITLED.findall(text):
            if len(title) > len(found[number].title):  # in full rather than abbreviated
                found[number].title, found[number].year = title, year
    return sorted(found.values(), key=lambda paper: (paper.year, paper.number), reverse=True)


def _docstrings() -> Iterator[tuple[Path, str]]:
    """The docstrings of all modules, classes and functions, each on one line."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            if not IDS.search(source := path.read_text("utf-8")):
                continue
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, documented) and (text := ast.get_docstring(node)):
                    yield path.relative_to(ROOT), " ".join(text.split())


def test_of(module: Path) -> Path | None:
    """The test of a module: of its name in the same place, or the nearest one that uses it.

    A test uses a module if it names it, a class of it, or an environment of it. What
    the modules of a folder share may be tested through them: then the folder is returned.
    """
    mirrored = Path("tests") / module.parent / f"test_{module.stem}.py"
    if (ROOT / mirrored).exists():
        return mirrored
    dotted = ".".join(("zerogym", *module.with_suffix("").parts)).removesuffix(".__init__")
    targets = {dotted, *_classes(module)}
    for task in TASKS:
        if task.entry_point.startswith(f"{dotted}:"):
            targets |= {task.name, task.id}
    using = [test for test, names in mentions().items() if targets & names]
    folder = mirrored.parent
    room = folder.parts[:3]  # tests/agents/explore
    near = [test for test in using if test.parts[: len(room)] == room]
    default = folder if any((ROOT / folder).glob("test_*.py")) else None
    return min(near, key=lambda test: _distance(test, mirrored), default=default)


def _classes(module: Path) -> set[str]:
    tree = ast.parse((ROOT / module).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.ClassDef)}


def _distance(test: Path, mirrored: Path) -> tuple[int, str]:
    """Sort the tests that share most of a path with a place in the tree first."""
    shared = [a == b for a, b in zip(test.parts, mirrored.parts, strict=False)]
    return -(shared.index(False) if False in shared else len(shared)), str(test)


@cache
def mentions() -> dict[Path, set[str]]:
    """The words of each test file: dotted names, their parts, and ids."""
    found = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text("utf-8")
        words = set(re.findall(r"[\w./-]+", text))
        words |= {part for word in words for part in word.split(".")}
        for package, names in re.findall(r"^from ([\w.]+) import \(?([\w,\s]+)", text, re.M):
            words |= {f"{package}.{name}" for name in re.findall(r"\w+", names)}
        found[path.relative_to(ROOT)] = words
    return found


def page() -> str:
    """The site's page: a table for each part of the repository."""
    found = papers()
    left = {path for paper in found for path in paper.modules}
    parts = [ABOUT.format(papers=len(found), modules=len(left))]
    for heading, folders in PARTS.items():
        inside = {path for path in left if str(path).startswith(tuple(f"{f}/" for f in folders))}
        left -= inside
        rows = [_row(paper, [path for path in paper.modules if path in inside]) for paper in found]
        if rows := [row for row in rows if row]:
            parts.append("\n".join([f"## {heading}\n", *HEAD, *rows]))
    return "\n\n".join(parts) + "\n"


def _row(paper: Paper, modules: list[Path]) -> str:
    if not modules:
        return ""
    link = f"[arXiv {paper.number}](https://arxiv.org/abs/{paper.number})"
    files = "<br>".join(map(_breakable, modules))
    tests = "<br>".join(_breakable(test) for test in dict.fromkeys(map(test_of, modules)) if test)
    return f"| {paper.title} ({paper.year}, {link}) | {files} | {tests} |"


def _breakable(path: Path) -> str:
    """A path as code that a narrow column breaks between its parts."""
    return f"<code>{str(path).replace('/', '/<wbr>')}</code>"
