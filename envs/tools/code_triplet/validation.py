"""Judges a triplet that a model proposes: does its program run, always the same, by the rules?

The rules are those of "Absolute Zero: Reinforced Self-play Reasoning with Zero Data" (2025, arXiv
2505.03335): a function `f` without the modules of its list that returns, deterministically, a value
that can be written down. The list is only a rule of the game: the boundary is the sandbox.

Ours differs in this: dotted entries of the list (`os.path`) forbid what they name, which its code
never finds; determinism is tried in one process and in several, because a global counter shows in
the first, and what only a new process draws anew in the second (the order of a set is always the
same in the sandbox, so it counts as deterministic); outputs are the literals of `literals.read`,
with their types; the budget is that of `calls.LIMITS`, not ten seconds.

Left out: programs made of earlier ones, and triplets whose output is an error.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from zerogym.envs.tools.code_triplet.calls import call
from zerogym.envs.tools.code_triplet.inputs import Arguments
from zerogym.envs.tools.code_triplet.literals import NoLiteral, read
from zerogym.envs.tools.sandbox import Sandbox

MAX_SOURCE = 4096  # characters
FORBIDDEN = frozenset((
    "bcrypt", "calendar", "datetime", "hashlib", "hmac", "logging", "multiprocessing",
    "os.environ", "os.path", "os.sys", "pebble", "random", "subprocess", "sys.exit", "threading",
    "time",
))  # fmt: skip


@dataclass(frozen=True)
class Validation:
    """Whether a proposed program may be asked about, on proposed inputs.

    Attributes:
        ok: Whether it may.
        reason: Why not, in words; empty if it may.
        outputs: The output for each input, if it may.
    """

    ok: bool
    reason: str = ""
    outputs: tuple[Any, ...] = ()


def validate(
    program_source: str, inputs: Sequence[str], sandbox: Sandbox, runs: int = 2
) -> Validation:
    """Run a proposed program on proposed inputs, more than once.

    Args:
        program_source: Python that defines `f`.
        inputs: Each what stands between the brackets of a call of `f`: literals, with commas.
        sandbox: Where it runs.
        runs: Processes in which it must give the same, each with two calls for each input.

    Raises:
        SandboxUnavailable: If the sandbox fails; this says nothing about the program.
        ValueError: If `runs` is below 1 or there is no input.
    """
    if runs < 1 or not inputs:
        raise ValueError("validation needs a run at least, and an input")
    fault = _rule_broken(program_source)
    if fault:
        return Validation(False, fault)
    try:
        arguments = [_arguments(text) for text in inputs]
    except NoLiteral as error:
        return Validation(False, f"an input cannot be read: {error}")
    said: tuple[str | None, ...] = ()
    for _ in range(runs):
        calls = call(sandbox, program_source, [*arguments, *arguments])
        if calls.reason:
            return Validation(False, calls.reason)
        first, second = calls.outputs[: len(inputs)], calls.outputs[len(inputs) :]
        if first != second or first != (said or first):
            return Validation(False, "it is not deterministic")
        said = first
    try:
        return Validation(True, outputs=tuple(read(text or "") for text in said))
    except NoLiteral as error:
        return Validation(False, f"an output cannot be written down: {error}")


def _rule_broken(source: str) -> str:
    """What is against the rules, before anything runs; empty if nothing is."""
    if len(source) > MAX_SOURCE:
        return f"the program is longer than {MAX_SOURCE} characters"
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        return f"the program is not Python: {type(error).__name__}"
    if not any(isinstance(node, ast.FunctionDef) and node.name == "f" for node in tree.body):
        return "the program does not define a function f"
    forbidden = next(filter(_is_forbidden, _imported(tree)), None)
    return f"the program imports {forbidden}" if forbidden else ""


def _imported(tree: ast.AST) -> Iterator[str]:
    """Dotted names of all that is imported, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module or ''}.{alias.name}" for alias in node.names)


def _is_forbidden(name: str) -> bool:
    """Whether a part of it is in the list, or two parts in a row."""
    parts = name.split(".")
    pairs = map(".".join, pairwise(parts))
    return not FORBIDDEN.isdisjoint((*parts, *pairs))


def _arguments(text: str) -> Arguments:
    value = read(text)
    return list(value) if isinstance(value, tuple) else [value]
