"""Latin squares: complete a partial one that has one completion.

Left out: orthogonal pairs, and squares with marked diagonals.
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

SIZES = (4, 6, 7, 8, 9)  # by level
SHARES = (0.3, 0.45, 0.5, 0.55, 0.6)  # of cells that are blank


class LatinSquareEnv(ReasoningEnv):
    """Complete a partial Latin square that has exactly one completion.

    Description:
        A square with blanks; each row and each column must hold each number once. It is made from a
        random Latin square by taking numbers away as long as the completion stays the only one.

    Observation:
        The question as text, the square with `_` for a blank.

    Action:
        The reply as text; the answer is the full square, read from `<answer>...</answer>`, else the
        last `\\boxed{...}`, else the last line. Rows end with a line break, `;` or `]`.

    Reward:
        1 if the square is the completion, else 0.

    Episode end:
        After a right reply, or `max_attempts` of them.

    Difficulty:
        The size is 4, 6, 7, 8, 9 at difficulty 0, 1, 2, 3, 4 (a fractional part is the chance of
        the next, more than 4 changes nothing), and the share of blanks 0.3, 0.45, 0.5, 0.55, 0.6 or
        as much as leaves one completion.

    Arguments:
        `difficulty` (default 1), `split`, `category` (none here), `max_attempts` (default 1),
        `render_mode`: see `ReasoningEnv`.

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
        board = board_of(size)
        solution = random_board(board, rng)
        clues = with_blanks(board, solution, int(SHARES[level] * board.cells + 0.5), rng)
        grid, answer = draw_grid(size, clues), draw_grid(size, solution)
        prompt = (
            f"Fill the blanks (_) so that each row and each column holds each number from 1 to "
            f"{size} once.\n{grid}\n"
            f"Answer with the full grid: {size} lines of {size} numbers separated by blanks."
        )
        return Problem(
            prompt=prompt,
            answer=answer,
            solution=work_out(board, clues, answer),
            distractors=wrong_grids(size, clues, solution),
            data={"size": size, "clues": clues},
            canonical=grid,
        )

    @staticmethod
    def score(problem: Problem, answer: str) -> float:
        """1 if the cells are those of the only completion."""
        return float(read_grid(answer) == problem.answer.split())

    @staticmethod
    def solve(problem: Problem) -> str:
        """Singles on bit masks, and search from the cell with the fewest candidates."""
        size = problem.data["size"]
        board = board_of(size)
        state, placed = candidates(board, problem.data["clues"])
        return draw_grid(size, numbers_of(board, solve_board(board, state, placed)))

    @staticmethod
    def explain(problem: Problem, answer: str) -> str:
        """Names a broken rule: shape, a changed clue, or a number that is there twice."""
        return fault_of(board_of(problem.data["size"]), problem.data["clues"], answer)

    @classmethod
    def corrupt(cls, problem: Problem, rng: np.random.Generator) -> str:
        """Ends with a step that puts a wrong number into a cell."""
        return flawed_steps(problem, problem.data["size"], rng)
