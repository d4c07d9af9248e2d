"""N queens completion: some queens stand already, any correct placing of the others scores.

Left out: counting completions, and boards on which some squares are forbidden.
"""

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import round_randomly, shuffled
from zerogym.envs.reasoning.listings import parse_integers
from zerogym.envs.reasoning.mistakes import wrong_among, wrong_ending

MIN_SIZE, MAX_SIZE = 7, 16
MIN_GIVEN = 3  # with fewer, one full placing would fit many boards


class NQueensEnv(ReasoningEnv):
    """Complete a placing of n queens of which no two attack each other.

    Description:
        A board with some queens on it, taken from a random placing of n queens on n rows; so a
        completion exists. Queens attack along rows, columns and diagonals.

    Observation:
        The question as text, the board with `Q` for a queen and `.` for an empty square.

    Action:
        The reply as text; the answer is the column of the queen in each row from the top, read from
        `<answer>...</answer>`, else the last `\\boxed{...}`, else the last line.

    Reward:
        1 if the placing keeps the given queens and none attacks another, else 0.

    Difficulty:
        The board has `7 + 2 * difficulty` rows (a fractional part is the chance of one more, at
        most 16), and `2 + 3 * difficulty` queens are missing (at least 3 are given).

    Example:
        >>> env = NQueensEnv(difficulty=0)
        >>> print(env.reset(seed=1)[0])
        Add 2 queens (Q) to this 7x7 board so that each row has one.
        No two may stand in the same column or on the same diagonal.
        . . . Q . . .
        . . . . . . Q
        . . . . Q . .
        . . . . . . .
        . . . . . Q .
        . . . . . . .
        . . Q . . . .
        Answer with 7 numbers, one for each row from the top: the column of its queen (1 to 7).
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>4, 7, 5, 2, 6, 1, 3</answer>")[1]
        1.0

    Source:
        "Complexity of n-Queens Completion" (2017), which shows that the problem is NP-complete and
        draws its hard cases; our generator always has a solution.
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a full placing and take queens away."""
        size = min(MAX_SIZE, MIN_SIZE + round_randomly(rng, 2 * min(difficulty, 100.0)))
        missing = min(size - MIN_GIVEN, 2 + round_randomly(rng, 3 * min(difficulty, 100.0)))
        full = complete([0] * size, rng)[0]
        gone = set(shuffled(rng, range(size))[:missing])
        given = [0 if row in gone else column for row, column in enumerate(full)]
        placed, steps = complete(given)
        answer = _listed(placed)
        prompt = (
            f"Add {missing} queens (Q) to this {size}x{size} board so that each row has one.\n"
            f"No two may stand in the same column or on the same diagonal.\n{_draw(given)}\n"
            f"Answer with {size} numbers, one for each row from the top: the column of its queen "
            f"(1 to {size})."
        )
        return Problem(
            prompt=prompt,
            answer=answer,
            solution="\n".join([*steps, f"Columns from the top: {answer}"]),
            distractors=wrong_among(NQueensEnv, {"given": given}, _wrong_placings(given, placed)),
            data={"given": given},
            canonical=_listed(given),
        )

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Return the fault: no such list, a moved queen, or two queens that attack each other."""
        given, columns = problem.data["given"], parse_integers(answer)
        size = len(given)
        if columns is None or len(columns) != size:
            return f"The answer is not a list of {size} columns."
        taken: dict[tuple[str, int], int] = {}
        for row, (column, was) in enumerate(zip(columns, given, strict=True), start=1):
            if not 1 <= column <= size:
                return f"Row {row}: there is no column {column}."
            if was not in (0, column):
                return f"The given queen in row {row} is not in column {column}."
            for line in (("column", column), ("falling", row - column), ("rising", row + column)):
                other = taken.setdefault(line, row)
                if other != row:
                    return f"The queens in rows {other} and {row} attack each other."
        return ""

    @staticmethod
    def solve(problem: Problem) -> str:
        """Backtrack, always in the row with the fewest free columns."""
        return _listed(complete(problem.data["given"])[0])

    @classmethod
    def corrupt(cls, problem: Problem, rng: np.random.Generator) -> str:
        """Return the worked solution up to a queen on a wrong column."""
        columns = [str(c + 1) for c in range(len(problem.data["given"]))]
        return wrong_ending(problem.solution.split("\n")[:-1], columns, rng)


def complete(
    given: list[int], rng: np.random.Generator | None = None
) -> tuple[list[int], list[str]]:
    """Return columns (from 1) of a completion and the choices on the way; empty lists if none.

    The row with the fewest free columns is next. With a generator columns are in random order.
    """
    columns = list(given)
    steps: list[str] = []
    taken = [(row, column - 1) for row, column in enumerate(given) if column]
    used = sum(1 << column for _, column in taken)
    rising = sum(1 << row + column for row, column in taken)
    falling = sum(1 << column - row + len(given) for row, column in taken)
    if not _place(columns, used, rising, falling, rng, steps):
        return [], []
    return columns, steps[::-1]


def _place(
    columns: list[int],
    used: int,
    rising: int,
    falling: int,
    rng: np.random.Generator | None,
    steps: list[str],
) -> bool:
    """Fill the rows that hold 0; `steps` gets the choices, the last one first."""
    size = len(columns)
    free, count, row = 0, size + 1, -1
    for open_row in range(size):
        if columns[open_row]:
            continue
        attacked = used | rising >> open_row | falling >> size - open_row
        left = ~attacked & (1 << size) - 1
        if left.bit_count() < count:
            free, count, row = left, left.bit_count(), open_row
            if count < 2:
                break
    if row < 0:
        return True
    fewest = [column for column in range(size) if free >> column & 1]
    for column in shuffled(rng, fewest) if rng is not None else fewest:
        columns[row] = column + 1
        lines = used | 1 << column, rising | 1 << row + column, falling | 1 << column - row + size
        if _place(columns, *lines, rng, steps):
            free_columns = _listed([c + 1 for c in fewest])
            steps.append(f"Row {row + 1}, free columns: {free_columns}. Take {column + 1}.")
            return True
    columns[row] = 0
    return False


def _listed(columns: list[int]) -> str:
    return ", ".join(map(str, columns))


def _draw(given: list[int]) -> str:
    """Return the board, squares separated by blanks."""
    size = range(1, len(given) + 1)
    return "\n".join(" ".join("Q" if c == column else "." for c in size) for column in given)


def _wrong_placings(given: list[int], placed: list[int]) -> list[str]:
    """Count columns from 0, leave out a row, exchange two added queens, or rows and columns."""
    first, second = [row for row, column in enumerate(given) if column == 0][:2]
    exchanged = list(placed)
    exchanged[first], exchanged[second] = placed[second], placed[first]
    inverse = [placed.index(column) + 1 for column in range(1, len(placed) + 1)]
    return list(map(_listed, ([c - 1 for c in placed], placed[:-1], exchanged, inverse)))
