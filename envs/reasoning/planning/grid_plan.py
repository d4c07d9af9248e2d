"""A robot among rooms with keys and doors: any moves that reach the goal.

Left out: things to carry other than keys, doors that shut again, and a facing direction.
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
    place,
    steps,
    traced,
)
from zerogym.envs.reasoning.planning.rooms import FREE, GOAL, MAX_LOCKS, START, WALL, draw_rooms

RULES = (
    f"A robot stands at {START} and must get to {GOAL}. {WALL} is a wall, {FREE} is free. Small "
    "letters are keys: the robot takes a key when it steps on it. Capital letters A to F are "
    "locked doors: the robot can enter door A once it has key a, and so on."
)
ASK = (
    f"Answer with the moves as {MOVES_FORMAT}. Each move goes to the next square; a move into a "
    "wall or into a door without its key makes the answer wrong."
)


class GridPlanEnv(ReasoningEnv):
    """Lead a robot through rooms to the goal, fetching keys for locked doors on the way.

    Description:
        Rooms on a grid are joined as a tree by openings, some of which are locked doors. Each key
        lies where it can be reached before its door is needed, so a plan exists; some doors need
        not be opened. The moves are executed one by one; any that end on the goal without an
        impossible move score.

    Observation:
        The question with the map as text: `#` wall, `.` free, `S` start, `G` goal, `a` to `f` keys,
        `A` to `F` doors.

    Action:
        The reply as text; the answer is read from `<answer>...</answer>` (else the last
        `\\boxed{...}`, else the last line): letters `U D L R`, in any case, with or without
        separators, or the words.

    Reward:
        1 if every move is possible and the last one ends on the goal, else 0.

    Episode end:
        After a right reply, or `max_attempts` of them.

    Difficulty:
        The number of locked doors (a fractional part is the chance of one more, at most 6), in
        two rooms more than that or somewhat more, of 3 by 3 squares each.

    Arguments:
        `difficulty` (default 1), `split`, `category` (none here), `max_attempts` (default 1),
        `render_mode`: see `ReasoningEnv`.

    Example:
        >>> env = GridPlanEnv(difficulty=0)
        >>> print("\\n".join(env.reset(seed=1)[0].splitlines()[1:6]))
        #########
        #...#...#
        #.#S....#
        #...#G..#
        #########
        >>> env.step("<answer>RDR</answer>")[0]
        'Move 2, D, goes into a wall.'

    Source:
        Our choice. Rooms, keys and doors as in "Minigrid & Miniworld: Modular & Customizable
        Reinforcement Learning Environments for Goal-Oriented Tasks" (2023, arXiv 2306.13831).
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw rooms, and walk from key to key to the goal."""
        plan = draw_rooms(rng, min(MAX_LOCKS, round_randomly(rng, min(difficulty, MAX_LOCKS))))
        text, width = "".join(plan.rows), len(plan.rows[0])
        square, keys, moves = text.index(START), "", ""
        start = square
        for stop in plan.stops:
            moves += _leg(text, width, square, stop, keys)
            square, keys = stop, keys + text[stop]
        data = {"map": plan.rows}
        wrong = wrong_plans(moves, LETTERS, joined)
        drawn = "\n".join(plan.rows)
        return Problem(
            prompt=f"{RULES}\n{drawn}\n{ASK}",
            answer=moves,
            solution=traced(moves, start, width),
            distractors=tuple(plan for plan in wrong if _walk_fault(data, plan)),
            data=data,
            canonical=drawn,
        )

    @staticmethod
    def score(problem: Problem, answer: str) -> float:
        """1 for any possible moves that end on the goal."""
        return float(_fault(problem, answer) == "")

    @staticmethod
    def solve(problem: Problem) -> str:
        """Breadth-first search over squares and keys: the fewest moves."""
        rows = problem.data["map"]
        text, width = "".join(rows), len(rows[0])
        first = text.index(START), ""
        moves, reached = {first: ""}, [first]
        for square, keys in reached:
            if text[square] == GOAL:
                return moves[square, keys]
            for move, delta in steps(width).items():
                after, held = square + delta, keys
                if not _enterable(text[after], keys):
                    continue
                if text[after].islower() and text[after] not in keys:
                    held = "".join(sorted(keys + text[after]))
                if (after, held) not in moves:
                    moves[after, held] = moves[square, keys] + move
                    reached.append((after, held))
        raise ValueError(f"no way: {problem.prompt}")

    @staticmethod
    def explain(problem: Problem, answer: str) -> str:
        """Names the move that is not possible, or where the walk ends."""
        return _fault(problem, answer)


def _enterable(letter: str, keys: str) -> bool:
    if letter == WALL:
        return False
    return letter not in "ABCDEF" or letter.lower() in keys


def _leg(text: str, width: int, square: int, stop: int, keys: str) -> str:
    """Shortest moves from a square to another with these keys."""
    moves, reached = {square: ""}, [square]
    for at in reached:
        if at == stop:
            break
        for move, delta in steps(width).items():
            if at + delta not in moves and _enterable(text[at + delta], keys):
                moves[at + delta] = moves[at] + move
                reached.append(at + delta)
    return moves[stop]


def _fault(problem: Problem, answer: str) -> str:
    """What is wrong with an answer; empty if it is right."""
    moves = parse_moves(answer)
    if moves is None:
        return f"This is not {MOVES_FORMAT}."
    return _walk_fault(problem.data, moves)


def _walk_fault(data: Mapping[str, Any], moves: str) -> str:
    rows = data["map"]
    text, width = "".join(rows), len(rows[0])
    square, keys, delta = text.index(START), "", steps(width)
    for number, move in enumerate(moves, start=1):
        square += delta[move]
        letter = text[square]
        if not _enterable(letter, keys):
            obstacle = "a wall" if letter == WALL else f"door {letter} without its key"
            return f"Move {number}, {move}, goes into {obstacle}."
        if letter.islower() and letter not in keys:
            keys += letter
    if text[square] == GOAL:
        return ""
    return f"The walk ends at {place(square, width)}, not at {GOAL}."
