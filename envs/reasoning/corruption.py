"""Worked solutions with one wrong number, for tasks without typical mistakes of their own.

Left out: mistakes in the method (a misused rule); a task that knows some overrides `corrupt`.
"""

import re

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, pick

_NUMBER = re.compile(r"\d{1,15}", re.ASCII)


def corrupt_number(solution: str, rng: np.random.Generator) -> str | None:
    """The solution up to a line in which one number is changed; None if it has no number.

    The last number of a random line is off by 1 to 9: where lines are `a + b = c` it is the result.

    Source:
        One controlled calculation error, as in "Can Large Reasoning Models Improve Accuracy on
        Mathematical Tasks Using Flawed Thinking?" (2025). Which number is our choice.
    """
    lines = solution.split("\n")
    places = [n for n, line in enumerate(lines) if _NUMBER.search(line)]
    if not places:
        return None
    chosen = pick(rng, places)
    match = list(_NUMBER.finditer(lines[chosen]))[-1]
    change = draw_int(rng, 1, 9) * (1 if rng.random() < 0.5 else -1)
    wrong = abs(int(match[0]) + change)
    if wrong == int(match[0]):
        wrong += 1
    line = lines[chosen]
    return "\n".join([*lines[:chosen], f"{line[: match.start()]}{wrong}{line[match.end() :]}"])
