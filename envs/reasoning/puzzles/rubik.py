"""The 2x2x2 Rubik's cube: turns that solve a scrambled one.

Left out: the 3x3x3 cube, whose exact distances need large tables, and turns of the whole cube.
"""

import operator
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import accumulate

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly
from zerogym.envs.reasoning.mistakes import wrong_among, wrong_plans
from zerogym.envs.reasoning.puzzles.cube import (
    FACES,
    SEARCHED,
    TURN_FORMAT,
    Vector,
    cross,
    fewest_turns,
    inverse,
    is_solved,
    net,
    parse_turns,
    turned,
)
from zerogym.envs.reasoning.renaming import numbered_by_place

MAX_TURNS = 15  # of a scramble; no cube is more than 11 turns from solved
COLOURS: dict[Vector, str] = {
    (0, 1, 0): "w", (0, -1, 0): "y", (0, 0, 1): "g", (0, 0, -1): "b", (1, 0, 0): "r",
    (-1, 0, 0): "o",
}  # fmt: skip
RULES = (
    "A 2x2x2 Rubik's cube is unfolded below: face U on top, under it L, F, R and B in a row, and "
    "under F the face D. Small letters are colours."
)
QUESTION = (
    f"Answer with {TURN_FORMAT}, that bring each face to a single colour: U, D, L, R, F or B "
    "turns that face a quarter clockwise as seen from outside the cube, with ' behind it "
    "counterclockwise, with 2 by half."
)


class Rubik2x2Env(ReasoningEnv):
    """Solve a scrambled 2x2x2 Rubik's cube.

    Description:
        A solved cube, held in one of its 24 ways, is scrambled by turns of U, R and F. The turns
        of the answer are executed; any that leave each face with a single colour score. The solver
        finds as few turns as possible; of all 3,674,160 cubes none needs more than 11. For train
        and test, cubes that differ in how they were held are different ones.

    Observation:
        The question with the cube unfolded, as text; the colours are `w y r o g b`.

    Action:
        The reply as text; the answer is read from `<answer>...</answer>` (else the last
        `\\boxed{...}`, else the last line): turns of the six faces in standard notation, such as
        `R U' F2`, in capital letters.

    Reward:
        1 if each face has a single colour at the end, else 0.

    Difficulty:
        `1 + 3 * difficulty` turns of scramble (a fractional part is the chance of one more, at most
        15), none of the face turned before it. At 0 there are 9 problems up to colours (8 train, 1
        test).

    Example:
        >>> env = Rubik2x2Env(difficulty=0)
        >>> print("\\n".join(env.reset(seed=1)[0].splitlines()[1:7]))
            o o
            r r
        g b w w g b y y
        g b w w g b y y
            o o
            r r
        >>> env.step("<answer>F2</answer>")[1]
        1.0

    Source:
        The cube by Erno Rubik (1974), in its 2x2x2 form; the notation is David Singmaster's. How
        it is scrambled and shown is our choice.
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Scramble a solved cube, held in a random way."""
        count = min(MAX_TURNS, round_randomly(rng, 1 + 3 * min(difficulty, 100.0)))
        cube, turns = _scrambled(rng, count)
        answer = " ".join(turns)
        others = [turns[-1][0] + amount for amount in ("", "'", "2")]
        data = {"cube": cube}
        return Problem(
            prompt=f"{RULES}\n{net(cube)}\n{QUESTION}",
            answer=answer,
            solution=f"{_worked(cube, turns)}\nThe turns are {answer}",
            distractors=wrong_among(Rubik2x2Env, data, wrong_plans(turns, others, " ")),
            data=data,
            canonical=cube,
        )

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Return the faces that have several colours in the end."""
        turns = parse_turns(answer)
        if turns is None:
            return f"These are not {TURN_FORMAT}."
        cube = reduce(turned, turns, problem.data["cube"])
        mixed = [face for n, face in enumerate(FACES) if len(set(cube[4 * n : 4 * n + 4])) > 1]
        return f"At the end, faces with several colours: {', '.join(mixed)}." if mixed else ""

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return the cube up to which colour is which, as that depends on how it is held."""
        return numbered_by_place(problem.canonical, problem.canonical)

    def all_keys(self, difficulty: float) -> Iterable[str] | None:
        """Return the cubes of one turn at difficulty 0; of opposite faces one is enough."""
        if difficulty > 0:
            return None
        cubes = (turned("".join(face * 4 for face in FACES), turn) for turn in SEARCHED)
        return (numbered_by_place(cube, cube) for cube in cubes)

    @staticmethod
    def solve(problem: Problem) -> str:
        """Search breadth-first from both ends: the fewest turns."""
        return " ".join(fewest_turns(problem.data["cube"]))

    @classmethod
    def corrupt(cls, problem: Problem, rng: np.random.Generator) -> str:
        """Return the worked solution up to a turn that was made as another turn of that face."""
        turns, cube = problem.answer.split(), problem.data["cube"]
        chosen = draw_int(rng, 0, len(turns) - 1)
        right = _worked(cube, turns[: chosen + 1]).split("\n")
        meant = turns[chosen]
        done = meant[0] if meant.endswith("2") else inverse(meant)
        cube = reduce(turned, [*turns[:chosen], done], cube)
        return "\n".join([*right[:-1], f"{chosen + 1}. {meant}: {_row(cube)}"])


def _scrambled(rng: np.random.Generator, count: int) -> tuple[str, list[str]]:
    """Draw a cube and the turns that solve it."""
    up = pick(rng, list(COLOURS))
    front = pick(rng, [side for side in COLOURS if not any(map(operator.mul, side, up))])
    right = cross(up, front)
    sides = dict(zip("UFR", (up, front, right), strict=True))
    for face, other in ("DU", "BF", "LR"):
        x, y, z = sides[other]
        sides[face] = -x, -y, -z
    cube = "".join(COLOURS[sides[face]] * 4 for face in FACES)
    turns: list[str] = []
    while len(turns) < count or is_solved(cube):
        turn = pick(rng, [turn for turn in SEARCHED if not turns or turn[0] != turns[-1][0]])
        cube = turned(cube, turn)
        turns.append(turn)
    return cube, [inverse(turn) for turn in reversed(turns)]


def _worked(cube: str, turns: Sequence[str]) -> str:
    """Return the faces after each turn."""
    cubes = list(accumulate(turns, turned, initial=cube))[1:]
    pairs = enumerate(zip(turns, cubes, strict=True), start=1)
    return "\n".join(f"{number}. {turn}: {_row(after)}" for number, (turn, after) in pairs)


def _row(cube: str) -> str:
    return ", ".join(f"{face} {cube[4 * n : 4 * n + 4]}" for n, face in enumerate(FACES))
