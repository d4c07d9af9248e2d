"""Typical mistakes in a plan or a worked solution, for distractors and corrupted solutions."""

from collections.abc import Sequence

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, pick


def wrong_plans(steps: Sequence[str], others: Sequence[str], separator: str) -> tuple[str, ...]:
    """Return the plan with other last steps, cut short, two steps swapped, without the first.

    Some of them may be right by luck: the caller checks.
    """
    found = [[*steps[:-1], other] for other in others if other != steps[-1]][:2]
    if len(steps) > 1:
        found += [[*steps[:-1]], [*steps[:-2], steps[-1], steps[-2]], [*steps[1:]]]
    return tuple(dict.fromkeys(map(separator.join, found)))


def wrong_ending(
    lines: Sequence[str], choices: Sequence[str], rng: np.random.Generator, separator: str = " "
) -> str:
    """Return lines up to a random one, whose part after the last separator is another choice."""
    last = draw_int(rng, 0, len(lines) - 1)
    stem, mark, end = lines[last].removesuffix(".").rpartition(separator)
    wrong = pick(rng, [choice for choice in choices if choice != end])
    return "\n".join([*lines[:last], f"{stem}{mark}{wrong}."])
