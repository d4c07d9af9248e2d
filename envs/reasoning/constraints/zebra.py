"""Zebra puzzles: people and their things in a row of houses.

Drawn by deduction: clues are added until deduction alone finds the solution (so it is the only
one), then left out as long as it still does. Solved by search over clauses. Left out: clues with
"or", puzzles that need guessing.
"""

from collections.abc import Sequence

import numpy as np

from zerogym.envs.reasoning.constraints.houses import (
    Clue,
    deduce,
    is_solved,
    is_true,
    narrow,
    narrow_group,
    solve_houses,
)
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of, shuffled
from zerogym.envs.reasoning.listings import MAX_LENGTH
from zerogym.envs.reasoning.logic.words import NAMES
from zerogym.envs.reasoning.renaming import Bag, Term, key_up_to_names

SIZES = ((2, 2), (3, 3), (4, 3), (4, 4), (5, 4), (5, 5), (6, 6))  # houses, groups
GROUPS = {
    "pet": ("the {} owner", "cat dog rabbit parrot hamster goldfish turtle pony canary snake"),
    "drink": ("the {} drinker", "tea coffee milk water juice cocoa lemonade cider soda punch"),
    "colour": ("the person in the {} house", "red blue green yellow white black purple brown grey"),
    "job": ("the {}", "baker doctor painter teacher lawyer pilot gardener tailor nurse farmer"),
    "instrument": ("the {} player", "cello drum flute guitar harp piano trumpet violin oboe banjo"),
    "fruit": ("the {} lover", "apple banana cherry grape lemon mango peach pear plum melon"),
}
SENTENCES = {
    "same": "{} is {}",
    "differ": "{} is not {}",
    "left": "{} lives immediately to the left of {}",
    "beside": "{} lives next to {}",
    "before": "{} lives somewhere to the left of {}",
    "at": "{} lives in house {}",
}
SYMMETRIC = ("same", "differ", "beside")
_DRAWN = ("same", "same", "same", "left", "left", "beside", "beside", "before", "differ", "at")


