"""Draws programs and inputs, and rejects degenerate ones.

A program is degenerate if on drawn inputs it is nearly constant, often returns an empty value, has
a step that changes nothing, or returns its argument. Each mode has further requirements on inputs
and outputs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, shuffled
from zerogym.envs.tools.code_triplet.inputs import Arguments, draw_arguments, written_arguments
from zerogym.envs.tools.code_triplet.language.interpreter import OutOfBounds, Run, Scope, compiled
from zerogym.envs.tools.code_triplet.language.programs import Program, draw_program
from zerogym.envs.tools.code_triplet.literals import same
from zerogym.envs.tools.code_triplet.mistakes import near_programs

LARGEST = 9_999  # integer in an output
LONGEST = 30  # list or text as output
FEW = 8  # inputs on which degenerate programs are detected
MANY = 32  # inputs among which an output must be rare, for abduction
PAIRS = 10  # half of them shown, as in Absolute Zero
MISTAKES = 12  # near programs that are tried
SEEDS = 2**31

Pair = list[Any]  # arguments and output


@dataclass(frozen=True)
class Tried:
    """A program with some inputs it was run on.

    Attributes:
        program: The program.
        run: It, compiled.
        arguments: The inputs.
        scopes: The final values of all variables, for each input.
    """

    program: Program
    run: Run
    arguments: list[Arguments] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)

    @property
    def outputs(self) -> list[Any]:
        return [scope["return"] for scope in self.scopes]

    def try_on(self, rng: np.random.Generator, count: int) -> bool:
        """Run on `count` more drawn inputs; False as soon as an output is out of bounds."""
        for _ in range(count):
            arguments = draw_arguments(rng, self.program)
            try:
                scope = self.run(arguments)
            except OutOfBounds:
                return False
            if not _is_small(scope["return"]):
                return False
            self.arguments.append(arguments)
            self.scopes.append(scope)
        return True


def draw_tried(rng: np.random.Generator, difficulty: float) -> Tried:
    """Draw a program that is not degenerate, with `FEW` inputs."""
    while True:
        program = draw_program(rng, difficulty)
        tried = Tried(program, compiled(program))
        if tried.try_on(rng, FEW) and _is_varied(tried):
            return tried


def output_of(run: Run, arguments: Arguments) -> Any:
    """The output, or None if there is none within the bounds."""
    try:
        return run(arguments)["return"]
    except OutOfBounds:
        return None


def is_informative(output: Any) -> bool:
    """Return True if an output is not one of the few that many programs have."""
    if isinstance(output, int):
        return abs(output) > 9
    return len(set(output)) > 1


def mistaken(rng: np.random.Generator, program: Program) -> Sequence[Program]:
    """Some programs with one mistake."""
    return shuffled(rng, list(near_programs(program)))[:MISTAKES]


def find_preimage(seed: int, program: Program, output: Any) -> Arguments:
    """The first input with this output among `MANY` that a seed draws.

    Raises:
        LookupError: If there is none.
    """
    rng, run = np.random.default_rng(seed), compiled(program)
    for _ in range(MANY):
        arguments = draw_arguments(rng, program)
        if same(output_of(run, arguments), output):
            return arguments
    raise LookupError(f"no drawn input has the output {output!r}")


def draw_rare_output(rng: np.random.Generator, tried: Tried) -> tuple[int, Arguments] | None:
    """A seed and an input that it draws, whose output no other drawn input and no guess has.

    The guesses are trivial inputs, and those that can be made of the output without the program.
    """
    seed = draw_int(rng, 0, SEEDS - 1)
    among = Tried(tried.program, tried.run)
    if not among.try_on(np.random.default_rng(seed), MANY):
        return None
    outputs = list(map(repr, among.outputs))
    for arguments, output, text in zip(among.arguments, among.outputs, outputs, strict=True):
        if is_informative(output) and outputs.count(text) == 1:
            made = ([first, *arguments[1:]] for first in made_of(output, arguments[0]))
            guesses = [*trivial_inputs(tried.program), *made]
            if not any(same(output_of(tried.run, guess), output) for guess in guesses):
                return seed, arguments
    return None


def trivial_inputs(program: Program) -> list[Arguments]:
    """Inputs that are obvious guesses, whatever the program is."""
    kinds = [kind for _, kind in program["parameters"]]
    first = {"list": ([], [0], [1], [1, 2, 3]), "text": ("", "a", "abc"), "number": (0, 1, 10)}
    return [[value, *([1] * (len(kinds) - 1))] for value in first[kinds[0]]]


def made_of(output: Any, like: Any) -> list[Any]:
    """Inputs of the type of `like` that are obvious guesses for an output."""
    if type(output) is type(like):
        return [output]
    if isinstance(output, int) and isinstance(like, list):
        return [[output], [0, output], [output, 0]]
    digits = "".join(map(str, output)) if isinstance(output, list) else ""
    return [int(digits)] if isinstance(like, int) and digits.isdigit() else []


def draw_pairs(rng: np.random.Generator, tried: Tried) -> list[Pair] | None:
    """`PAIRS` pairs of different inputs and their outputs; None if they are too uniform.

    Among the hidden half no output comes more than twice, so that none of them can be guessed.
    """
    if not tried.try_on(rng, PAIRS - FEW):
        return None
    pairs = list(map(list, zip(tried.arguments, tried.outputs, strict=True)))
    hidden = [repr(output) for _, output in pairs[PAIRS // 2 :]]
    if len({written_arguments(arguments) for arguments, _ in pairs}) < PAIRS:
        return None
    return None if max(map(hidden.count, hidden)) > 2 else pairs


def _is_small(output: Any) -> bool:
    if isinstance(output, int):
        return -LARGEST <= output <= LARGEST
    if len(output) > LONGEST:
        return False
    return isinstance(output, str) or all(-LARGEST <= item <= LARGEST for item in output)


def _is_varied(tried: Tried) -> bool:
    outputs = tried.outputs
    if len(set(map(repr, outputs))) < FEW - 2:
        return False
    if sum(isinstance(output, int) or len(output) > 1 for output in outputs) < FEW - 2:
        return False
    names = tried.program["values"]
    if any(_unchanged(tried, a, b) > FEW // 2 for a, b in pairwise(names)):
        return False
    return _unchanged(tried, names[0], "return") <= 1


def _unchanged(tried: Tried, before: str, after: str) -> int:
    """The number of inputs for which two variables end with the same value."""
    return sum(same(scope[before], scope[after]) for scope in tried.scopes)
