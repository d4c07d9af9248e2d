"""Tasks of a library: a few steps in words, the program that takes them, and hidden tests.

Left out: tasks with two inputs, and steps that are needed only for some inputs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from zerogym.envs.tools.functions.draws import Draws
from zerogym.envs.tools.novel_lib.library import LIST, Library, make_library
from zerogym.envs.tools.novel_lib.operations import OPERATIONS, Operation, Value
from zerogym.envs.tools.novel_lib.program import INPUT

MAX_STEPS = 5
TESTS = 12  # inputs on which a program is judged
_LENGTHS, _VALUES = (8, 12), (-6, 14)
_KINDS = ("one", "two", "three", "four", "five")  # steps


@dataclass(frozen=True)
class Step:
    """An operation with its numbers."""

    operation: Operation
    numbers: tuple[int, ...]

    @property
    def phrase(self) -> str:
        """The step in words."""
        names = [name for name, _ in self.operation.numbers]
        return self.operation.phrase.format(**dict(zip(names, self.numbers, strict=True)))


@dataclass(frozen=True)
class LibraryTask:
    """A task; immutable.

    Attributes:
        number: Of the library.
        steps: The steps, in order.
        inputs: Of the hidden tests.
    """

    number: int
    steps: tuple[Step, ...]
    inputs: tuple[tuple[int, ...], ...]

    def __deepcopy__(self, memo: dict[int, Any]) -> "LibraryTask":
        return self  # nothing in it can change

    @property
    def library(self) -> Library:
        return make_library(self.number)

    @property
    def question(self) -> str:
        """The steps in words."""
        *first, last = [step.phrase for step in self.steps]
        return f"{'; then '.join([*first, last])}."

    @property
    def category(self) -> str:
        return _KINDS[len(self.steps) - 1]

    @property
    def answer(self) -> str:
        """The program: one expression."""
        text = INPUT
        for step in self.steps:
            entry = self.library.of[step.operation.key]
            names = [name for name, _ in step.operation.numbers]
            own = dict(zip(names, map(str, step.numbers), strict=True)) | {LIST: text}
            text = f"{self.library.name}.{entry.name}({', '.join(own[key] for key in entry.order)})"
        return text

    @cached_property
    def results(self) -> tuple[Value, ...]:
        """The right result for each input."""
        return tuple(outcome(self.steps, values) for values in self.inputs)


def outcome(steps: Sequence[Step], values: Sequence[int]) -> Value:
    """Return the result of taking steps."""
    result: Any = list(values)
    for step in steps:
        result = step.operation.run(result, *step.numbers)
    return result


def sample_task(draws: Draws, library: int, difficulty: float) -> LibraryTask:
    """Draw a task in which every step matters.

    Args:
        draws: Source of randomness.
        library: The number of its library.
        difficulty: A task has `1 + difficulty` steps, at most 5; a fractional part is the chance
            of one more.
    """
    count = min(MAX_STEPS, 1 + int(difficulty) + int(draws.chance() < difficulty % 1))
    going_on = [operation for operation in OPERATIONS if not operation.ends]
    while True:
        operations = draws.some(going_on, count - 1)
        operations.append(draws.pick([one for one in OPERATIONS if one not in operations]))
        steps = tuple(
            Step(one, tuple(draws.between(*bounds) for _, bounds in one.numbers))
            for one in operations
        )
        inputs = tuple(
            tuple(draws.between(*_VALUES) for _ in range(draws.between(*_LENGTHS)))
            for _ in range(TESTS)
        )
        task = LibraryTask(library, steps, inputs)
        if _every_step_matters(task):
            return task


def _every_step_matters(task: LibraryTask) -> bool:
    """Return whether each step, and the order of its numbers, changes a result."""
    if len({str(result) for result in task.results}) < len(task.inputs) // 3:
        return False
    for place, step in enumerate(task.steps):
        others = [task.steps[:place] + task.steps[place + 1 :]]
        if len(step.numbers) > 1:
            swapped = Step(step.operation, step.numbers[::-1])
            others.append((*task.steps[:place], swapped, *task.steps[place + 1 :]))
        for steps in others:
            if all(
                outcome(steps, values) == result
                for values, result in zip(task.inputs, task.results, strict=True)
            ):
                return False
    return True
