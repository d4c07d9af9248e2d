"""Sudoku: 4x4, 6x6 and 9x9, with one solution.

Left out: boards of 16x16, and grading by the techniques that a person needs.
"""

import numpy as np

from zerogym.envs.reasoning.constraints.boards import board_of, random_board
from zerogym.envs.reasoning.constraints.number_grids import NumberGridEnv
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import round_randomly
from zerogym.envs.reasoning.renaming import numbered_by_place

KINDS = ((4, (2, 2), 5), (6, (2, 3), 18), (9, (3, 3), 45))  # size, box, blanks
MAX_BLANKS = 64  # with fewer than 17 clues no 9x9 Sudoku has one solution
BLANKS_A_LEVEL = 3


class SudokuEnv(NumberGridEnv):
    """Fill the blanks of a Sudoku that has exactly one solution.

    Description:
        A grid with blanks; each row, column and box must hold each number once. It is made from a
        random full grid by taking numbers away as long as the solution stays the only one.

    Difficulty:
        The level is `2 * difficulty` (a fractional part is the chance of one more). Level 0 is 4x4
        with 5 blanks, level 1 is 6x6 with 18 blanks, level 2 is 9x9 with 45 blanks, and each level
        more has 3 blanks more, up to 64 or as many as leave one solution (about 57). Up to level 2
        there is always a cell for which only one number is left, or a number for which only one
        cell of a line or box is left.

    Example:
        >>> env = SudokuEnv(difficulty=0)
        >>> print(env.reset(seed=1)[0])
        Solve this Sudoku: fill the blanks (_) with numbers from 1 to 4.
        Each row, each column and each box of 2 rows and 2 columns holds each number once.
        _ 1 4 2
        4 2 1 _
        _ 4 3 _
        1 3 2 _
        Answer with the full grid: 4 lines of 4 numbers separated by blanks.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>3 1 4 2; 4 2 1 3; 2 4 3 1; 1 3 2 4</answer>")[1]
        1.0

    Source:
        Our choice of generator. As a benchmark for language models: "Sudoku-Bench: Evaluating
        creative reasoning with Sudoku variants" (2025, arXiv 2505.16135).
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a full grid and take numbers away."""
        level = round_randomly(rng, 2 * min(difficulty, 100.0))
        size, box, blanks = KINDS[min(level, 2)]
        blanks = min(MAX_BLANKS, blanks + BLANKS_A_LEVEL * max(0, level - 2))
        question = (
            f"Solve this Sudoku: fill the blanks (_) with numbers from 1 to {size}.\n"
            f"Each row, each column and each box of {box[0]} rows and {box[1]} columns "
            f"holds each number once."
        )
        solution = random_board(board_of(size, box), rng)
        data = {"size": size, "box": list(box)}
        return SudokuEnv.pose(rng, solution, blanks, question, data)

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return the clues up to which number is which."""
        return numbered_by_place(problem.canonical, "123456789")
