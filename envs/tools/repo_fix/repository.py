"""A repository: modules of functions, one or more of them with a bug, and their visible tests."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerogym.envs.tools.notebook.puzzle import sample_names
from zerogym.envs.tools.repo_fix.catalogue import UNITS
from zerogym.envs.tools.repo_fix.units import Bug, BugKind, Unit

VISIBLE, HIDDEN = 2, 8  # cases of each function
_TRIES = 300  # draws of arguments, of which 3% or more show a bug


@dataclass(frozen=True)
class Function:
    """A function of a repository.

    Attributes:
        module: The path of its file.
        name: Its name.
        unit: Its number in the catalogue.
        constant: Its constant.
        bug: The number of its bug; None if it is right.
        visible: Arguments of the tests that the model sees; the bug fails at least one.
        hidden: Arguments of the tests that the judge runs; the bug fails at least one.
        issue: A call whose value is wrong, in words; empty without a bug.
        failing: The number of hidden cases that the bug fails.
    """

    module: str
    name: str
    unit: int
    constant: int
    bug: int | None
    visible: tuple[list[Any], ...]
    hidden: tuple[list[Any], ...]
    issue: str
    failing: int

    @property
    def flaw(self) -> Bug | None:
        """The bug, if there is one."""
        return None if self.bug is None else UNITS[self.unit].bugs[self.bug]

    def source(self) -> str:
        """Write the function as it stands in the repository."""
        return UNITS[self.unit].source(self.name, self.constant, self.flaw)

    def fix(self) -> tuple[str, str]:
        """Return the text of the function below its docstring, as it stands and as it is right."""
        right = UNITS[self.unit].source(self.name, self.constant)
        return self.source().partition('"""\n')[2], right.partition('"""\n')[2]

    def value(self, arguments: list[Any]) -> Any:
        """Return the right value, by the second implementation."""
        return UNITS[self.unit].reference(arguments, self.constant)

    def tests(self) -> str:
        """Write the visible tests."""
        lines = [f"def test_{self.name}():"]
        for arguments in self.visible:
            call = f"{self.name}({', '.join(map(repr, arguments))})"
            lines += [f"    check({call!r}, {call}, {self.value(arguments)!r})"]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Repository:
    """The problem of an episode.

    Attributes:
        package: The name of the folder of the modules.
        functions: All functions.
        kind: The kind of one of the bugs.
    """

    package: str
    functions: tuple[Function, ...]
    kind: BugKind

    @property
    def category(self) -> str:
        return self.kind

    @property
    def buggy(self) -> list[Function]:
        """The functions that have a bug."""
        return [function for function in self.functions if function.bug is not None]

    @property
    def question(self) -> str:
        issues = "\n".join(f"- {function.issue}" for function in self.buggy)
        return f"Some functions of the package {self.package} are wrong:\n{issues}"

    def files(self) -> Mapping[str, str]:
        """Return all files by path."""
        files = {f"{self.package}/__init__.py": ""}
        for module in dict.fromkeys(function.module for function in self.functions):
            inside = [function for function in self.functions if function.module == module]
            files[module] = "\n\n".join(function.source() for function in inside)
            short = module.rpartition("/")[2].removesuffix(".py")
            names = ", ".join(function.name for function in inside)
            head = f"from {self.package}.{short} import {names}\n"
            files[f"tests/test_{short}.py"] = "\n\n".join(
                [head + _CHECK, *(function.tests() for function in inside)]
            )
        return dict(sorted(files.items()))

    def key(self) -> str:
        """Return the sources as a text: equal repositories have equal ones."""
        return json.dumps(sorted(self.files().items()))


_CHECK = """

def check(call, got, expected):
    assert got == expected, f"{call} is {got!r}, not {expected!r}"
"""


def sample_repository(
    rng: np.random.Generator, modules: int, functions: int, bugs: int, kind: str | None
) -> Repository:
    """Draw a repository.

    Args:
        rng: The source of randomness.
        modules: The number of its modules.
        functions: The number of its functions, at most those of the catalogue.
        bugs: The number of functions with a bug.
        kind: The kind of one of the bugs; None draws it.
    """
    package, *shorts = sample_names(rng, modules + 1)
    order = [int(index) for index in rng.permutation(len(UNITS))]
    order.sort(key=lambda i: not any(kind in (None, bug.kind) for bug in UNITS[i].bugs))
    made = []
    for number, index in enumerate(order[:functions]):
        kinds = [bug.kind for bug in UNITS[index].bugs]
        choices = [i for i, each in enumerate(kinds) if number > 0 or kind in (None, each)]
        bug = choices[int(rng.integers(len(choices)))] if number < bugs else None
        module = f"{package}/{shorts[number % modules]}.py"
        made.append(_sample_function(rng, module, index, bug))
    first = made[0].flaw
    assert first is not None
    shuffled = tuple(made[int(index)] for index in rng.permutation(len(made)))
    return Repository(package, shuffled, first.kind)


def _sample_function(
    rng: np.random.Generator, module: str, index: int, bug: int | None
) -> Function:
    unit = UNITS[index]
    name = unit.names[int(rng.integers(len(unit.names)))]
    constant = int(rng.integers(3, 6))
    cases = [unit.draw(rng) for _ in range(VISIBLE + HIDDEN)]
    issue, failing = "", 0
    if bug is not None:
        wrong = _runnable(unit, name, constant, unit.bugs[bug])
        drawn = (unit.draw(rng) for _ in range(_TRIES))
        showing = [a for a in drawn if wrong(a) != repr(unit.reference(a, constant))]
        cases[int(rng.integers(VISIBLE))] = showing[0]
        # One that is not visible, if there is one, so that no list of the visible values is right.
        others = (a for a in showing if a not in cases[:VISIBLE])
        cases[VISIBLE] = next(others, showing[0])
        failing = sum(wrong(a) != repr(unit.reference(a, constant)) for a in cases[VISIBLE:])
        call = f"{name}({', '.join(map(repr, showing[0]))})"
        issue = f"{call} is {wrong(showing[0])}, not {unit.reference(showing[0], constant)!r}"
    visible, hidden = tuple(cases[:VISIBLE]), tuple(cases[VISIBLE:])
    return Function(module, name, index, constant, bug, visible, hidden, issue, failing)


def _runnable(unit: Unit, name: str, constant: int, bug: Bug) -> Callable[[list[Any]], str]:
    """Make a function of the catalogue, with a bug, runnable; it returns the value in words."""
    names: dict[str, Any] = {}
    exec(unit.source(name, constant, bug), names)  # our own source, nothing of a model

    def run(arguments: list[Any]) -> str:
        try:
            return repr(names[name](*arguments))
        except Exception as error:
            return f"an error ({type(error).__name__}: {error})"

    return run
