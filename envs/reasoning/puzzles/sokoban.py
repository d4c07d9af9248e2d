"""Sokoban: push boxes onto goals; drawn by playing backwards, so that a solution exists.

Left out: large warehouses, and levels made by people.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import round_randomly
from zerogym.envs.reasoning.planning.mistakes import wrong_plans
from zerogym.envs.reasoning.planning.moves import (
    LETTERS,
    MOVES_FORMAT,
    joined,
    parse_moves,
    steps,
    traced,
)
from zerogym.envs.reasoning.puzzles.sokoban_board import Board, draw_board, fewest_pushes

MAX_SIDE = 7
MAX_BOXES = 3
MAX_PULLS = 40
RULES = (
    "Sokoban: push every box onto a goal. # is a wall, - is free, @ is the player, $ a box, . a "
    "goal, * a box on a goal, + the player on a goal. The player moves to a free square, or pushes "
    "a box that stands there one square on if the square behind it is free; it cannot pull."
)
ASK = (
    f"Answer with the moves of the player as {MOVES_FORMAT}. A move that is not possible makes the "
    "answer wrong; after the last move every box must stand on a goal."
)


class SokobanEnv(ReasoningEnv):
    """Push all boxes onto goals.

    Description:
        A small warehouse with some walls inside. It is drawn solved, then the boxes are pulled away
        from the goals, so a solution exists. The moves are executed one by one; any that end with
        every box on a goal score.

    Observation:
        The question with the board as text, in the usual signs: `#` wall, `-` free, `@` player,
        `$` box, `.` goal, `*` box on a goal, `+` player on a goal.

    Action:
        The reply as text; the answer is read from `<answer>...</answer>` (else the last
        `\\boxed{...}`, else the last line): letters `U D L R` (small ones as well), with or
        without separators, or the words.

    Reward:
        1 if every move is possible and in the end every box is on a goal, else 0.

    Episode end:
        After a right reply, or `max_attempts` of them.

    Difficulty:
        `1 + difficulty / 2` boxes (at most 3) pulled `2 + 4 * difficulty` times (at most 40) in a
        room of `4 + difficulty / 2` squares a side (at most 7); fractional parts are the chance of
        one more.

    Arguments:
        `difficulty` (default 1), `split`, `category` (none here), `max_attempts` (default 1),
        `render_mode`: see `ReasoningEnv`.

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
        data = {"map": rows}
        wrong = wrong_plans(moves, LETTERS, joined)
        text = "\n".join(rows)
        return Problem(
            prompt=f"{RULES}\n{text}\n{ASK}",
            answer=moves,
            solution=traced(moves, board.player, board.width),
            distractors=tuple(plan for plan in wrong if _play_fault(data, plan)),
            data=data,
            canonical=text,
        )

    @staticmethod
    def score(problem: Problem, answer: str) -> float:
        """1 for any possible moves that bring every box to a goal."""
        return float(_fault(problem, answer) == "")

    @staticmethod
    def solve(problem: Problem) -> str:
        """Breadth-first search over pushes: as few of them as possible."""
        return fewest_pushes(_board_of(problem.data["map"]))

    @staticmethod
    def explain(problem: Problem, answer: str) -> str:
        """Names the move that is not possible, or how many boxes are on no goal."""
        return _fault(problem, answer)


def _drawn(board: Board) -> list[str]:
    """The rows of a map."""
    signs = []
    for square in range(board.width * board.width):
        goal, box = board.goals >> square & 1, board.boxes >> square & 1
        if not board.floor >> square & 1:
            signs.append("#")
        elif square == board.player:
            signs.append("+" if goal else "@")
        elif box:
            signs.append("*" if goal else "$")
        else:
            signs.append("." if goal else "-")
    text = "".join(signs)
    return [text[at : at + board.width] for at in range(0, len(text), board.width)]


def _board_of(rows: list[str]) -> Board:
    """The position that a map shows."""
    text = "".join(rows)

    def squares(signs: str) -> int:
        return sum(1 << square for square, sign in enumerate(text) if sign in signs)

    player = squares("@+").bit_length() - 1
    return Board(len(rows[0]), squares("-.@+$*"), squares(".+*"), squares("$*"), player)


def _fault(problem: Problem, answer: str) -> str:
    """What is wrong with an answer; empty if it is right."""
    moves = parse_moves(answer)
    if moves is None:
        return f"This is not {MOVES_FORMAT}."
    return _play_fault(problem.data, moves)


def _play_fault(data: Mapping[str, Any], moves: str) -> str:
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
