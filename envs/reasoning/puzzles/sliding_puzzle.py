"""Sliding puzzles: bring numbered tiles from one order to another by moving the blank.

Left out: boards larger than 3 by 3, whose shortest solutions take long to find.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import pick, round_randomly, shuffled
from zerogym.envs.reasoning.planning.moves import BACK, LETTERS, MOVES_FORMAT, MovesEnv, rows_of
from zerogym.envs.reasoning.renaming import numbered_by_place

COLUMNS = 3
BLANK = "_"
MAX_SCRAMBLE = 80  # moves; no two positions of the 8-puzzle are more than 31 apart
QUESTION = (
    f"Answer with the moves of the blank as {MOVES_FORMAT}: U exchanges the blank with the tile "
    "above it, and so on. A move off the board makes the answer wrong."
)


class SlidingPuzzleEnv(MovesEnv):
    """Move the blank until the tiles stand as in the target.

    Description:
        A board of 2 by 3 or 3 by 3 squares with numbered tiles and a blank. The target is a random
        order; the start is reached from it by random moves that do not go straight back, so a
        solution exists. The moves are executed one by one; any that end in the target score. For
        train and test, problems that differ in the numbers on the tiles are different ones.

    Observation:
        The question with start and target as text, `_` for the blank.

    Action:
        The reply as text; the answer is read from `<answer>...</answer>` (else the last
        `\\boxed{...}`, else the last line): letters `U D L R` that say where the blank goes, in any
        case, with or without separators, or the words.

    Reward:
        1 if every move stays on the board and the target is reached at the end, else 0.

    Difficulty:
        `3 + 6 * difficulty` random moves from target to start (a fractional part is the chance of
        one more, at most 80). The board has 2 rows at difficulty 0 and 3 from difficulty 1; between
        them the difficulty is the chance of the third row. At 0 there are 28 problems up to the
        numbers of tiles (24 train, 4 test).

    Example:
        >>> env = SlidingPuzzleEnv(difficulty=0)
        >>> print("\\n".join(env.reset(seed=1)[0].splitlines()[1:7]))
        Start:
        5 4 2
        1 _ 3
        Target:
        5 2 3
        1 4 _
        >>> env.step("<answer>URR</answer>")[0]
        'Move 3, R, leaves the board.'

    Source:
        The 15 puzzle (Noyes Chapman, about 1880) on smaller boards; "Depth-first
        iterative-deepening: An optimal admissible tree search" (1985, Artificial Intelligence 27)
        made it a standard of search. That targets are drawn is our choice.
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a target and walk away from it."""
        most = min(difficulty, 100.0)
        rows = 2 + min(1, round_randomly(rng, min(most, 1.0)))
        count = min(MAX_SCRAMBLE, round_randomly(rng, 3 + 6 * most))
        tiles = [BLANK, *map(str, range(1, rows * COLUMNS))]
        target = "".join(shuffled(rng, tiles))
        start, moves = _scrambled(rng, target, count)
        return SlidingPuzzleEnv.pose(
            prompt=(
                f"Slide the tiles of this puzzle; {BLANK} is the blank.\nStart:\n{drawn(start)}\n"
                f"Target:\n{drawn(target)}\n{QUESTION}"
            ),
            moves=moves,
            solution=_worked(start, moves),
            data={"start": start, "target": target},
            canonical=f"{start} {target}",
        )

    @staticmethod
    def play(data: Mapping[str, Any], moves: str) -> str:
        """Move the blank."""
        board = data["start"]
        for number, move in enumerate(moves, start=1):
            after = slid(board, move)
            if after is None:
                return f"Move {number}, {move}, leaves the board."
            board = after
        if board == data["target"]:
            return ""
        return f"The moves end in {_in_a_line(board)}, which is not the target."

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return target and start up to the numbers of the tiles."""
        start, target = problem.data["start"], problem.data["target"]
        return numbered_by_place(f"{target} {start}", target.replace(BLANK, ""))

    @staticmethod
    def solve(problem: Problem) -> str:
        """Search breadth-first from both ends: the fewest moves."""
        return fewest_moves(problem.data["start"], problem.data["target"])


def drawn(board: str) -> str:
    """Return a board, row by row.

    Example:
        >>> print(drawn("12_345"))
        1 2 _
        3 4 5
    """
    return "\n".join(map(" ".join, rows_of(board, COLUMNS)))


def _in_a_line(board: str) -> str:
    return drawn(board).replace("\n", " / ")


def slid(board: str, move: str) -> str | None:
    """Return the board after a move of the blank; None if it would leave the board."""
    blank = board.index(BLANK)
    row, column = divmod(blank, COLUMNS)
    row += (move == "D") - (move == "U")
    column += (move == "R") - (move == "L")
    other = row * COLUMNS + column
    if not (0 <= column < COLUMNS and 0 <= other < len(board)):
        return None
    low, high = sorted((blank, other))
    return board[:low] + board[high] + board[low + 1 : high] + board[low] + board[high + 1 :]


def fewest_moves(start: str, target: str) -> str:
    """Return the shortest moves between two boards.

    Raises:
        ValueError: If the target cannot be reached from the start: every other order cannot.
    """
    sides = ({start: ""}, {target: ""})
    edges = [[start], [target]]
    while all(edges):
        side = 0 if len(edges[0]) <= len(edges[1]) else 1
        meeting = [board for board in edges[side] if board in sides[1 - side]]
        if meeting:
            best = min(meeting, key=lambda board: len(sides[0][board]) + len(sides[1][board]))
            return sides[0][best] + "".join(BACK[move] for move in reversed(sides[1][best]))
        following = []
        for board in edges[side]:
            for move in LETTERS:
                after = slid(board, move)
                if after is not None and after not in sides[side]:
                    sides[side][after] = sides[side][board] + move
                    following.append(after)
        edges[side] = following
    raise ValueError(f"{target} cannot be reached from {start}")


def _scrambled(rng: np.random.Generator, target: str, count: int) -> tuple[str, str]:
    """Return a start at least `count` moves from a target, other than it, and the moves back."""
    board, moves = target, ""
    while len(moves) < count or board == target:
        after = {move: slid(board, move) for move in LETTERS if move != moves[-1:]}
        move = pick(rng, [move for move in after if after[move]])
        board = after[move] or board
        moves += BACK[move]
    return board, moves[::-1]


def _worked(start: str, moves: str) -> str:
    """Return the board after each move."""
    lines, board = [f"start: {_in_a_line(start)}"], start
    for move in moves:
        board = slid(board, move) or board
        lines.append(f"{move}: {_in_a_line(board)}")
    return "\n".join([*lines, f"The moves are {moves}"])
