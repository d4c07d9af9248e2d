"""River crossings: guards and robbers, or a wolf, a goat and a cabbage, with drawn casts and rules.

Left out: more than one boat, and rules about who may share it.
"""

import re
from collections.abc import Iterable

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly
from zerogym.envs.reasoning.listings import unnumbered
from zerogym.envs.reasoning.mistakes import wrong_among, wrong_ending
from zerogym.envs.reasoning.puzzles.river_banks import (
    CONFLICTS,
    OUTNUMBERED,
    Counts,
    River,
    State,
    all_rivers,
    draw_cast,
    way_down,
)
from zerogym.envs.reasoning.renaming import Bag, key_up_to_names
from zerogym.envs.reasoning.search import shortest_path

FILLERS = frozenset(("and", "the", "a", "an", "with", "farmer", "boat", "takes", "in"))
EMPTY = frozenset(("nobody", "nothing", "alone", "empty", "none", "farmer"))

LEAST_SIZE = 4  # with fewer there are too few problems that differ in more than names

_WORDS = re.compile(r"[a-z]+|\d{1,2}")


class RiverCrossingEnv(ReasoningEnv):
    """Bring everybody across a river in a small boat; any way that keeps the rules scores.

    Description:
        `outnumbered`: two groups, of which the second may on no bank outnumber the first.
        `conflicts`: a farmer with things, of which some pairs may not stay on a bank without him.
        Sizes, names, pairs, the boat and the start (some may be across already) are drawn; the
        start is one from which there is a way.

    Action:
        The reply as text; the answer is who is in the boat at each crossing, crossings separated by
        `;` or line breaks, read from `<answer>...</answer>`, else the last `\\boxed{...}`, else the
        last line. The boat goes to and fro, so directions are not named.

    Reward:
        1 if every crossing is possible and allowed and all are on the right bank at the end.

    Difficulty:
        The shortest way has `1 + 3 * difficulty` crossings (a fractional part is the chance of one
        more; fewer if none of 8 casts drawn has a start as far away). There are up to
        `4 + difficulty` (at most 7) of each group, or `5 + difficulty` (at most 7) things. At 0
        there are 98 problems up to names (84 train, 14 test).

    Example:
        >>> env = RiverCrossingEnv(difficulty=0)
        >>> print(env.reset(seed=1)[0])
        A boat for at most 3 takes 2 doctors and 2 dancers across a river; at least one must row.
        After each crossing, no bank with a doctor on it may have more dancers than doctors.
        Left bank: 1 dancer. Right bank: 2 doctors, 1 dancer. The boat is on the left.
        Bring all to the right bank. Answer with who is in the boat at each crossing, crossings
        separated by semicolons, such as: 1 doctor, 1 dancer; 1 doctor
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>1 dancer</answer>")[1]
        1.0

    Source:
        Both puzzles are Alcuin's (Propositiones ad acuendos iuvenes, 9th century); missionaries and
        cannibals as a search problem: "On representations of problems of reasoning about actions"
        (1968). Drawn casts and starts are our choice.
    """

    categories = (OUTNUMBERED, CONFLICTS)

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a cast, and a start that is the required number of crossings from the goal."""
        bounded = min(difficulty, 100.0)
        most = 1 + round_randomly(rng, 3 * bounded)
        size = LEAST_SIZE + round_randomly(rng, bounded)
        rule = OUTNUMBERED if rng.random() < 0.5 else CONFLICTS
        river, names, found = cast = draw_cast(rng, rule, size, most)
        depth = min(most, cast.reach)
        start = pick(rng, [state for state, distance in found.items() if distance == depth])
        loads = way_down(river, start, found)
        answer = _listed(river, names, loads)
        data = {
            "rule": river.rule,
            "names": names,
            "totals": list(river.totals),
            "capacity": river.capacity,
            "pairs": [list(pair) for pair in river.pairs],
            "left": list(start[0]),
            "boat_left": start[1],
        }
        prompt = _pose(river, names, start)
        return Problem(
            prompt=prompt,
            answer=answer,
            solution="\n".join([*_work_out(river, names, start, loads), f"In order: {answer}"]),
            distractors=wrong_among(
                RiverCrossingEnv,
                data,
                [_listed(river, names, way) for way in _wrong_ways(rng, river, loads)],
            ),
            category=river.rule,
            data=data,
        )

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Return the crossing that fails, or what is on the banks at the end."""
        river, names, state = River.of(problem.data), problem.data["names"], _start_of(problem)
        pieces = re.split(r"[;\n]", unnumbered(answer).casefold())
        pieces = [piece for piece in pieces if piece.strip(" .[]()'\"")]
        for number, piece in enumerate(pieces, start=1):
            load = _read(names, piece)
            if load is None:
                return f"Crossing {number} does not say who is in the boat."
            if sum(load) > river.capacity:
                return f"Crossing {number}: so many do not fit into the boat."
            if river.rule == OUTNUMBERED and sum(load) == 0:
                return f"Crossing {number}: somebody must row."
            after = river.cross(state, load)
            if after is None:
                return f"Crossing {number}: they are not all on the bank of the boat."
            danger = river.danger(after)
            if danger is not None:
                side = "left" if danger[0] else "right"
                first, second = names[danger[1]], names[danger[2]]
                if river.rule == CONFLICTS:
                    return f"After crossing {number}, {first} and {second} are alone on the {side}."
                more = f"{second}s than {first}s"
                return f"After crossing {number} there are more {more} on the {side}."
            state = after
        if state != river.goal:
            return f"At the end not all are on the right bank. {_banks(river, names, state)}"
        return ""

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return the crossing up to names; the two groups have different roles."""
        return _key(River.of(problem.data), _start_of(problem))

    def all_keys(self, difficulty: float) -> Iterable[str] | None:
        """Return all starts at difficulty 0: those one crossing from the goal."""
        if difficulty > 0:
            return None
        rivers = all_rivers(LEAST_SIZE)
        return {_key(river, start) for river in rivers for _, start in river.steps(river.goal)}

    @staticmethod
    def solve(problem: Problem) -> str:
        """Search breadth-first from the start."""
        river, names = River.of(problem.data), problem.data["names"]
        loads = shortest_path(_start_of(problem), river.steps, lambda state: state == river.goal)
        return _listed(river, names, loads)

    @classmethod
    def corrupt(cls, problem: Problem, rng: np.random.Generator) -> str:
        """Return the worked solution up to a crossing with somebody else in the boat."""
        river, names = River.of(problem.data), problem.data["names"]
        loads = [_name(river, names, load) for load in river.loads]
        return wrong_ending(problem.solution.split("\n")[:-1], loads, rng, ": ")


def _start_of(problem: Problem) -> State:
    return tuple(problem.data["left"]), problem.data["boat_left"]


def _key(river: River, start: State) -> str:
    left, is_left = start
    shared = f"{river.rule} {river.capacity} {is_left}"
    if river.rule == OUTNUMBERED:
        return f"{shared} {river.totals} {left}"
    parts = [*map(Bag, river.pairs), *(("left", kind) for kind, n in enumerate(left) if n)]
    return f"{shared} {key_up_to_names(parts, range(len(left)))}"


def _plural(count: int, name: str) -> str:
    return f"{count} {name}" if count == 1 else f"{count} {name}s"


def _name(river: River, names: list[str], counts: Counts) -> str:
    """Name those in the boat or on a bank."""
    pairs = [(name, n) for name, n in zip(names, counts, strict=True) if n]
    if river.rule == OUTNUMBERED:
        return ", ".join([_plural(n, name) for name, n in pairs]) or "nobody"
    return ", ".join([name for name, _ in pairs]) or "nobody"


def _listed(river: River, names: list[str], loads: list[Counts]) -> str:
    return "; ".join([_name(river, names, load) for load in loads])


def _banks(river: River, names: list[str], state: State) -> str:
    left, right = (_name(river, names, river.bank(state[0], is_left)) for is_left in (True, False))
    return f"Left bank: {left}. Right bank: {right}."


def _pose(river: River, names: list[str], start: State) -> str:
    """Return the question."""
    side = "left" if start[1] else "right"
    if river.rule == CONFLICTS:
        pairs = "; ".join([f"{names[a]} and {names[b]}" for a, b in river.pairs])
        rules = (
            f"A farmer has a boat for himself and at most {river.capacity} of these: "
            f"{', '.join(names)}.\n"
            f"Without him on their bank, these must not be together: {pairs}.\n"
        )
        example = f"{names[0]}; nobody; {names[1]}"
    else:
        first, second = names
        rules = (
            f"A boat for at most {river.capacity} takes {_plural(river.totals[0], first)} and "
            f"{_plural(river.totals[1], second)} across a river; at least one must row.\n"
            f"After each crossing, no bank with a {first} on it may have more {second}s than "
            f"{first}s.\n"
        )
        example = f"1 {first}, 1 {second}; 1 {first}"
    return (
        f"{rules}{_banks(river, names, start)} The boat is on the {side}.\n"
        "Bring all to the right bank. Answer with who is in the boat at each crossing, "
        f"crossings\nseparated by semicolons, such as: {example}"
    )


def _work_out(river: River, names: list[str], state: State, loads: list[Counts]) -> list[str]:
    lines = []
    for load in loads:
        side, boat = "right" if state[1] else "left", _name(river, names, load)
        lines.append(f"{_banks(river, names, state)} To the {side}: {boat}.")
        state = river.cross(state, load) or state
    return lines


def _read(names: list[str], text: str) -> Counts | None:
    """Read those in the boat from words such as `2 knights and a dragon`; None if unreadable."""
    kinds = {name: kind for kind, name in enumerate(names)}
    kinds |= {f"{name}s": kind for name, kind in kinds.items()}
    counts, number, words = [0] * len(names), None, _WORDS.findall(text)
    for word in words:
        if word.isdigit() and number is None:
            number = int(word)
        elif word in kinds:
            counts[kinds[word]] += 1 if number is None else number
            number = None
        elif word not in FILLERS and word not in EMPTY:
            return None
    if number is not None or not (any(counts) or EMPTY.intersection(words)):
        return None
    return tuple(counts)


def _wrong_ways(rng: np.random.Generator, river: River, loads: list[Counts]) -> list[list[Counts]]:
    """Carry all at once, leave out the last crossing, change a load, or name the way back too."""
    place = draw_int(rng, 0, len(loads) - 1)
    other = pick(rng, [load for load in river.loads if load != loads[place]])
    changed = [*loads[:place], other, *loads[place + 1 :]]
    return [[river.totals], loads[:-1], changed, [*loads, loads[-1]]]
