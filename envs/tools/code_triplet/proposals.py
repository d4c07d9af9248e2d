"""Triplets that a model proposes: accepted or not, and the problem for the solver's seat.

A program runs in the interpreter of the small language (`level="interpreter"`), where it is read
and typed first and no sandbox is needed, or as real Python in the sandbox at one of its levels.
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.tools.code_triplet.inputs import read_arguments, written_arguments
from zerogym.envs.tools.code_triplet.language.interpreter import OutOfBounds, compiled
from zerogym.envs.tools.code_triplet.language.parsing import NoProgram, parse
from zerogym.envs.tools.code_triplet.language.programs import Program
from zerogym.envs.tools.code_triplet.literals import NoLiteral, read
from zerogym.envs.tools.code_triplet.problems import (
    abduction_prompt,
    deduction_prompt,
    induction_prompt,
)
from zerogym.envs.tools.code_triplet.validation import validate
from zerogym.envs.tools.sandbox import Sandbox

ProposalLevel = Literal["interpreter", "strong", "landlock", "monty", "unsafe-local"]


class Rejected(ValueError):
    """A proposal is not accepted; the message names the reason."""


@dataclass(frozen=True)
class Triplet:
    """An accepted proposal, all of it as text.

    Attributes:
        program: The source, without comments.
        inputs: The arguments of each call, as in `f(...)`.
        outputs: What it returns for each of them.
        message: A hint about the program, for induction.
    """

    program: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    message: str = ""

    def record(self) -> dict[str, Any]:
        """Return all fields as JSON values; `from_record` inverts it."""
        return asdict(self)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Triplet":
        """Return the triplet of a record."""
        lists = {name: tuple(record[name]) for name in ("inputs", "outputs")}
        return cls(**(dict(record) | lists))


IDENTITY = Triplet("def f(xs):\n    return xs", ("[1, 2, 3]",), ("[1, 2, 3]",))


def accepted(
    source: str, inputs: Sequence[str], level: ProposalLevel, sandbox: Callable[[], Sandbox]
) -> Triplet:
    """Return the triplet of a proposed program with proposed inputs.

    Args:
        source: Python that defines `f`.
        inputs: The arguments of each call, at least one.
        level: Where it runs.
        sandbox: Returns the sandbox, at a level that has one.

    Raises:
        Rejected: If the program breaks a rule, or fails for an input, or an input is no literal.
        SandboxUnavailable: If the sandbox fails, whatever the program is.
    """
    if level == "interpreter":
        return _interpreted(source, inputs)
    found = validate(source, inputs, sandbox())
    if not found.ok:
        raise Rejected(found.reason)
    called = [written_arguments(_arguments(read(text))) for text in inputs]
    return Triplet(plain(source), tuple(called), tuple(map(repr, found.outputs)))


def plain(source: str) -> str:
    """Return a source without comments, as `ast.unparse` writes it: equal programs are equal."""
    return ast.unparse(ast.parse(source))


def program_of(triplet: Triplet) -> Program:
    """Return the tree of a triplet's program.

    Raises:
        NoProgram: If it is not of the small language.
    """
    return parse(triplet.program, list(map(_kind, _arguments(read(triplet.inputs[0])))))


def problem_of(category: str, triplet: Triplet, level: ProposalLevel) -> Problem:
    """Return the problem for the solver's seat: one of the three of `CodeTripletEnv`.

    For induction half of the pairs are hidden, one at least.
    """
    source, first, output = triplet.program, triplet.inputs[0], triplet.outputs[0]
    pairs = [list(pair) for pair in zip(triplet.inputs, triplet.outputs, strict=True)]
    shown = max(1, len(pairs) // 2)
    names = [one.arg for one in _function(source).args.args]
    data: dict[str, Any] = {"source": source}
    answer = source
    if category == "deduction":
        prompt, answer = deduction_prompt(source, first), output
        data |= {"output": output}
    elif category == "abduction":
        prompt, answer = abduction_prompt(source, output, names), first
        data |= {"output": output, "arguments": first}
        if level == "interpreter":
            data["program"] = program_of(triplet)
    else:
        prompt = induction_prompt(names, pairs[:shown], triplet.message)
        data |= {"shown": pairs[:shown], "hidden": pairs[shown:]}
    return Problem(prompt, answer, f"The answer is {answer}", (), category, data, prompt)


def _interpreted(source: str, inputs: Sequence[str]) -> Triplet:
    try:
        values = [_arguments(read(text)) for text in inputs]
        program = parse(source, list(map(_kind, values[0])))
        arguments = [read_arguments(written_arguments(one), program) for one in values]
    except NoLiteral as error:
        raise Rejected(f"an input cannot be read: {error}") from None
    except NoProgram as error:
        raise Rejected(str(error)) from None
    run = compiled(program)
    try:
        outputs = [repr(run(one)["return"]) for one in arguments]
        for output in outputs:
            read(output)
    except (OutOfBounds, NoLiteral) as error:
        raise Rejected(f"a result is out of bounds: {error}") from None
    return Triplet(plain(source), tuple(map(written_arguments, arguments)), tuple(outputs))


def _arguments(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple) else [value]


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return "list"
    if type(value) is int:
        return "number"
    if isinstance(value, str):
        return "text"
    raise NoLiteral("an input is a list of integers, a text or an integer")


def _function(source: str) -> ast.FunctionDef:
    [found] = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name == "f"
    ][-1:]
    return found
