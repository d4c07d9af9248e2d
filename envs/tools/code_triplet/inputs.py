"""Inputs of drawn programs: draws, bounds, and the arguments in a reply."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, draw_ints, picks
from zerogym.envs.tools.code_triplet.language.programs import Program
from zerogym.envs.tools.code_triplet.literals import NoLiteral, read

LETTERS = "aaabcdeeefghiiklmnooprrssttuw"
MAX_ITEMS = 100  # of a list or text that a reply gives as input
MAX_NUMBER = 10**6

Arguments = list[Any]


def draw_arguments(rng: np.random.Generator, program: Program) -> Arguments:
    """A value for each parameter: short lists of small integers, short texts, integers."""
    arguments: Arguments = []
    for place, (_, kind) in enumerate(program["parameters"]):
        if kind == "list":
            arguments.append(draw_ints(rng, 0, 20, draw_int(rng, 5, 9)))
        elif kind == "text":
            arguments.append("".join(picks(rng, LETTERS, draw_int(rng, 6, 10))))
        else:
            arguments.append(draw_int(rng, 10, 999) if place == 0 else draw_int(rng, 1, 5))
    return arguments


def written_arguments(arguments: Sequence[Any]) -> str:
    """The arguments of a call as source, without its brackets.

    Example:
        >>> written_arguments([[1, 2], 3])
        '[1, 2], 3'
    """
    return ", ".join(map(repr, arguments))


def read_arguments(text: str, program: Program) -> Arguments:
    """Read the arguments in a reply.

    Raises:
        NoLiteral: If they cannot be read, or do not fit the parameters in number, type (a list
            holds integers only) or size.
    """
    value = read(text)
    parameters = program["parameters"]
    arguments = list(value) if isinstance(value, tuple) else [value]
    if len(arguments) != len(parameters):
        raise NoLiteral(f"f takes {len(parameters)} argument(s), not {len(arguments)}")
    for argument, (_, kind) in zip(arguments, parameters, strict=True):
        if not _is_legal(argument, kind):
            raise NoLiteral(f"an argument is not {_KINDS[kind]}")
    return arguments


_KINDS = {
    "list": f"a list of at most {MAX_ITEMS} integers",
    "text": f"a text of at most {MAX_ITEMS} characters",
    "number": f"an integer from -{MAX_NUMBER} to {MAX_NUMBER}",
}


def _is_legal(value: Any, kind: str) -> bool:
    if kind == "number":
        return type(value) is int and -MAX_NUMBER <= value <= MAX_NUMBER
    if kind == "text":
        return isinstance(value, str) and len(value) <= MAX_ITEMS
    fits = isinstance(value, list) and len(value) <= MAX_ITEMS
    return fits and all(_is_legal(item, "number") for item in value)
