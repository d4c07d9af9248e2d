"""What all generated problems share: how hard they are, and what `reset` may pin."""

import numpy as np

Difficulty = float | tuple[float, float]
RESET_OPTIONS = ("difficulty", "split", "category", "problem")
MAX_DRAWS = 1000  # until a problem is on the asked side of the split and of the asked category


def check_difficulty(difficulty: object) -> Difficulty:
    """A finite number >= 0, or an increasing pair of them, as floats."""
    values = difficulty if isinstance(difficulty, (tuple, list)) else (difficulty,)
    numbers = [
        float(v)
        for v in values
        if isinstance(v, (int, float, np.integer, np.floating)) and not isinstance(v, bool)
    ]
    fine = len(numbers) == len(values) and all(np.isfinite(n) and n >= 0 for n in numbers)
    if fine and isinstance(difficulty, (tuple, list)):
        if len(numbers) == 2 and numbers[0] <= numbers[1]:
            return numbers[0], numbers[1]
    elif fine:
        return numbers[0]
    raise ValueError(f"difficulty must be a number >= 0 or a (low, high) pair, got {difficulty!r}")


def draw_difficulty(difficulty: Difficulty, rng: np.random.Generator) -> float:
    """The difficulty itself, or a uniform draw from its range."""
    if isinstance(difficulty, tuple):
        return float(rng.uniform(*difficulty))
    return difficulty
