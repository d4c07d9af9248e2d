"""Moves on a map of squares as letters: U, D, L, R for up, down, left, right.

A map is a list of rows of equal length with a border, so that a square is one integer, row times
width plus column, and no step leads off the map.
"""

import re
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.listings import bare
from zerogym.envs.reasoning.mistakes import wrong_among, wrong_plans
from zerogym.envs.reasoning.search import shortest_path

LETTERS = "UDLR"
BACK = {"U": "D", "D": "U", "L": "R", "R": "L"}
MAX_LENGTH = 4096  # characters of an answer
MOVES_FORMAT = "a string of the letters U, D, L and R (up, down, left and right), such as RRDL"
WALL, FREE, START, GOAL = "#.SG"

_WORDS = {"UP": "U", "DOWN": "D", "LEFT": "L", "RIGHT": "R"}
_SEPARATORS = re.compile(r"[\s,;>'\"-]+")


def parse_moves(text: str) -> str | None:
    """Return the letters of a sequence of moves; None if it is empty or anything else.

    Any case, with or without separators, as letters or as words.

    Example:
        >>> parse_moves("r, r; d l."), parse_moves("right down"), parse_moves("go R")
        ('RRDL', 'RD', None)
    """
    if len(text) > MAX_LENGTH:
        return None
    found = [_WORDS.get(word, word) for word in _SEPARATORS.split(bare(text).upper())]
    moves = "".join(found)
    return None if moves.strip(LETTERS) else moves or None


def steps(width: int) -> dict[str, int]:
    """Return what each letter adds to a square."""
    return {"U": -width, "D": width, "L": -1, "R": 1}


def place(square: int, width: int) -> str:
    """Return a square in words.

    Example:
        >>> place(7, width=5)
        'row 2, column 3'
    """
    return f"row {square // width + 1}, column {square % width + 1}"


def traced(moves: str, start: int, width: int) -> str:
    """Return a walk step by step, and the moves as they are answered."""
    lines = [f"Rows and columns count from 1 at the top left. Start: {place(start, width)}."]
    delta, square = steps(width), start
    for move in moves:
        square += delta[move]
        lines.append(f"{move} to {place(square, width)}")
    return "\n".join([*lines, f"The moves are {moves}"])


def rows_of(text: str, width: int) -> list[str]:
    """Return the rows of a map that is one string."""
    return [text[at : at + width] for at in range(0, len(text), width)]


class MovesEnv(ReasoningEnv):
    """Base of tasks whose answer is a string of moves.

    Action:
        The reply as text; the answer is read from `<answer>...</answer>` (else the last
        `\\boxed{...}`, else the last line): letters `U D L R`, in any case, with or without
        separators, or the words.
    """

    @staticmethod
    @abstractmethod
    def play(data: Mapping[str, Any], moves: str) -> str:
        """Describe what is wrong with moves; empty if they solve the problem."""

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        """Return the first move that is not possible, or what is missing at the end."""
        moves = parse_moves(answer)
        return f"This is not {MOVES_FORMAT}." if moves is None else cls.play(problem.data, moves)

    @classmethod
    def pose(
        cls, prompt: str, moves: str, solution: str, data: dict[str, Any], canonical: str
    ) -> Problem:
        """Return a problem whose distractors are its moves with typical mistakes."""
        wrong = wrong_plans(moves, LETTERS, "")
        return Problem(
            prompt, moves, solution, wrong_among(cls, data, wrong), data=data, canonical=canonical
        )


class WalkEnv(MovesEnv):
    """Base of tasks in which a walk on a map with walls, keys and doors ends on the goal.

    Small letters are keys, capital letters A to F the doors that they open.

    Reward:
        1 if every move is possible and the last one ends on the goal, else 0. Detours are fine.
    """

    @staticmethod
    def play(data: Mapping[str, Any], moves: str) -> str:
        """Walk on the map."""
        text, width = "".join(data["map"]), len(data["map"][0])
        square, keys, delta = text.index(START), "", steps(width)
        for number, move in enumerate(moves, start=1):
            square += delta[move]
            letter = text[square]
            if not enterable(letter, keys):
                obstacle = "a wall" if letter == WALL else f"door {letter} without its key"
                return f"Move {number}, {move}, goes into {obstacle}."
            if letter.islower():
                keys += letter
        if text[square] == GOAL:
            return ""
        return f"The walk ends at {place(square, width)}, not at {GOAL}."

    @staticmethod
    def solve(problem: Problem) -> str:
        """Search breadth-first over squares and keys: the fewest moves."""
        rows = problem.data["map"]
        return fewest_moves(rows, GOAL, "".join(rows).index(START), "")


def enterable(letter: str, keys: str) -> bool:
    """Return whether a square with this letter can be entered with these keys."""
    return letter != WALL and (letter not in "ABCDEF" or letter.lower() in keys)


def fewest_moves(rows: list[str], goal: str, square: int, keys: str) -> str:
    """Return the fewest moves from a square, with some keys, to the square with a letter."""
    text, delta = "".join(rows), steps(len(rows[0]))

    def following(state: tuple[int, str]) -> list[tuple[str, tuple[int, str]]]:
        square, keys = state
        found = []
        for move, step in delta.items():
            letter = text[square + step]
            if enterable(letter, keys):
                new = letter if letter.islower() and letter not in keys else ""
                found.append((move, (square + step, "".join(sorted(keys + new)))))
        return found

    return "".join(shortest_path((square, keys), following, lambda at: text[at[0]] == goal))
