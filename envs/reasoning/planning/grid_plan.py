"""A robot among rooms with keys and doors: any moves that reach the goal.

Left out: things to carry other than keys, doors that shut again, and a facing direction.
"""

import numpy as np

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import round_randomly
from zerogym.envs.reasoning.planning.moves import (
    FREE,
    GOAL,
    MOVES_FORMAT,
    START,
    WALL,
    WalkEnv,
    fewest_moves,
    traced,
)
from zerogym.envs.reasoning.planning.rooms import MAX_LOCKS, draw_rooms

RULES = (
    f"A robot stands at {START} and must get to {GOAL}. {WALL} is a wall, {FREE} is free. Small "
    "letters are keys: the robot takes a key when it steps on it. Capital letters A to F are "
    "locked doors: the robot can enter door A once it has key a, and so on."
)
QUESTION = (
    f"Answer with the moves as {MOVES_FORMAT}. Each move goes to the next square; a move into a "
    "wall or into a door without its key makes the answer wrong."
)


class GridPlanEnv(WalkEnv):
    """Lead a robot through rooms to the goal, fetching keys for locked doors on the way.

    Description:
        Rooms on a grid are joined as a tree by openings, some of which are locked doors. Each key
        lies where it can be reached before its door is needed, so a plan exists; some doors need
        not be opened. The moves are executed one by one; any that end on the goal without an
        impossible move score.

    Observation:
        The question with the map as text: `#` wall, `.` free, `S` start, `G` goal, `a` to `f` keys,
        `A` to `F` doors.

    Difficulty:
        The number of locked doors (a fractional part is the chance of one more, at most 6), in
        two rooms more than that or somewhat more, of 3 by 3 squares each.

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

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return the map up to which key is which."""
        keys = dict.fromkeys(c for c in problem.canonical if c in "abcdef")
        numbers = {c: f"key{n}" for n, key in enumerate(keys) for c in (key,)}
        numbers |= {key.upper(): f"door{n}" for n, key in enumerate(keys)}
        return "".join(numbers.get(c, c) for c in problem.canonical)

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw rooms, and walk from key to key to the goal."""
        rows, stops = draw_rooms(
            rng, min(MAX_LOCKS, round_randomly(rng, min(difficulty, MAX_LOCKS)))
        )
        text = "".join(rows)
        start, moves, keys = text.index(START), "", ""
        square = start
        for stop in stops:
            moves += fewest_moves(rows, text[stop], square, keys)
            square, keys = stop, keys + text[stop]
        drawn = "\n".join(rows)
        return GridPlanEnv.pose(
            prompt=f"{RULES}\n{drawn}\n{QUESTION}",
            moves=moves,
            solution=traced(moves, start, len(rows[0])),
            data={"map": rows},
            canonical=drawn,
        )
