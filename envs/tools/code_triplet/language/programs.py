"""Draws programs: a chain of steps, each of which computes a new value from the last one."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from zerogym.envs.reasoning.draws import pick, round_randomly
from zerogym.envs.tools.code_triplet.language import list_steps, number_steps, text_steps
from zerogym.envs.tools.code_triplet.language.builder import CodeBuilder

Program = Mapping[str, Any]
Step = Callable[[CodeBuilder, str], str]

MAX_STEPS = 8
TYPES = ("list", "text", "number")

_SHARES = (0.55, 0.85, 1.0)  # of the types of the first parameter, added up
_SAME: Mapping[str, tuple[Step, ...]] = {
    "list": (
        list_steps.change_each, list_steps.keep_some, list_steps.keep_and_change,
        list_steps.change_by_place, list_steps.slice_of, list_steps.order_of, list_steps.extend,
        list_steps.neighbours, list_steps.without_repeats, list_steps.cases_in_a_loop,
        list_steps.running, list_steps.change_by_case, list_steps.choose,
    ),
    "text": (
        text_steps.slice_of, text_steps.keep_some, text_steps.change_each,
        text_steps.change_by_place, text_steps.replaced, text_steps.build,
    ),
    "number": (number_steps.after,),
}  # fmt: skip
_TO_LIST: Mapping[str, tuple[Step, ...]] = {
    "text": (text_steps.places, text_steps.counts),
    "number": (number_steps.digits, number_steps.steps),
}
_TO_NUMBER: tuple[Step, ...] = (
    number_steps.total, number_steps.weighted, number_steps.balance, number_steps.rolling,
    number_steps.pairs, number_steps.best_run, number_steps.combined,
)  # fmt: skip

# The first program in Absolute Zero's buffer.
IDENTITY: Program = {
    "parameters": [["v0", "list"]],
    "body": [],
    "result": ["var", "v0"],
    "names": {"v0": "xs"},
    "values": ["v0"],
    "says": "",
}


def draw_program(rng: np.random.Generator, difficulty: float) -> Program:
    """A program of `1 + difficulty` steps (at most `MAX_STEPS`).

    Beside the keys of `interpreter.run` it has `names` (of the variables, for `rendered`), `values`
    (the first parameter and the variable of each step's value, or `return` at the end) and `says`
    (descriptions of the steps).
    """
    level = min(difficulty, 20.0)
    count = min(MAX_STEPS, 1 + round_randomly(rng, level))
    code = CodeBuilder(rng, level)
    share = rng.random()
    kind = next(kind for kind, limit in zip(TYPES, _SHARES, strict=True) if share < limit)
    current = code.new(kind)
    parameters = [[current, kind]]
    if kind != "number" and code.chance(0.25):
        code.extra = code.new("extra")
    values = [current]
    before: Step | None = None
    for index in range(count):
        step, kind = _draw_step(code, kind, before, index == count - 1)
        current, before = step(code, current), step
        values.append(current)
    if code.extra and f'["var", "{code.extra}"]' in json.dumps(code.body):
        parameters.append([code.extra, "number"])
    result: Any = ["var", current]
    # The result is the last variable, or often its expression itself if it was only assigned.
    if code.body[-1][0] == "let" and not code.chance(0.4):
        _, _, result = code.body.pop()
        values[-1] = "return"
    program: dict[str, Any] = {"parameters": parameters, "body": code.body, "result": result}
    return program | {"names": code.names, "values": values, "says": ", then ".join(code.said)}


def canonical(program: Program) -> str:
    """A text that is equal for programs that differ in the names of their variables only."""
    return json.dumps([program["parameters"], program["body"], program["result"]])


def _draw_step(
    code: CodeBuilder, kind: str, before: Step | None, is_last: bool
) -> tuple[Step, str]:
    """Draw a step for a type, not the same one twice in a row, and return its output type too."""
    if kind == "list" and is_last and code.chance(0.4):
        return pick(code.rng, _TO_NUMBER), "number"
    if kind in _TO_LIST and code.chance(0.6 if kind == "number" else 0.25):
        return pick(code.rng, _TO_LIST[kind]), "list"
    steps = _SAME[kind]
    step = pick(code.rng, steps)
    while step is before and len(steps) > 1:
        step = pick(code.rng, steps)
    return step, kind
