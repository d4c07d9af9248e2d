"""Typical mistakes in plans, lines and words, for distractors and corrupted solutions."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick

_LAST_WORD = re.compile(r"[a-z]{2,}$", re.MULTILINE)


def wrong_among(
    env: type[ReasoningEnv], data: Mapping[str, Any], answers: Iterable[str]
) -> tuple[str, ...]:
    """Return the answers in which a task finds a fault; empty ones are left out."""
    problem = Problem("", "", data=data)
    return tuple(text for text in answers if text and env.fault(problem, text))


def wrong_plans(steps: Sequence[str], others: Sequence[str], separator: str) -> list[str]:
    """Return the plan with other last steps, cut short, two steps swapped, without the first.

    Some of them may be right by luck: the caller checks.
    """
    found = [[*steps[:-1], other] for other in others if other != steps[-1]][:2]
    if len(steps) > 1:
        found += [[*steps[:-1]], [*steps[:-2], steps[-1], steps[-2]], [*steps[1:]]]
    return list(map(separator.join, found))


def wrong_ending(
    lines: Sequence[str], choices: Sequence[str], rng: np.random.Generator, separator: str = " "
) -> str:
    """Return lines up to a random one, whose part after the last separator is another choice."""
    last = draw_int(rng, 0, len(lines) - 1)
    stem, mark, end = lines[last].removesuffix(".").rpartition(separator)
    wrong = pick(rng, [choice for choice in choices if choice != end])
    return "\n".join([*lines[:last], f"{stem}{mark}{wrong}."])


def swap_letters(solution: str, rng: np.random.Generator) -> str | None:
    """Return a solution up to a random line, in whose last word two neighbours are exchanged.

    None if no line ends in a word with two different letters side by side.

    Example:
        >>> swap_letters("Forwards: t e a\\nTogether: aet", np.random.default_rng(0))
        'Forwards: t e a\\nTogether: ate'
    """
    places = [
        at
        for word in _LAST_WORD.finditer(solution)
        for at in range(word.start(), word.end() - 1)
        if solution[at] != solution[at + 1]
    ]
    if not places:
        return None
    at = pick(rng, places)
    rest_of_line = solution[at + 2 :].partition("\n")[0]
    return solution[:at] + solution[at + 1] + solution[at] + rest_of_line
