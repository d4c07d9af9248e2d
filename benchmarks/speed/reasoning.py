"""Problems drawn and answers scored a second by each reasoning task, beside reasoning-gym.

    python -m zerogym.benchmarks.speed.reasoning [--seconds 0.5]

Unit: CPU seconds of one core. Ours and the peer's are measured one after the other in the same
run. Where both have a task, ours is drawn at the difficulty whose problems are nearest in size to
the peer's defaults, or larger; a task of ours with several categories draws all of them, so its one
rate stands beside each of the peer's. Scoring is of the solver's answer, without finding it in a
reply.
"""

import contextlib
import itertools
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import gymnasium as gym
import numpy as np
import rich

import zerogym  # noqa: F401 (registers the ids)
from zerogym.benchmarks.speed.loops import call_rate, options, show
from zerogym.envs.reasoning.core import ReasoningEnv
from zerogym.envs.registry import TASKS

SOLVED = 20  # problems whose answers are scored in turn


@dataclass(frozen=True)
class Pair:
    """A dataset of reasoning-gym and our task at the difficulty that comes nearest.

    Attributes:
        task: Our name.
        difficulty: Of ours.
        dataset: Theirs.
        config: Arguments of the dataset, where its defaults have no counterpart.
    """

    task: str
    difficulty: float
    dataset: str
    config: dict[str, Any] = field(default_factory=dict)


PAIRS = (
    Pair("ChainSum", 2, "chain_sum"),
    Pair("Countdown", 3, "countdown"),
    Pair("NumberTheory", 2, "gcd"),
    Pair("NumberTheory", 2, "lcm"),
    Pair("NumberTheory", 2, "prime_factorization"),
    Pair("BaseConversion", 1, "base_conversion"),
    Pair("LinearEquations", 2, "simple_equations"),
    Pair("Polynomials", 2, "polynomial_equations"),
    Pair("Polynomials", 2, "polynomial_multiplication"),
    Pair("Sequences", 3, "number_sequence"),
    Pair("Probability", 3, "dice"),
    Pair("Calendar", 1, "calendar_arithmetic"),
    Pair("PropositionalEntailment", 1, "propositional_logic"),
    Pair("Syllogism", 0, "syllogism"),
    Pair("KnightsKnaves", 1, "knights_knaves"),
    Pair("Sudoku", 1, "sudoku"),
    Pair("Futoshiki", 2.5, "futoshiki"),
    Pair("NQueens", 1, "n_queens"),
    Pair("Cryptarithm", 2, "cryptarithm"),
    Pair("Hanoi", 1, "tower_of_hanoi"),
    Pair("WaterJugs", 4, "jugs"),
    Pair("Maze", 2, "maze"),
    Pair(
        "Sokoban", 4, "sokoban",
        {"min_w": 6, "max_w": 7, "min_h": 6, "max_h": 7, "min_boxes": 3, "max_boxes": 3},
    ),
    Pair("CellularAutomaton", 6, "game_of_life"),
    Pair("PatternMachine", 4, "arc_1d"),
    Pair("PatternMachine", 4, "list_functions"),
    Pair("LetterTasks", 9, "letter_counting"),
    Pair("LetterTasks", 2, "spell_backward"),
    Pair("LetterTasks", 2, "word_sorting"),
    Pair("Cipher", 10, "caesar_cipher"),
)  # fmt: skip


def drawing(task: ReasoningEnv, difficulty: float, seconds: float) -> float:
    """Problems a second."""
    rng = np.random.default_rng(0)
    return call_rate(lambda: task.sample(rng, difficulty), seconds)


def scoring(task: ReasoningEnv, difficulty: float, seconds: float) -> float:
    """Scores a second."""
    rng = np.random.default_rng(0)
    problems = [task.sample(rng, difficulty) for _ in range(SOLVED)]
    solved = itertools.cycle([(problem, task.solve(problem)) for problem in problems])
    return call_rate(lambda: task.score(*next(solved)), seconds)


def made(name: str) -> ReasoningEnv:
    """A reasoning task without wrappers."""
    return cast(ReasoningEnv, gym.make(f"zerogym/{name}-v0").unwrapped)


def ours(seconds: float) -> None:
    """Every task at its default difficulty."""
    drawn, scored = {}, {}
    for registered in TASKS:
        if registered.family == "reasoning" and "bridge" not in registered.tags:
            task = made(registered.name)
            level = task.default_difficulty
            assert isinstance(level, float)
            drawn[registered.name] = drawing(task, level, seconds)
            scored[registered.name] = scoring(task, level, seconds)
    rows = [(name, f"{drawn[name]:,.0f}", f"{scored[name]:,.0f}") for name in drawn]
    show(("task", "drawn/s", "scored/s"), rows, 100, "zerogym, default difficulty")
    slowest = min(drawn, key=lambda name: drawn[name])
    medians = statistics.median(drawn.values()), statistics.median(scored.values())
    rich.print(f"median {medians[0]:,.0f} drawn/s and {medians[1]:,.0f} scored/s")
    rich.print(f"slowest: {slowest}, {drawn[slowest]:,.0f} drawn/s")


def beside(seconds: float) -> None:
    """Each pair, and the geometric mean of the ratios."""
    import reasoning_gym

    rows, ratios = [], []
    for pair in PAIRS:
        mine = drawing(made(pair.task), pair.difficulty, seconds)
        items = reasoning_gym.create_dataset(pair.dataset, seed=0, size=10**6, **pair.config)
        numbers = itertools.count()

        def draw(items: Any = items, numbers: Iterator[int] = numbers) -> None:
            with contextlib.suppress(RuntimeError):  # mazes that cannot be drawn count, too
                items[next(numbers)]

        theirs = call_rate(draw, seconds)
        ratios.append(mine / theirs)
        speed = f"{theirs:,.1f}" if theirs < 10 else f"{theirs:,.0f}"
        own = (pair.task, f"{pair.difficulty:g}", f"{mine:,.0f}")
        rows.append((*own, pair.dataset, speed, f"{ratios[-1]:,.2g}"))
    show(("task", "difficulty", "drawn/s", "reasoning-gym", "drawn/s", "ratio"), rows, 100)
    rich.print(f"geometric mean of {len(ratios)} ratios: {statistics.geometric_mean(ratios):.1f}")


def main() -> None:
    """Measure and print both tables."""
    arguments = options(
        __doc__,
        seconds=(0.5, "CPU seconds for each rate"),
        alone={"action": "store_true", "help": "without the peer"},
    )
    ours(arguments.seconds)
    if not arguments.alone:
        beside(arguments.seconds)


if __name__ == "__main__":
    main()