class ZebraEnv(ReasoningEnv):
    """Find out who lives in which house, with which pet, drink and so on.

    Description:
        Houses stand in a row. In each lives one person, who has one thing of each group (a pet, a
        drink, ...). The clues have exactly one solution, none can be left out without losing the
        way to it that needs no guessing, and the answer is the whole table.

    Action:
        The reply as text. The answer gives the houses from left to right, separated by semicolons
        or line breaks, in each the person and the things in any order, `Ada cat tea; Ben dog milk`,
        read from `<answer>...</answer>`, else the last `\\boxed{...}`, else the last line.

    Reward:
        1 if the whole table is right, else 0.

    Difficulty:
        Houses and groups (the people are one): 2 and 2 at difficulty 0, then 3 and 3, 4 and 3, 4
        and 4, 5 and 4, 5 and 5, from 6 on 6 and 6; a fractional part is the chance of the next. At
        0 there are 36 problems up to names and order (28 train, 8 test).

    Example:
        >>> env = ZebraEnv(difficulty=0)
        >>> print(env.reset(seed=1)[0])
        2 houses stand in a row, numbered 1 to 2 from left to right.
        Each has one of each of these:
        person: Noah, Vera
        drink: juice, milk
        Clues:
        1. The juice drinker lives immediately to the left of Noah.
        Who lives where, with what? Answer with the houses from left to right, separated by
        semicolons, like this: person drink; person drink
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>Vera juice; Noah milk</answer>")[1]
        1.0

    Source:
        The puzzle "Who Owns the Zebra?" (Life International, 1962). As a test of language models:
        "ZebraLogic: On the Scaling Limits of LLMs for Logical Reasoning" (2025, arXiv 2502.01100).
        The clues and the way to draw them are our choice.
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a table, and clues from which it can be deduced."""
        houses, count = SIZES[round_randomly(rng, min(difficulty, len(SIZES) - 1))]
        kinds = ["person", *shuffled(rng, list(GROUPS))[: count - 1]]
        words = [NAMES if kind == "person" else GROUPS[kind][1].split() for kind in kinds]
        groups = [sorted(sample_of(rng, group, houses)) for group in words]
        where = [house for _ in kinds for house in shuffled(rng, range(houses))]
        clues = _clues(rng, where, houses)
        phrases = [
            thing if kind == "person" else GROUPS[kind][0].format(thing)
            for kind, group in zip(kinds, groups, strict=True)
            for thing in group
        ]
        said = [_sentence(clue, phrases) for clue in clues]
        things = [thing for group in groups for thing in group]
        answer = _table(where, things, houses)
        return Problem(
            prompt=_question(kinds, groups, said),
            answer=answer,
            solution="\n".join([*_work_out(clues, phrases, houses), f"So: {answer}"]),
            distractors=_distractors(rng, where, things, houses),
            data={"houses": houses, "things": things, "clues": [list(clue) for clue in clues]},
            canonical="\n".join(sorted(said)),
        )

    @staticmethod
    def read(answer: str, /) -> list[frozenset[str]] | None:
        """Return the things in each house, in lower case, without house numbers."""
        if len(answer) > MAX_LENGTH:
            return None
        rows = answer.casefold().replace(",", " ").replace(":", " ").replace("\n", ";").split(";")
        found = []
        for row in rows:
            words = [word.strip("().[]") for word in row.split()]
            found.append(frozenset(w for w in words if w and w != "house" and not w.isdigit()))
        return [row for row in found if row]

    @staticmethod
    def solve(problem: Problem) -> str:
        """Search for a table that fits the clues."""
        houses, things = problem.data["houses"], problem.data["things"]
        clues = [Clue(*clue) for clue in problem.data["clues"]]
        where = solve_houses(clues, houses, len(things))
        if where is None:
            raise ValueError(f"no solution: {problem.prompt}")
        return _table(where, things, houses)

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return the clues up to names, groups and order."""
        houses, things = problem.data["houses"], problem.data["things"]
        groups = (things[at : at + houses] for at in range(0, len(things), houses))
        statements: list[Term] = [("group", Bag(group)) for group in groups]
        for relation, first, second in problem.data["clues"]:
            if relation == "at":
                statements.append((relation, things[first], second))
            else:
                pair = (things[first], things[second])
                statements.append((relation, Bag(pair) if relation in SYMMETRIC else pair))
        return key_up_to_names(statements, things)

    @classmethod
    def explain(cls, problem: Problem, answer: str) -> str:
        """Return a clue that the table contradicts, if it is a table."""
        houses, things = problem.data["houses"], problem.data["things"]
        table = cls.read(answer) or []
        rows = [
            [house for house, row in enumerate(table) if thing.casefold() in row]
            for thing in things
        ]
        where = [found[0] for found in rows if found]
        starts = range(0, len(things), houses)
        if len(table) != houses or any(
            len(set(where[start : start + houses])) < houses for start in starts
        ):
            return "The answer does not give each house one thing of each group."
        for number, clue in enumerate(problem.data["clues"], 1):
            if not is_true(Clue(*clue), where):
                return f"The table contradicts clue {number}."
        return "The table holds something else too."


def _clues(rng: np.random.Generator, where: list[int], houses: int) -> list[Clue]:
    """Draw true clues from which the table can be deduced, and no longer if one is left out."""
    full = (1 << houses) - 1
    possible = [full] * len(where)
    clues: list[Clue] = []
    while not is_solved(possible):
        clue = _clue(rng, where, houses)
        before = possible.copy()
        narrow(clue, possible, full)
        if possible != before:
            clues.append(clue)
            deduce(clues, possible, houses)
    for clue in shuffled(rng, clues):
        rest = [other for other in clues if other != clue]
        possible = [full] * len(where)
        deduce(rest, possible, houses)
        if is_solved(possible):
            clues = rest
    return shuffled(rng, clues)


def _clue(rng: np.random.Generator, where: list[int], houses: int) -> Clue:
    """Draw a true clue about two things of different groups, or of one where that can be."""
    while True:
        relation = pick(rng, _DRAWN)
        first = draw_int(rng, 0, len(where) - 1)
        if relation == "at":
            return Clue(relation, first, where[first])
        second = draw_int(rng, 0, len(where) - 1)
        clue = Clue(relation, first, second)
        in_group = first // houses == second // houses
        if is_true(clue, where) and not (in_group and relation in ("same", "differ")):
            return clue


def _sentence(clue: Clue, phrases: list[str]) -> str:
    other = str(clue.second + 1) if clue.relation == "at" else phrases[clue.second]
    text = SENTENCES[clue.relation].format(phrases[clue.first], other)
    return f"{text[0].upper()}{text[1:]}."


def _table(where: Sequence[int], things: list[str], houses: int) -> str:
    rows: list[list[str]] = [[] for _ in range(houses)]
    for thing, house in zip(things, where, strict=True):
        rows[house].append(thing)
    return "; ".join(" ".join(row) for row in rows)


def _question(kinds: list[str], groups: list[list[str]], said: list[str]) -> str:
    houses = len(groups[0])
    lists = (f"{kind}: {', '.join(group)}" for kind, group in zip(kinds, groups, strict=True))
    numbered = (f"{number}. {text}" for number, text in enumerate(said, 1))
    return "\n".join(
        [
            f"{houses} houses stand in a row, numbered 1 to {houses} from left to right.",
            "Each has one of each of these:",
            *lists,
            "Clues:",
            *numbered,
            "Who lives where, with what? Answer with the houses from left to right, separated by",
            f"semicolons, like this: {'; '.join([' '.join(kinds)] * 2)}{'; ...' * (houses > 2)}",
        ]
    )


def _work_out(clues: list[Clue], phrases: list[str], houses: int) -> list[str]:
    """Return what each clue leaves possible, until each thing has its house."""
    full = (1 << houses) - 1
    possible, lines = [full] * len(phrases), []

    def note(reason: str, before: list[int]) -> None:
        for thing, (old, new) in enumerate(zip(before, possible, strict=True)):
            if old != new:
                left = " or ".join(str(h + 1) for h in range(houses) if new >> h & 1)
                lines.append(f"{reason}: {phrases[thing]} in house {left}.")

    while not is_solved(possible):
        for number, clue in enumerate(clues, 1):
            before = possible.copy()
            narrow(clue, possible, full)
            note(f"Clue {number}", before)
        for start in range(0, len(phrases), houses):
            before = possible.copy()
            narrow_group(start, houses, possible)
            note("One in each house", before)
    return lines


def _distractors(
    rng: np.random.Generator, where: list[int], things: list[str], houses: int
) -> tuple[str, ...]:
    """Swap two things of one group; or list the houses from right to left."""
    start = houses * draw_int(rng, 0, len(where) // houses - 1)
    swapped = where.copy()
    swapped[start : start + 2] = where[start + 1], where[start]
    mirrored = [houses - 1 - house for house in where]
    return _table(swapped, things, houses), _table(mirrored, things, houses)
