"""Programs that call a library: read from Python source, checked, and run without Python's `eval`.

A program is lines `name = expression` and a last line that is an expression. Expressions are
integers, lists of them, names and calls of the library's functions, with arguments by place or by
name; nothing else: whatever is to be done, the library must do it.

Left out: definitions, loops, conditions, arithmetic and everything that Python itself brings.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from zerogym.envs.tools.novel_lib.library import LIST, Entry, Library
from zerogym.envs.tools.novel_lib.operations import Value

MAX_SOURCE = 2000  # characters
MAX_NODES = 300  # of the syntax tree
LARGEST = 10**12  # of a number
LONGEST = 1000  # of a list
INPUT = "xs"  # the name of the input


class NoProgram(ValueError):
    """The source is no program, or its run has no result; the message is for the model."""


@dataclass(frozen=True)
class Program:
    """A program that was read.

    Attributes:
        lines: Name and expression of each line; the name of the last one is empty.
        library: Its functions.
    """

    lines: tuple[tuple[str, ast.expr], ...]
    library: Library

    def run(self, values: Sequence[int]) -> Value:
        """Return the program's result for an input.

        Raises:
            NoProgram: If an argument is of the wrong type or missing, or a value gets too large.
        """
        known: dict[str, Value] = {INPUT: list(values)}
        result: Value = 0
        for name, expression in self.lines:
            result = known[name] = self._value(expression, known)
        return result

    def _value(self, node: ast.expr, known: Mapping[str, Value]) -> Value:
        match node:
            case ast.Name(id=name):
                if name not in known:
                    raise NoProgram(f"there is no variable {name[:40]!r}")
                return known[name]
            case ast.Call(func=function, args=given, keywords=named):
                entry = self._entry(function)
                arguments = [self._value(argument, known) for argument in given]
                by_name = {str(one.arg): self._value(one.value, known) for one in named}
                return _call(entry, arguments, by_name)
            case _:
                return _constant(node)

    def _entry(self, function: ast.expr) -> Entry:
        match function:
            case ast.Attribute(value=ast.Name(id=module), attr=name):
                if module != self.library.name:
                    raise NoProgram(f"there is no library {module[:40]!r}")
            case ast.Name(id=name):
                pass
            case _:
                raise NoProgram("only functions of the library can be called")
        entry = self.library.entries.get(name)
        if entry is None:
            raise NoProgram(f"the library has no function {name[:40]!r}")
        return entry


def read_program(source: str, library: Library) -> Program:
    """Return the program of a source.

    Raises:
        NoProgram: If it is none, in bounded time whatever the source is.
    """
    if len(source) > MAX_SOURCE:
        raise NoProgram(f"the program is longer than {MAX_SOURCE} characters")
    try:
        tree = ast.parse(source)
        if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
            raise NoProgram(f"the program has more than {MAX_NODES} parts")
    except NoProgram:
        raise
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise NoProgram(f"the program is not Python: {type(error).__name__}") from None
    lines: list[tuple[str, ast.expr]] = []
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                lines.append((name, value))
            case ast.Expr(value=value) if statement is tree.body[-1]:
                lines.append(("", value))
            case _:
                raise NoProgram("a line is neither 'name = ...' nor the expression at the end")
    if not lines or lines[-1][0]:
        raise NoProgram("the last line is not an expression")
    return Program(tuple(lines), library)


def _constant(node: ast.expr) -> Value:
    """Return an integer or a list of integers that is written out."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        raise NoProgram("an expression is neither a number, a list, a name nor a call") from None
    numbers = value if isinstance(value, list) else [value]
    if any(type(number) is not int for number in numbers):
        raise NoProgram("only integers and lists of integers can be written out")
    return _checked(value)


def _call(entry: Entry, given: Sequence[Value], by_name: Mapping[str, Value]) -> Value:
    """Call a function of the library with arguments by place and by name."""
    if len(given) > len(entry.names):
        raise NoProgram(f"{entry.name} takes {len(entry.names)} arguments")
    arguments: dict[str, Any] = dict(zip(entry.names, given, strict=False))
    for name, value in by_name.items():
        if name not in entry.names or name in arguments:
            raise NoProgram(f"{entry.name} takes no further argument {name[:40]!r}")
        arguments[name] = value
    own = {}
    for name, key in zip(entry.names, entry.order, strict=True):
        if name not in arguments:
            raise NoProgram(f"{entry.name} needs an argument {name!r}")
        kind = list if key == LIST else int
        if not isinstance(arguments[name], kind):
            raise NoProgram(f"{entry.name}: {name!r} must be of type {kind.__name__}")
        own[key] = arguments[name]
    numbers = [own[number] for number, _ in entry.operation.numbers]
    return _checked(entry.operation.run(own[LIST], *numbers))


def _checked(value: Value) -> Value:
    numbers = value if isinstance(value, list) else [value]
    if len(numbers) > LONGEST or any(abs(number) > LARGEST for number in numbers):
        raise NoProgram("a value gets too large")
    return value
