"""Validation of a proposed triplet: its program runs, is deterministic and keeps to the rules.

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
    """The verdict about a proposed program with proposed inputs.

    Attributes:
        ok: Whether it is accepted.
        reason: Message why not; empty if it is accepted.
        outputs: The output for each input, if it is accepted.
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
        inputs: The arguments of each call of `f`: literals, with commas.
        sandbox: Where it runs.
        runs: Processes in which it must give the same, each with two calls for each input.

    Raises:
        SandboxUnavailable: If the sandbox fails, whatever the program is.
        ValueError: If `runs` is below 1 or there is no input.
    """
    if runs < 1 or not inputs:
        raise ValueError("validation needs a run at least, and an input")
    fault = _rule_broken(program_source)
    if fault:
        return Validation(False, fault)
    try:
        values = [read(text) for text in inputs]
    except NoLiteral as error:
        return Validation(False, f"an input cannot be read: {error}")
    arguments = [list(value) if isinstance(value, tuple) else [value] for value in values]
    outputs: tuple[str | None, ...] = ()
    for _ in range(runs):
        calls = call(sandbox, program_source, [*arguments, *arguments])
        if calls.reason:
            return Validation(False, calls.reason)
        first, second = calls.outputs[: len(inputs)], calls.outputs[len(inputs) :]
        if first != second or first != (outputs or first):
            return Validation(False, "it is not deterministic")
        outputs = first
    try:
        return Validation(True, outputs=tuple(read(text or "") for text in outputs))
    except NoLiteral as error:
        return Validation(False, f"an output cannot be written down: {error}")


def _rule_broken(source: str) -> str:
    """Return the violation of the rules in a source; empty if there is none."""
    if len(source) > MAX_SOURCE:
        return f"the program is longer than {MAX_SOURCE} characters"
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        return f"the program is not Python: {type(error).__name__}"
    if not any(isinstance(node, ast.FunctionDef) and node.name == "f" for node in tree.body):
        return "the program does not define a function f"
    for name in _imported(tree):
        parts = name.split(".")
        if not FORBIDDEN.isdisjoint((*parts, *map(".".join, pairwise(parts)))):
            return f"the program imports {name}"
    return ""


def _imported(tree: ast.AST) -> Iterator[str]:
    """Dotted names of all imports, wherever they are."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module or ''}.{alias.name}" for alias in node.names)
