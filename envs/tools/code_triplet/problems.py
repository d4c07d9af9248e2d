"""The three kinds of questions about a triplet, as problems."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import pick
from zerogym.envs.tools.code_triplet.inputs import Arguments, written_arguments
from zerogym.envs.tools.code_triplet.language.interpreter import Scope, compiled
from zerogym.envs.tools.code_triplet.language.programs import Program, canonical
from zerogym.envs.tools.code_triplet.language.rendering import rendered
from zerogym.envs.tools.code_triplet.literals import same
from zerogym.envs.tools.code_triplet.mistakes import near_programs
from zerogym.envs.tools.code_triplet.triplets import (
    PAIRS,
    Pair,
    Tried,
    draw_pairs,
    draw_rare_output,
    draw_tried,
    is_informative,
    made_of,
    mistaken,
    output_of,
    trivial_inputs,
)

WRONG = 3  # distractors that come from mistakes


def draw_problem(rng: np.random.Generator, difficulty: float, mode: str | None = None) -> Problem:
    """A problem of a mode, or of one of the three, each as often as the others."""
    make = MODES[mode or pick(rng, tuple(MODES))]
    while True:
        problem = make(rng, draw_tried(rng, difficulty))
        if problem is not None:
            return problem


def _deduction(rng: np.random.Generator, tried: Tried) -> Problem | None:
    """The output is none of those that many programs give, nor the input written differently."""
    pairs = enumerate(zip(tried.arguments, tried.outputs, strict=True))
    firsts = (n for n, (a, out) in pairs if is_informative(out) and a[0] not in made_of(out, a[0]))
    found = next(firsts, None)
    if found is None:
        return None
    program, arguments, scope = tried.program, tried.arguments[found], tried.scopes[found]
    output, source, call = scope["return"], rendered(program), written_arguments(arguments)
    answer = repr(output)
    wrong = [scope[name] for name in program["values"][-2:-1]]
    for other in mistaken(rng, program)[: WRONG + 1 - len(wrong)]:
        wrong.append(_output(other, arguments))
    wrong.append(_off_by_one(output))
    different = [value for value in wrong if value is not None and not same(value, output)]
    return Problem(
        prompt=deduction_prompt(source, call),
        answer=answer,
        solution=f"Run f({call}).\n{_trace(program, scope)}\nIt returns {answer}",
        distractors=tuple(dict.fromkeys(map(repr, different))),
        category="deduction",
        data={"program": program, "arguments": arguments, "output": output},
        canonical=canonical(program),
    )


def _abduction(rng: np.random.Generator, tried: Tried) -> Problem | None:
    """See `draw_rare_output`."""
    drawn = draw_rare_output(rng, tried)
    if drawn is None:
        return None
    seed, arguments = drawn
    program, scope = tried.program, tried.run(arguments)
    output, answer = scope["return"], written_arguments(arguments)
    names = [program["names"][name] for name, _ in program["parameters"]]
    wrong = [
        other
        for other in (*_near_inputs(arguments), trivial_inputs(program)[0])
        if not same(output_of(tried.run, other), output)
    ]
    return Problem(
        prompt=abduction_prompt(rendered(program), repr(output), names),
        answer=answer,
        solution=f"Try f({answer}).\n{_trace(program, scope)}\nIt returns {output!r}, so an "
        f"input is {answer}",
        distractors=tuple(dict.fromkeys(map(written_arguments, wrong))),
        category="abduction",
        data={"program": program, "output": output, "seed": seed},
        canonical=canonical(program),
    )


def _induction(rng: np.random.Generator, tried: Tried) -> Problem | None:
    """See `draw_pairs`; a program with one mistake that fits what is shown must fit the rest."""
    pairs = draw_pairs(rng, tried)
    if pairs is None:
        return None
    program = tried.program
    shown, hidden = _halves(pairs).values()
    if any(_fits(near, shown) and not _fits(near, hidden) for near in near_programs(program)):
        return None
    names = [program["names"][name] for name, _ in program["parameters"]]
    pairs_shown = [(written_arguments(arguments), repr(output)) for arguments, output in shown]
    wrong = [
        other
        for other in mistaken(rng, program)
        if any(not same(_output(other, arguments), output) for arguments, output in hidden)
    ]
    answer = rendered(program)
    return Problem(
        prompt=induction_prompt(names, pairs_shown, f"it {program['says']}"),
        answer=answer,
        solution=f"It {program['says']}. On the first input:\n{_trace(program, tried.scopes[0])}\n"
        f"So the function is\n{answer}",
        distractors=(*dict.fromkeys(map(rendered, wrong[: WRONG - 1])), table(shown)),
        category="induction",
        data={"program": program} | _halves(pairs),
        canonical=canonical(program),
    )


MODES: dict[str, Callable[[np.random.Generator, Tried], Problem | None]] = {
    "deduction": _deduction,
    "abduction": _abduction,
    "induction": _induction,
}


def deduction_prompt(source: str, call: str) -> str:
    """Return the question for the output of a program for the arguments of a call."""
    return (
        f"Here is a Python function.\n```python\n{source}\n```\n"
        f"What does f({call}) return?\nAnswer with a Python literal, such as 12, [1, 2] or 'ab'."
    )


def abduction_prompt(source: str, output: str, names: Sequence[str]) -> str:
    """Return the question for an input with an output; `names` are those of the parameters."""
    return (
        f"Here is a Python function.\n```python\n{source}\n```\nFind an input "
        f"for which it returns {output}. Any such input is right. Answer with "
        f"what stands between the brackets of the call f({', '.join(names)}), as "
        f"{'Python literals' if len(names) > 1 else 'a Python literal'}."
    )


def induction_prompt(names: Sequence[str], shown: Sequence[Sequence[str]], hint: str) -> str:
    """Return the question for a program; `shown` are arguments and outputs as texts."""
    listed = "\n".join(f"f({call}) == {output}" for call, output in shown)
    return (
        f"Find a Python function f({', '.join(names)}) from what it returns:\n{listed}\nA hint: "
        f"{hint}.\nYour function will be tried on these and on other inputs of the same "
        "kind. Answer with its source, beginning with def f."
    )


def _halves(pairs: list[Pair]) -> dict[str, list[Pair]]:
    return {"shown": pairs[: PAIRS // 2], "hidden": pairs[PAIRS // 2 :]}


def table(pairs: list[Pair]) -> str:
    """Source of a function that looks up some pairs in a table."""
    lines = [f"    if inputs == {tuple(a)!r}:\n        return {output!r}" for a, output in pairs]
    return "\n".join(["def f(*inputs):", *lines, f"    return {pairs[0][1]!r}"])


def _fits(program: Program, pairs: list[Pair]) -> bool:
    return all(same(_output(program, arguments), output) for arguments, output in pairs)


def _output(program: Program, arguments: Arguments) -> Any:
    return output_of(compiled(program), arguments)


def _trace(program: Program, scope: Scope) -> str:
    """The value of each step, one a line."""
    names = program["names"]
    held = [name for name in program["values"] if name in names]
    return "\n".join(f"{names[name]} = {scope[name]!r}" for name in held)


def _off_by_one(value: Any) -> Any:
    if isinstance(value, int):
        return value + 1
    return value[:-1] if isinstance(value, str) else [*value[:-1], value[-1] + 1]


def _near_inputs(arguments: Arguments) -> list[Arguments]:
    """The first argument changed a little."""
    first, *rest = arguments
    if isinstance(first, int):
        return [[first + 1, *rest], [first - 1, *rest]]
    return [[first[:-1], *rest], [first[1:], *rest], [_off_by_one(first), *rest]]
