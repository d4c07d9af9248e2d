"""Tower of Hanoi from any legal position to any other.

Left out: more than three pegs, and a bound on the number of moves.
"""

import re
from functools import cache

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly
from zerogym.envs.reasoning.mistakes import wrong_among
from zerogym.envs.reasoning.puzzles.steps import listed_steps, step_texts
from zerogym.envs.reasoning.renaming import numbered_by_place

PEGS = "ABC"
EASY_DISKS, MAX_DISKS = 4, 8  # 255 moves at most: they fit an answer several times
EASY_MOVES = 2

_MOVE = re.compile(
    r"(?:move )?(?:(?:the )?dis[ck] (\d{1,2})(?: ?:)? )?(?:from )?(?:peg )?([abc])"
    r" ?(?:->|→|=>|>|-|to)? ?(?:peg )?([abc])"
)

_BETWEEN_MOVES = re.compile(r"(?<=[abc]) (?=[abc] ?(?:->|→|=>|>|-|to) ?[abc])")

Pegs = list[int]  # the peg of each disk, the smallest disk first
Move = tuple[int, int]  # from peg, to peg


class HanoiEnv(ReasoningEnv):
    """Move disks on three pegs from one position to another; any legal way scores.

    Description:
        Disks of different sizes lie on three pegs, never a larger one on a smaller one. The start
        and the goal are two random positions, not only towers. A move takes the top disk of a peg
        to another peg.

    Observation:
        The question as text; the disks of each peg from bottom to top, 1 is the smallest.

    Action:
        The reply as text; the answer is a list of moves such as `A->C, B->C`, read from
        `<answer>...</answer>`, else the last `\\boxed{...}`, else the last line.

    Reward:
        1 if all moves are legal and end in the goal, else 0. More moves than needed are fine.

    Difficulty:
        At 0 there are 4 disks, and two moves or one suffice. From 1 there are `4 + difficulty`
        disks (a fractional part is the chance of one more, at most 8) in two positions drawn
        uniformly. Between 0 and 1 the difficulty is the chance of the second kind. At 0 there are
        92 problems up to the names of pegs (78 train, 14 test).

    Example:
        >>> env = HanoiEnv(difficulty=0)
        >>> print(env.reset(seed=1)[0])
        There are 4 disks on the pegs A, B and C; disk 1 is the smallest.
        A move takes the top disk of a peg to another peg. A larger disk never lies on a
        smaller one. Find moves from the start to the goal.
        Start (from bottom to top): A: 4 2; B: empty; C: 3 1
        Goal (from bottom to top): A: 4; B: 2; C: 3 1
        Answer with the moves in order, separated by commas, in the form A->C, B->C.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>A->B</answer>")[1]
        1.0

    Source:
        Lucas' puzzle (1883). Shortest ways between any two positions: "The Tower of Hanoi - Myths
        and Maths" (2013). As a test of language models: "The Illusion of Thinking: Understanding
        the Strengths and Limitations of Reasoning Models via the Lens of Problem Complexity" (2025,
        arXiv 2506.06941).
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw two positions; the easy goal is a short walk away from the start."""
        level = round_randomly(rng, min(difficulty, float(MAX_DISKS)))
        disks = min(MAX_DISKS, EASY_DISKS + level)
        start = [draw_int(rng, 0, 2) for _ in range(disks)]
        goal = list(start)
        while goal == start:
            goal = [draw_int(rng, 0, 2) for _ in range(disks)] if level else _walk(rng, start)
        moves = shortest_way(start, goal)
        answer = _listed(moves)
        prompt = (
            f"There are {disks} disks on the pegs A, B and C; disk 1 is the smallest.\n"
            "A move takes the top disk of a peg to another peg. A larger disk never lies on a\n"
            "smaller one. Find moves from the start to the goal.\n"
            f"Start (from bottom to top): {_draw(start)}\n"
            f"Goal (from bottom to top): {_draw(goal)}\n"
            "Answer with the moves in order, separated by commas, in the form A->C, B->C."
        )
        data = {"start": start, "goal": goal}
        return Problem(
            prompt=prompt,
            answer=answer,
            solution="\n".join([*_work_out(start, moves), f"Moves: {answer}"]),
            distractors=wrong_among(HanoiEnv, data, map(_listed, _wrong_ways(moves, rng))),
            data=data,
            canonical="".join([PEGS[p] for p in [*start, *goal]]),
        )

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Return the move that fails, or that the moves end elsewhere."""
        start, goal = problem.data["start"], problem.data["goal"]
        tops = [[d for d in reversed(range(len(start))) if start[d] == peg] for peg in range(3)]
        listed = _BETWEEN_MOVES.sub(",", listed_steps(answer))  # moves with only a blank between
        for number, piece in enumerate(step_texts(listed), start=1):
            move = _MOVE.fullmatch(piece)
            if move is None:
                return f"Move {number} is not of the form A->C."
            here, there, named = ord(move[2]) - 97, ord(move[3]) - 97, move[1]
            if here == there:
                return f"Move {number} does not change the peg."
            if not tops[here]:
                return f"Move {number}: there is no disk on {PEGS[here]}."
            disk = tops[here].pop()
            if named and int(named) != disk + 1:
                return f"Move {number}: disk {named} is not on top of {PEGS[here]}."
            if tops[there] and tops[there][-1] < disk:
                return f"Move {number} puts disk {disk + 1} on a smaller one."
            tops[there].append(disk)
        if any(goal[disk] != peg for peg in range(3) for disk in tops[peg]):
            return "The moves do not end in the goal."
        return ""

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return start and goal up to which peg is which."""
        return numbered_by_place(problem.canonical, PEGS)

    @staticmethod
    def solve(problem: Problem) -> str:
        """Recur over the largest disk that must move: the shortest way."""
        return _listed(shortest_way(problem.data["start"], problem.data["goal"]))

    @classmethod
    def corrupt(cls, problem: Problem, rng: np.random.Generator) -> str:
        """Return the worked solution up to a move to the wrong peg."""
        lines = problem.solution.split("\n")[:-1]
        last = draw_int(rng, 0, len(lines) - 1)
        stem, _, peg = lines[last].removesuffix(".").rpartition(" ")
        source = stem.split()[-2]
        wrong = next(p for p in PEGS if p not in (peg, source))
        return "\n".join([*lines[:last], f"{stem} {wrong}."])


