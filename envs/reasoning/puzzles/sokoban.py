"""Sokoban: push boxes onto goals; drawn by playing backwards, so that a solution exists.

Left out: large warehouses, and levels made by people.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import round_randomly
from zerogym.envs.reasoning.planning.moves import MOVES_FORMAT, MovesEnv, rows_of, steps, traced
from zerogym.envs.reasoning.puzzles.sokoban_board import Board, draw_board, fewest_pushes

MAX_SIDE = 7
MAX_BOXES = 3
MAX_PULLS = 40
RULES = (
    "Sokoban: push every box onto a goal. # is a wall, - is free, @ is the player, $ a box, . a "
    "goal, * a box on a goal, + the player on a goal. The player moves to a free square, or pushes "
    "a box that stands there one square on if the square behind it is free; it cannot pull."
)
QUESTION = (
    f"Answer with the moves of the player as {MOVES_FORMAT}. A move that is not possible makes the "
    "answer wrong; after the last move every box must stand on a goal."
)


class SokobanEnv(MovesEnv):
    """Push all boxes onto goals.

    Description:
        A small warehouse with some walls inside. It is drawn solved, then the boxes are pulled away
        from the goals, so a solution exists. The moves are executed one by one; any that end with
        every box on a goal score.

    Observation:
        The question with the board as text, in the common notation: `#` wall, `-` free, `@` player,
        `$` box, `.` goal, `*` box on a goal, `+` player on a goal.

    Reward:
        1 if every move is possible and in the end every box is on a goal, else 0.

    Difficulty:
        `1 + difficulty / 2` boxes (at most 3) pulled `2 + 4 * difficulty` times (at most 40) in a
        room of `4 + difficulty / 2` squares a side (at most 7); fractional parts are the chance of
        one more.

    Example:
        >>> env = SokobanEnv(difficulty=0)
        >>> print("\\n".join(env.reset(seed=1)[0].splitlines()[1:7]))
        ######
        #----#
        #-$@.#
        #---##
        #----#
        ######
        >>> env.step("<answer>ULLDRR</answer>")[1]
        1.0

    Source:
        The game by Hiroyuki Imabayashi (1981). Levels by reverse play, as a test of planning:
        "Imagination-Augmented Agents for Deep Reinforcement Learning" (2017, arXiv 1707.06203).
        Sizes and how walls are drawn are our choice.
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a room, put boxes on goals and pull them away."""
        most = min(difficulty, 100.0)
        board, moves = draw_board(
            rng,
            side=min(MAX_SIDE, round_randomly(rng, 4 + most / 2)),
            boxes=min(MAX_BOXES, round_randomly(rng, 1 + most / 2)),
            pulls=min(MAX_PULLS, round_randomly(rng, 2 + 4 * most)),
        )
        rows = _drawn(board)
        text = "\n".join(rows)
        return SokobanEnv.pose(
            prompt=f"{RULES}\n{text}\n{QUESTION}",
            moves=moves,
            solution=traced(moves, board.player, board.width),
            data={"map": rows},
            canonical=text,
        )

    @staticmethod
    def play(data: Mapping[str, Any], moves: str) -> str:
        """Move the player and the boxes."""
        rows = data["map"]
        text, delta = "".join(rows), steps(len(rows[0]))
        boxes = {square for square, sign in enumerate(text) if sign in "$*"}
        player = text.index("@") if "@" in text else text.index("+")
        for number, move in enumerate(moves, start=1):
            player += delta[move]
            if text[player] == "#":
                return f"Move {number}, {move}, goes into a wall."
            if player in boxes:
                behind = player + delta[move]
                if text[behind] == "#" or behind in boxes:
                    return f"Move {number}, {move}, pushes a box that cannot move."
                boxes.remove(player)
                boxes.add(behind)
        missing = sum(text[square] not in ".+*" for square in boxes)
        return f"Boxes that stand on no goal at the end: {missing}." if missing else ""

    @staticmethod
    def solve(problem: Problem) -> str:
        """Search breadth-first over pushes: as few of them as possible."""
        rows = problem.data["map"]
        text = "".join(rows)

        def squares(signs: str) -> int:
            return sum(1 << square for square, sign in enumerate(text) if sign in signs)

        player = squares("@+").bit_length() - 1
        return fewest_pushes(
            Board(len(rows[0]), squares("-.@+$*"), squares(".+*"), squares("$*"), player)
        )


def _drawn(board: Board) -> list[str]:
    """Return the rows of a map."""
    signs = []
    for square in range(board.width * board.width):
        goal = board.goals >> square & 1
        if not board.floor >> square & 1:
            signs.append("#")
        elif square == board.player:
            signs.append("@+"[goal])
        elif board.boxes >> square & 1:
            signs.append("$*"[goal])
        else:
            signs.append("-."[goal])
    return rows_of("".join(signs), board.width)
