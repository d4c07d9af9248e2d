"""Problems drawn and answers scored a second by each reasoning task, beside reasoning-gym.

    python -m zerogym.benchmarks.speed.reasoning [--seconds 0.5]

Unit: CPU seconds of one core. Ours and the peer's are measured one after the other in the same
run. Where both have a task, ours is drawn at the difficulty whose problems are nearest in size to
the peer's defaults, or larger; a task of ours with several categories draws all of them, so its one
rate stands beside each of the peer's. Scoring is of the solver's answer, without finding it in a
reply.
"""

import argparse
import contextlib
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import gymnasium as gym
import numpy as np
from rich.console import Console
from rich.table import Table

import zerogym  # noqa: F401 (registers the ids)
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


def rate(function: Callable[[int], Any], seconds: float) -> float:
    """Calls a CPU second, measured for at least `seconds` after one call to warm up."""
    function(0)
    count, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        count += 1
        function(count)
    return count / spent


def drawing(task: ReasoningEnv, difficulty: float, seconds: float) -> float:
    """Problems a second."""
    rng = np.random.default_rng(0)
    return rate(lambda n: task.sample(rng, difficulty), seconds)


def scoring(task: ReasoningEnv, difficulty: float, seconds: float) -> float:
    """Scores a second."""
    rng = np.random.default_rng(0)
    problems = [task.sample(rng, difficulty) for _ in range(SOLVED)]
    answers = [task.solve(problem) for problem in problems]
    return rate(lambda n: task.score(problems[n % SOLVED], answers[n % SOLVED]), seconds)


def made(name: str) -> ReasoningEnv:
    """A reasoning task without wrappers."""
    return cast(ReasoningEnv, gym.make(f"zerogym/{name}-v0").unwrapped)


def ours(seconds: float, console: Console) -> None:
    """Every task at its default difficulty."""
    table = Table("task", "drawn/s", "scored/s", title="zerogym, default difficulty")
    drawn, scored = {}, []
    for registered in TASKS:
        if registered.family != "reasoning" or "bridge" in registered.tags:
            continue
        task = made(registered.name)
        level = task.default_difficulty
        assert isinstance(level, float)
        drawn[registered.name] = drawing(task, level, seconds)
        scored.append(scoring(task, level, seconds))
        table.add_row(registered.name, f"{drawn[registered.name]:,.0f}", f"{scored[-1]:,.0f}")
    console.print(table)
    slowest = min(drawn, key=lambda name: drawn[name])
    medians = statistics.median(drawn.values()), statistics.median(scored)
    console.print(f"median {medians[0]:,.0f} drawn/s and {medians[1]:,.0f} scored/s")
    console.print(f"slowest: {slowest}, {drawn[slowest]:,.0f} drawn/s")


def beside(seconds: float, console: Console) -> None:
    """Each pair, and the geometric mean of the ratios."""
    import reasoning_gym

    table = Table("task", "difficulty", "drawn/s", "reasoning-gym", "drawn/s", "ratio")
    ratios = []
    for pair in PAIRS:
        mine = drawing(made(pair.task), pair.difficulty, seconds)
        items = reasoning_gym.create_dataset(pair.dataset, seed=0, size=10**6, **pair.config)
        theirs = rate(partial(_item, items), seconds)
        ratios.append(mine / theirs)
        table.add_row(
            pair.task, f"{pair.difficulty:g}", f"{mine:,.0f}", pair.dataset,
            f"{theirs:,.1f}" if theirs < 10 else f"{theirs:,.0f}", f"{ratios[-1]:,.2g}",
        )  # fmt: skip
    console.print(table)
    console.print(
        f"geometric mean of {len(ratios)} ratios: {statistics.geometric_mean(ratios):.1f}"
    )


def _item(items: Any, index: int) -> None:
    """Draw an item of the peer; some of its mazes cannot be drawn, and count as if they were."""
    with contextlib.suppress(RuntimeError):
        items[index]


def main() -> None:
    """Measure and print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU seconds for each rate")
    parser.add_argument("--alone", action="store_true", help="without the peer")
    arguments = parser.parse_args()
    console = Console(width=100)
    ours(arguments.seconds, console)
    if not arguments.alone:
        beside(arguments.seconds, console)


if __name__ == "__main__":
    main()
