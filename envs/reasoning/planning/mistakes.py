"""Typical mistakes in a plan: cut short, a step forgotten, steps swapped, a wrong last step."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, pick

T = TypeVar("T")


def wrong_plans(
    steps: Sequence[T], others: Sequence[T], write: Callable[[Sequence[T]], str]
) -> tuple[str, ...]:
    """The plan with other last steps, cut short, with two steps swapped, without the first.

    Some of them may be right by luck: the caller checks.
    """
    last = [other for other in others if other != steps[-1]]
    found: list[Sequence[T]] = [[*steps[:-1], other] for other in last[:2]]
    if len(steps) > 1:
        swapped = [*steps[:-2], steps[-1], steps[-2]]
        found += [steps[:-1], swapped, steps[1:]]
    return tuple(dict.fromkeys(map(write, found)))


def out_of_order(steps: Sequence[str], rng: np.random.Generator) -> str | None:
    """Numbered steps up to one that is another step of the plan; None if all are alike."""
    chosen = draw_int(rng, 0, len(steps) - 1)
    others = [step for step in steps if step != steps[chosen]]
    if not others:
        return None
    return numbered([*steps[:chosen], pick(rng, others)])


def numbered(steps: Sequence[str]) -> str:
    """One step a line.

    Example:
        >>> print(numbered(["up", "left"]))
        1. up
        2. left
    """
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))
