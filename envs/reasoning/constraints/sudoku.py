"""Sudoku: 4x4, 6x6 and 9x9, with one solution.

Left out: boards of 16x16, and grading by the techniques that a person needs.
"""

import numpy as np

from zerogym.envs.reasoning.constraints.boards import (
    board_of,
    candidates,
    numbers_of,
    random_board,
    solve_board,
)
from zerogym.envs.reasoning.constraints.number_grids import (
    draw_grid,
    fault_of,
    flawed_steps,
    read_grid,
    with_blanks,
    work_out,
    wrong_grids,
)
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import round_randomly

KINDS = ((4, (2, 2), 5), (6, (2, 3), 18), (9, (3, 3), 45))  # size, box, blanks
MAX_BLANKS = 64  # with fewer than 17 clues no 9x9 Sudoku has one solution
BLANKS_A_LEVEL = 3


class SudokuEnv(ReasoningEnv):
    """Fill the blanks of a Sudoku that has exactly one solution.

    Description:
        A grid with blanks; each row, column and box must hold each number once. It is made from a
        random full grid by taking numbers away as long as the solution stays the only one.

    Observation:
        The question as text, the grid with `_` for a blank.

    Action:
        The reply as text; the answer is the full grid, read from `<answer>...</answer>`, else the
        last `\\boxed{...}`, else the last line. Rows end with a line break, `;` or `]`.

    Reward:
        1 if the grid is the solution, else 0.

    Episode end:
        After a right reply, or `max_attempts` of them.

    Difficulty:
        The level is `2 * difficulty` (a fractional part is the chance of one more). Level 0 is 4x4
        with 5 blanks, level 1 is 6x6 with 18 blanks, level 2 is 9x9 with 45 blanks, and each level
        more has 3 blanks more, up to 64 or as many as leave one solution (about 57). Up to level 2
        there is always a cell for which only one number is left, or a number for which only one
        cell of a line or box is left.

    Arguments:
        `difficulty` (default 1), `split`, `category` (none here), `max_attempts` (default 1),
        `render_mode`: see `ReasoningEnv`.

    Example:
        >>> env = SudokuEnv(difficulty=0)
        >>> print(env.reset(seed=1)[0])
        Solve this Sudoku: fill the blanks (_) with numbers from 1 to 4.
        Each row, each column and each box of 2 rows and 2 columns holds each number once.
        3 _ 2 4
        _ 4 _ 1
        4 3 _ _
        1 2 4 3
        Answer with the full grid: 4 lines of 4 numbers separated by blanks.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>3 1 2 4; 2 4 3 1; 4 3 1 2; 1 2 4 3</answer>")[1]
        1.0

    Source:
        Our choice of generator. A usual task of reasoning suites; as a benchmark for language
        models: "Sudoku-Bench: Evaluating creative reasoning with Sudoku variants" (2025, arXiv
        2505.16135).
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a full grid and take numbers away."""
        level = round_randomly(rng, 2 * min(difficulty, 100.0))
        size, box, blanks = KINDS[min(level, 2)]
        blanks = min(MAX_BLANKS, blanks + BLANKS_A_LEVEL * max(0, level - 2))
        board = board_of(size, box)
        solution = random_board(board, rng)
        clues = with_blanks(board, solution, blanks, rng)
        grid, answer = draw_grid(size, clues), draw_grid(size, solution)
        prompt = (
            f"Solve this Sudoku: fill the blanks (_) with numbers from 1 to {size}.\n"
            f"Each row, each column and each box of {box[0]} rows and {box[1]} columns "
            f"holds each number once.\n{grid}\n"
            f"Answer with the full grid: {size} lines of {size} numbers separated by blanks."
        )
        return Problem(
            prompt=prompt,
            answer=answer,
            solution=work_out(board, clues, answer),
            distractors=wrong_grids(size, clues, solution),
            data={"size": size, "box": list(box), "clues": clues},
            canonical=grid,
        )

    @staticmethod
    def score(problem: Problem, answer: str) -> float:
        """1 if the cells are those of the only solution."""
        return float(read_grid(answer) == problem.answer.split())

    @staticmethod
    def solve(problem: Problem) -> str:
        """Singles on bit masks, and search from the cell with the fewest candidates."""
        size, (rows, columns) = problem.data["size"], problem.data["box"]
        board = board_of(size, (rows, columns))
        state, placed = candidates(board, problem.data["clues"])
        return draw_grid(size, numbers_of(board, solve_board(board, state, placed)))

    @staticmethod
    def explain(problem: Problem, answer: str) -> str:
        """Names a broken rule: shape, a changed clue, or a number that is there twice."""
        size, (rows, columns) = problem.data["size"], problem.data["box"]
        return fault_of(board_of(size, (rows, columns)), problem.data["clues"], answer)

    @classmethod
    def corrupt(cls, problem: Problem, rng: np.random.Generator) -> str:
        """Ends with a step that puts a wrong number into a cell."""
        return flawed_steps(problem, problem.data["size"], rng)
