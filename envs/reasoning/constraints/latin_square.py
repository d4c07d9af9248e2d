"""Latin squares: complete a partial one that has one completion.

Left out: orthogonal pairs, and squares with marked diagonals.
"""

import numpy as np

from zerogym.envs.reasoning.constraints.boards import board_of, random_board
from zerogym.envs.reasoning.constraints.number_grids import NumberGridEnv
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import round_randomly
from zerogym.envs.reasoning.renaming import numbered_by_place

SIZES = (4, 6, 7, 8, 9)  # by level
SHARES = (0.3, 0.45, 0.5, 0.55, 0.6)  # of cells that are blank


class LatinSquareEnv(NumberGridEnv):
    """Complete a partial Latin square that has exactly one completion.

    Description:
        A square with blanks; each row and each column must hold each number once. It is made from a
        random Latin square by taking numbers away as long as the completion stays the only one.

    Difficulty:
        The size is 4, 6, 7, 8, 9 at difficulty 0, 1, 2, 3, 4 (a fractional part is the chance of
        the next, more than 4 changes nothing), and the share of blanks 0.3, 0.45, 0.5, 0.55, 0.6 or
        as much as leaves one completion.

    Example:
        >>> env = LatinSquareEnv(difficulty=0)
        >>> print(env.reset(seed=1)[0])
        Fill the blanks (_) so that each row and each column holds each number from 1 to 4 once.
        3 _ 1 4
        _ _ 3 1
        4 1 2 _
        _ 3 4 2
        Answer with the full grid: 4 lines of 4 numbers separated by blanks.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>3 2 1 4; 2 4 3 1; 4 1 2 3; 1 3 4 2</answer>")[1]
        1.0

    Source:
        Our choice of generator. The problem: "The complexity of completing partial Latin squares"
        (1984), where completing is shown to be NP-complete.
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a Latin square and take numbers away."""
        level = round_randomly(rng, min(difficulty, len(SIZES) - 1.0))
        size = SIZES[level]
        question = (
            f"Fill the blanks (_) so that each row and each column holds each number from 1 to "
            f"{size} once."
        )
        solution, blanks = random_board(board_of(size), rng), int(SHARES[level] * size**2 + 0.5)
        return LatinSquareEnv.pose(rng, solution, blanks, question, {"size": size})

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return the clues up to which number is which."""
        return numbered_by_place(problem.canonical, "123456789")
