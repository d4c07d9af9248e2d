"""Futoshiki: a Latin square with signs of inequality between neighbours, and one solution.

Left out: signs between cells that are not neighbours.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from zerogym.envs.reasoning.constraints.boards import Board, Prune, board_of, random_board
from zerogym.envs.reasoning.constraints.number_grids import BLANK, NumberGridEnv, read_grid
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import round_randomly, shuffled

SIZES = (4, 5, 6, 7, 8)  # by level
SHARES = (0.4, 0.7, 0.8, 0.85, 0.9)  # of cells that are blank
SIGNS = 0.35  # share of pairs of neighbours with a sign between them


class FutoshikiEnv(NumberGridEnv):
    """Fill the blanks of a Futoshiki that has exactly one solution.

    Description:
        A square with blanks and with signs `<` and `>` between neighbours (`^` and `v` between a
        cell and the one below it, open towards the larger number). Each row and each column must
        hold each number once, and the signs must be true.

    Observation:
        The question as text: the square with `_` for a blank and the signs between the cells.

    Action:
        The reply as text; the answer is the full square of numbers without signs, read from
        `<answer>...</answer>`, else the last `\\boxed{...}`, else the last line. Rows end with a
        line break, `;` or `]`.

    Difficulty:
        The size is 4, 5, 6, 7, 8 at difficulty 0, 1, 2, 3, 4 (a fractional part is the chance of
        the next, more than 4 changes nothing), and the share of blanks 0.4, 0.7, 0.8, 0.85, 0.9 or
        as much as leaves one solution. About a third of the neighbours have a sign.

    Example:
        >>> env = FutoshikiEnv(difficulty=0)
        >>> print(env.reset(seed=1)[0])
        Fill the blanks (_) so that each row and each column holds each number from 1 to 4 once.
        The signs < and > compare neighbours in a row. Between a number and the one below it,
        ^ says that the upper one is smaller, v that it is larger.
        3 2>_ 4
          ^
        2 _ _ 1
            v ^
        4 _ 2 _
        v ^   v
        1 3 _>2
        Answer with the full grid, without signs: 4 lines of 4 numbers separated by blanks.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>3 2 1 4; 2 4 3 1; 4 1 2 3; 1 3 4 2</answer>")[1]
        1.0

    Source:
        Our choice of generator, for the newspaper puzzle of this name (Japanese: inequality).
    """

    answer_note = ", without signs"

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a Latin square and signs that hold in it, and take numbers away."""
        level = round_randomly(rng, min(difficulty, len(SIZES) - 1.0))
        size = SIZES[level]
        solution = random_board(board_of(size), rng)
        data = {"size": size, "smaller": _draw_signs(size, solution, rng)}
        question = (
            f"Fill the blanks (_) so that each row and each column holds each number from 1 to "
            f"{size} once.\nThe signs < and > compare neighbours in a row. Between a number and "
            f"the one below it,\n^ says that the upper one is smaller, v that it is larger."
        )
        blanks = int(SHARES[level] * size**2 + 0.5)
        return FutoshikiEnv.pose(rng, solution, blanks, question, data)

    @staticmethod
    def explain(problem: Problem, answer: str) -> str:
        """Return a broken rule: shape, a changed clue, a number that is there twice, or a sign."""
        size, cells = problem.data["size"], read_grid(answer)
        fault = NumberGridEnv.explain(problem, answer)
        if fault or cells is None:
            return fault
        for low, high in problem.data["smaller"]:
            if int(cells[low]) > int(cells[high]):
                places = [f"row {c // size + 1}, column {c % size + 1}" for c in (low, high)]
                return f"The number in {places[0]} must be smaller than the one in {places[1]}."
        return ""

    @staticmethod
    def pruning(board: Board, data: Mapping[str, Any]) -> Prune:
        """Return a function that takes away the candidates which a sign excludes.

        For all signs that point the same way at once: a number may stand on the larger side only
        if the smaller side may hold a smaller one, and the other way round.
        """
        column = board.families[0].spread  # a cell's candidates
        masks = {step: [0, 0] for step in (1, -1, board.size, -board.size)}
        for low, high in data["smaller"]:
            masks[high - low][0] |= column << low
            masks[high - low][1] |= column << high
        used = tuple((step, low, high) for step, (low, high) in masks.items() if low)
        return partial(_prune, board.cells, board.size, board.full, used)

    @staticmethod
    def picture(board: Board, clues: list[int], data: Mapping[str, Any]) -> str:
        """Return the square with its signs: cells at even places of even lines."""
        size = board.size
        picture = [[" "] * (2 * size - 1) for _ in range(2 * size - 1)]
        for cell, number in enumerate(clues):
            picture[cell // size * 2][cell % size * 2] = str(number) if number else BLANK
        for low, high in data["smaller"]:
            first = min(low, high)
            row, column = first // size * 2, first % size * 2
            if abs(low - high) == 1:
                picture[row][column + 1] = "<" if low == first else ">"
            else:
                picture[row + 1][column] = "^" if low == first else "v"
        return "\n".join("".join(line).rstrip() for line in picture)


def _draw_signs(size: int, solution: list[int], rng: np.random.Generator) -> list[list[int]]:
    """Draw pairs of neighbours, the cell with the smaller number first, in reading order."""
    pairs = [(c, c + 1) for c in range(size * size) if (c + 1) % size]
    pairs += [(c, c + size) for c in range(size * size - size)]
    chosen = sorted(shuffled(rng, pairs)[: int(SIGNS * len(pairs) + 0.5)])
    return [[a, b] if solution[a] < solution[b] else [b, a] for a, b in chosen]


def _prune(
    cells: int, size: int, full: int, used: tuple[tuple[int, int, int], ...], state: int
) -> int:
    for step, lows, highs in used:
        above = state & lows  # becomes: numbers above some candidate of the smaller side
        below = state & highs  # becomes: numbers below some candidate of the larger side
        reach = 1
        while reach < size:
            above |= above << cells * reach
            below |= below >> cells * reach
            reach *= 2
        above, below = above << cells & full, below >> cells
        above = above << step if step > 0 else above >> -step
        below = below >> step if step > 0 else below << -step
        state &= (above | ~highs) & (below | ~lows)
    return state
