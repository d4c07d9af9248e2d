"""Draws programs: a chain of steps, each of which makes a new value of the last one."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from zerogym.envs.reasoning.draws import pick, round_randomly
from zerogym.envs.tools.code_triplet.language import list_steps, number_steps, text_steps
from zerogym.envs.tools.code_triplet.language.draft import Draft

Program = Mapping[str, Any]
Step = Callable[[Draft, str], str]

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

# The seed of Absolute Zero's buffer of programs.
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

    Beside what `interpreter.run` needs it has `names` (of the variables, for `rendered`), `values`
    (the first parameter and the variable of each step's value, or `return` at the end) and `says`
    (what the steps do, in words).
    """
    level = min(difficulty, 20.0)
    count = min(MAX_STEPS, 1 + round_randomly(rng, level))
    draft = Draft(rng, level)
    share = rng.random()
    kind = next(kind for kind, limit in zip(TYPES, _SHARES, strict=True) if share < limit)
    current = draft.new(kind)
    parameters = [[current, kind]]
    if kind != "number" and draft.chance(0.25):
        draft.extra = draft.new("extra")
    values = [current]
    before: Step | None = None
    for index in range(count):
        step, kind = _draw_step(draft, kind, before, index == count - 1)
        current, before = step(draft, current), step
        values.append(current)
    if draft.extra and f'["var", "{draft.extra}"]' in json.dumps(draft.body):
        parameters.append([draft.extra, "number"])
    result = _result(draft, current, values)
    program: dict[str, Any] = {"parameters": parameters, "body": draft.body, "result": result}
    return program | {"names": draft.names, "values": values, "says": ", then ".join(draft.said)}


def _result(draft: Draft, current: str, values: list[str]) -> Any:
    """The last variable, or often its expression itself if it was only assigned."""
    kind, *parts = draft.body[-1]
    if kind != "let" or draft.chance(0.4):
        return ["var", current]
    draft.body.pop()
    values[-1] = "return"
    return parts[1]


def canonical(program: Program) -> str:
    """Equal for programs that differ in the names of their variables only."""
    return json.dumps([program["parameters"], program["body"], program["result"]])


def _draw_step(draft: Draft, kind: str, before: Step | None, is_last: bool) -> tuple[Step, str]:
    """A step for a value of some type, not the same one twice in a row; and what it gives."""
    if kind == "list" and is_last and draft.chance(0.4):
        return pick(draft.rng, _TO_NUMBER), "number"
    if kind in _TO_LIST and draft.chance(0.6 if kind == "number" else 0.25):
        return pick(draft.rng, _TO_LIST[kind]), "list"
    steps = _SAME[kind]
    step = pick(draft.rng, steps)
    while step is before and len(steps) > 1:
        step = pick(draft.rng, steps)
    return step, kind
