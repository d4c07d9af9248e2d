"""The questions of the proposer's seat, and the blocks of its replies."""

import json
import re
from collections.abc import Mapping, Sequence

import numpy as np

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import draw_int, pick, shuffled
from zerogym.envs.tools.code_triplet.inputs import written_arguments
from zerogym.envs.tools.code_triplet.language.programs import Program
from zerogym.envs.tools.code_triplet.language.rendering import rendered
from zerogym.envs.tools.code_triplet.proposals import (
    Triplet,
    plain,
)
from zerogym.envs.tools.code_triplet.triplets import (
    PAIRS,
    Tried,
    draw_pairs,
    draw_rare_output,
    draw_tried,
    is_informative,
)

MAX_REPLY = 20_000  # characters of a reply that are read
MAX_MESSAGE = 200  # characters
PARTS = (  # of a program, of which one is required
    "sorted", "sum", "max", "min", "abs", "len", "for", "if", "//", "%", "*", "append", "[::-1]",
    "enumerate", "zip", "join", "range", "count", "replace", "upper",
)  # fmt: skip
_BLOCK = re.compile(r"```(python|input|message)[ \t]*\r?\n(.*?)```", re.DOTALL)
_AIMS = {
    "deduction": "what it returns for the input is to be predicted",
    "abduction": "from what it returns an input is to be found",
}


def creator_problem(
    category: str,
    references: Sequence[Triplet],
    pairs: int = PAIRS,
    part: str = "",
    returns: str = "",
    solution: Triplet | None = None,
) -> Problem:
    """Return a question for the proposer.

    Args:
        category: `deduction`, `abduction` or `induction`.
        references: Triplets that are shown and that the proposal must differ from; for induction
            the program of the first is given, and inputs and a message are proposed.
        pairs: Inputs that are proposed for induction.
        part: What the program must contain; empty: nothing. It has no meaning for induction.
        returns: What it must return, for one of the inputs; empty: anything.
        solution: A proposal that is accepted, for the oracle; None: there is none.
    """
    if category == "induction":
        prompt = (
            f"Here is a Python function.\n```python\n{references[0].program}\n```\nPropose "
            f"{pairs} different inputs from whose outputs the function is to be found, and a "
            "message of one line that hints at it."
        )
        if returns:
            prompt += f" For one of the inputs it must return {returns}."
        prompt += (
            "\nAnswer with a block ```input for each input, what stands between the brackets of "
            "the call, and a block ```message."
        )
    else:
        shown = "\n".join(
            f"```python\n{each.program}\n```\n```input\n{each.inputs[0]}\n```"
            for each in references
        )
        prompt = f"Propose a Python function f and an input: {_AIMS[category]}."
        if shown:
            prompt += f" It must be another one than\n{shown}"
        if part:
            prompt += f"\nThe function must contain `{part}`."
        if returns:
            prompt += f"\nFor the input it must return {returns}."
        prompt += (
            "\nAnswer with a block ```python, the function, and a block ```input, what stands "
            "between the brackets of the call."
        )
    data = {
        "references": [each.record() for each in references],
        "pairs": pairs,
        "part": part,
        "returns": returns,
        "solution": None if solution is None else solution.record(),
    }
    answer = "" if solution is None else written(category, solution)
    wrong = () if solution is None else _mistakes(category, references, solution)
    canonical = json.dumps([category, data["references"], part, returns])
    return Problem(prompt, answer, answer, wrong, category, data, canonical)


def draw_creator_problem(
    rng: np.random.Generator, difficulty: float, category: str | None = None
) -> Problem:
    """Return a drawn question: an accepted proposal is drawn first, and what it must fulfil."""
    kind = category or pick(rng, (*_AIMS, "induction"))
    while True:
        found = _draw_inputs(rng, difficulty) if kind == "induction" else None
        if kind != "induction":
            found = _draw_program(rng, difficulty, kind)
        if found is not None:
            return found


def written(category: str, triplet: Triplet) -> str:
    """Return a proposal as the blocks of a reply."""
    blocks = [("input", text) for text in triplet.inputs]
    if category == "induction":
        blocks.append(("message", triplet.message))
    else:
        blocks = [("python", triplet.program), *blocks[:1]]
    return "\n".join(f"```{name}\n{text}\n```" for name, text in blocks)


def blocks_of(reply: str) -> Mapping[str, list[str]]:
    """Return the contents of the blocks of a reply by their names; none of a reply too long."""
    found: dict[str, list[str]] = {}
    for name, text in _BLOCK.findall(reply) if len(reply) <= MAX_REPLY else ():
        found.setdefault(name, []).append(text.strip("\r\n"))
    return found


def _draw_program(rng: np.random.Generator, difficulty: float, category: str) -> Problem | None:
    """Require the output of the drawn program, and a part that it has and the shown ones lack."""
    drawn = [draw_tried(rng, difficulty) for _ in range(draw_int(rng, 2, 3))]
    solution, *references = (_triplet(one.program, one, 1) for one in drawn)
    fits = [
        part
        for part in shuffled(rng, list(PARTS))
        if part in solution.program and not any(part in each.program for each in references)
    ]
    returns = solution.outputs[0]
    if not fits or not is_informative(drawn[0].outputs[0]) or returns in solution.inputs:
        return None
    return creator_problem(category, references, 1, fits[0], returns, solution)


def _draw_inputs(rng: np.random.Generator, difficulty: float) -> Problem | None:
    """Require an output that few inputs have."""
    tried = draw_tried(rng, difficulty)
    drawn, rare = draw_pairs(rng, tried), draw_rare_output(rng, tried)
    if drawn is None or rare is None:
        return None
    _, arguments = rare
    output = repr(tried.run(arguments)["return"])
    chosen = [arguments, *(one for one, _ in drawn)]
    inputs = dict.fromkeys(map(written_arguments, chosen))
    outputs = [repr(tried.run(one)["return"]) for one in chosen]
    if len(inputs) <= PAIRS:
        return None
    solution = Triplet(
        plain(rendered(tried.program)), tuple(inputs)[:PAIRS], tuple(outputs)[:PAIRS],
        f"it {tried.program['says']}"[:MAX_MESSAGE],
    )  # fmt: skip
    shown = Triplet(solution.program, solution.inputs[1:2], solution.outputs[1:2])
    return creator_problem("induction", [shown], PAIRS, returns=output, solution=solution)


def _triplet(program: Program, tried: Tried, count: int) -> Triplet:
    inputs = tuple(map(written_arguments, tried.arguments[:count]))
    outputs = tuple(map(repr, tried.outputs[:count]))
    return Triplet(plain(rendered(program)), inputs, outputs)


def _mistakes(category: str, references: Sequence[Triplet], solution: Triplet) -> tuple[str, ...]:
    """Return proposals that are not accepted: random, endless, known, of a wrong form."""
    if category == "induction":
        few = Triplet(solution.program, solution.inputs[:-1], (), solution.message)
        same = Triplet(solution.program, solution.inputs[:1] * PAIRS, (), solution.message)
        return written(category, few), written(category, same), written("deduction", solution)
    head, _, rest = solution.program.partition("\n")
    bodies = (
        f"import random\n{solution.program}",
        f"{head}\n    while True:\n        pass\n{rest}",
        "def f():\n    return 1",
    )
    changed = [Triplet(body, solution.inputs, ()) for body in bodies]
    return tuple(written(category, one) for one in [*references, *changed])