def shortest_way(start: Pegs, goal: Pegs) -> list[Move]:
    """Return moves (from peg, to peg), as few as possible.

    The largest disk that must move goes over directly, or by way of the third peg; which is shorter
    depends on the others, so both are worked out.
    """
    moving = [disk for disk, peg in enumerate(start) if goal[disk] != peg]
    if not moving:
        return []
    largest = moving[-1]
    here, there = start[largest], goal[largest]
    third = 3 - here - there
    one = _to_tower(start[:largest], third)
    one += [(here, there), *_from_tower(goal[:largest], third)]
    if len(one) <= 2**largest:  # moving the tower from peg to peg costs as much already
        return one
    two = [*_to_tower(start[:largest], there), (here, third)]
    two += _moved(largest, there, here)
    two += [(third, there), *_from_tower(goal[:largest], here)]
    return min(one, two, key=len)


def _to_tower(start: Pegs, peg: int) -> list[Move]:
    """Return the only shortest way to a tower of all disks on one peg."""
    count = len(start)
    while count and start[count - 1] == peg:
        count -= 1
    if not count:
        return []
    here = start[count - 1]
    third = 3 - here - peg
    return [*_to_tower(start[: count - 1], third), (here, peg), *_moved(count - 1, third, peg)]


@cache
def _moved(count: int, here: int, there: int) -> tuple[Move, ...]:
    """Return the way of a whole tower."""
    return tuple(_to_tower([here] * count, there))


def _from_tower(goal: Pegs, peg: int) -> list[Move]:
    """Return the way to a tower, walked backwards."""
    return [(there, here) for here, there in reversed(_to_tower(goal, peg))]


def _walk(rng: np.random.Generator, start: Pegs) -> Pegs:
    """Draw a position one or two moves away, or the same again."""
    pegs = list(start)
    for _ in range(draw_int(rng, 1, EASY_MOVES)):
        legal = [
            (disk, peg)
            for disk, here in enumerate(pegs)
            for peg in range(3)
            if peg != here and not {here, peg} & set(pegs[:disk])
        ]
        disk, peg = pick(rng, legal)
        pegs[disk] = peg
    return pegs


def _listed(moves: list[Move]) -> str:
    return ", ".join([f"{PEGS[here]}->{PEGS[there]}" for here, there in moves])


def _draw(pegs: Pegs) -> str:
    """Return each peg with its disks, the largest first."""
    stacks = [[str(d + 1) for d in reversed(range(len(pegs))) if pegs[d] == p] for p in range(3)]
    return "; ".join([f"{PEGS[p]}: {' '.join(stack) or 'empty'}" for p, stack in enumerate(stacks)])


def _work_out(start: Pegs, moves: list[Move]) -> list[str]:
    pegs, lines = list(start), []
    for here, there in moves:
        disk = pegs.index(here)
        pegs[disk] = there
        lines.append(f"Disk {disk + 1} goes from {PEGS[here]} to {PEGS[there]}.")
    return lines


def _wrong_ways(moves: list[Move], rng: np.random.Generator) -> list[list[Move]]:
    """Leave out the last move, move to the other peg, go back, or exchange all pegs."""
    place = draw_int(rng, 0, len(moves) - 1)
    here, there = moves[place]
    changed = [*moves[:place], (here, 3 - here - there), *moves[place + 1 :]]
    exchanged = [(b, a) for a, b in moves]
    return [moves[:-1] or [*moves, moves[0]], changed, exchanged[::-1], exchanged]
