"""Hanoi, river crossings and water jugs against breadth-first search written apart from them."""

from collections.abc import Callable, Hashable, Iterable
from itertools import product
from math import gcd
from typing import Any

import numpy as np
import pytest

from helpers.reasoning_problems import check_fault, draw_problems
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.puzzles.hanoi import HanoiEnv, shortest_way
from zerogym.envs.reasoning.puzzles.river_banks import CONFLICTS, OUTNUMBERED, River, distances
from zerogym.envs.reasoning.puzzles.river_crossing import RiverCrossingEnv
from zerogym.envs.reasoning.puzzles.water_jugs import WaterJugsEnv, apply, every_action, search


def levels(start: Hashable, after: Callable[[Any], Iterable[Hashable]]) -> dict[Any, int]:
    """Fewest steps from a state to every other."""
    found, queue = {start: 0}, [start]
    for state in queue:
        for following in after(state):
            if following not in found:
                found[following] = found[state] + 1
                queue.append(following)
    return found


def hanoi_moves(pegs: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
    """Positions one move away; a disk may move if no smaller one is on its peg or the other."""
    for disk, here in enumerate(pegs):
        for there in {0, 1, 2} - {here}:
            if not {here, there} & set(pegs[:disk]):
                yield (*pegs[:disk], there, *pegs[disk + 1 :])


@pytest.mark.parametrize("disks", [1, 2, 3, 4])
def test_the_way_between_any_two_positions_of_hanoi_is_shortest(disks: int) -> None:
    for start in product(range(3), repeat=disks):
        steps = levels(start, hanoi_moves)
        assert len(steps) == 3**disks
        for goal, fewest in steps.items():
            moves = shortest_way(list(start), list(goal))
            assert len(moves) == fewest, (start, goal)
            problem = Problem("", "", data={"start": list(start), "goal": list(goal)})
            assert HanoiEnv.score(problem, ", ".join(f"{a}{b}" for a, b in named(moves))) == 1.0


def test_towers_of_hanoi_take_as_many_moves_as_the_formula_says() -> None:
    for disks in range(1, 9):
        assert len(shortest_way([0] * disks, [2] * disks)) == 2**disks - 1


def named(moves: list[tuple[int, int]]) -> list[tuple[str, str]]:
    return [("ABC"[a], "ABC"[b]) for a, b in moves]


TWO_DISKS = Problem("", "", data={"start": [0, 0], "goal": [2, 2]})


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("A->B, A->C, B->C", ""), ("a to b; a to c\nb to c", ""), ("AB AC BC", "Move 1 is not"),
        ("A->B A->C B->C", ""), ("A -> B A -> C B -> C.", ""), ("A->B A->C", "do not end"),
        ("A->B B->C A->C", "Move 3 puts disk 2 on"), ("A->B A->C C", "Move 2 is not"),
        ("[A-B, A-C, B-C].", ""), ("A->C, C->B, A->C, B->C", ""), ("A→B,A→C,B→C", ""),
        ("Move disk 1 from peg A to peg B\nmove disk 2 from A to C, disk 1: B->C", ""),
        ("1. A->B\n2. A->C\n3. B->C", ""), ("Step 1: A->B\nStep 2: A->C\n- B->C", ""),
        ("A->B, A->C", "do not end"), ("A->B, A->B", "Move 2 puts disk 2 on a smaller"),
        ("B->A", "Move 1: there is no disk on B"), ("A->B, A->D", "Move 2 is not"),
        ("A->A", "does not change"), ("move disk 2 from A to B", "disk 2 is not on top"),
        ("up", "Move 1 is not"), ("", "do not end"),
    ],
)  # fmt: skip
def test_hanoi_answers_by_hand(answer: str, fault: str) -> None:
    check_fault(HanoiEnv, TWO_DISKS, answer, fault)


def test_moves_of_hanoi_grow_with_difficulty() -> None:
    drawn = [draw_problems(HanoiEnv, d, count=60) for d in (0.0, 0.5, 1.0, 2.0, 3.0, 4.0)]
    means = [np.mean([p.answer.count("->") for p in problems]) for problems in drawn]
    assert means == sorted(means) and means[0] <= 2 and means[-1] > 100


def pours(sizes: list[int]) -> Callable[[tuple[int, ...]], Iterable[tuple[int, ...]]]:
    def after(state: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
        for i in range(len(sizes)):
            for amount in (0, sizes[i]):
                yield (*state[:i], amount, *state[i + 1 :])
            for j in range(len(sizes)):
                if i != j:
                    total = state[i] + state[j]
                    into = min(total, sizes[j])
                    changed = dict(enumerate(state)) | {j: into, i: total - into}
                    yield tuple(changed.values())

    return after


def test_jug_search_finds_each_goal_with_as_few_actions_as_possible() -> None:
    rng = np.random.default_rng(0)
    for _ in range(25):
        sizes = [int(n) for n in rng.choice(range(3, 10), size=3, replace=False)]
        start = [int(rng.integers(0, size)) for size in sizes]
        steps = levels(tuple(start), pours(sizes))
        fewest: dict[tuple[int, int], int] = {}
        for state, count in steps.items():
            for place in enumerate(state):
                fewest[place] = min(count, fewest.get(place, count))
        goals, parents = search(sizes, start)
        assert {goal: count for goal, (count, _) in goals.items()} == fewest
        assert set(parents) == set(steps)


def test_two_empty_jugs_measure_the_multiples_of_their_divisor() -> None:
    for a, b in product(range(2, 10), repeat=2):
        goals, _ = search([a, b], [0, 0])
        amounts = {amount for _, amount in goals}
        assert amounts == set(range(0, max(a, b) + 1, gcd(a, b)))


def test_the_plan_of_a_drawn_jug_problem_is_shortest_and_of_the_required_length() -> None:
    for difficulty, length in ((0.0, 2), (1.0, 4), (2.0, 6)):
        for problem in draw_problems(WaterJugsEnv, difficulty, count=12):
            data = problem.data
            steps = levels(tuple(data["start"]), pours(data["sizes"]))
            reached = [n for state, n in steps.items() if state[data["jug"]] == data["target"]]
            assert min(reached) == len(problem.answer.split(","))
            assert min(reached) == len(WaterJugsEnv.solve(problem).split(","))
            assert min(reached) <= length


def test_jug_actions_by_hand() -> None:
    assert apply([5, 3], (5, 0), (0, 1)) == (2, 3)
    assert apply([5, 3], (2, 3), (1, -1)) == (2, 0)
    assert apply([5, 3], (2, 0), (-1, 0)) == (5, 0)
    assert apply([5, 3], (1, 1), (1, 0)) == (2, 0)
    assert len(every_action(3)) == 3 + 3 + 6


DIE_HARD = Problem("", "", data={"sizes": [5, 3, 9], "start": [0, 0, 0], "jug": 0, "target": 4})
PLAN = ["fill A", "pour A->B", "empty B", "pour A->B", "fill A", "pour A->B"]


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (", ".join(PLAN), ""), ("\n".join(PLAN).upper(), ""), (f"[{'; '.join(PLAN)}].", ""),
        (", ".join(PLAN).replace("->", " into "), ""),
        (", ".join(PLAN).replace("pour A->B", "pour from jug A to jug B"), ""),
        (", ".join([*PLAN, "fill C"]), ""),
        ("\n".join(f"{n}) {action}" for n, action in enumerate(PLAN, 1)), ""),
        (", ".join([*PLAN, "pour A->C"]), "A holds 0, B holds 3, C holds 4"),
        (", ".join(PLAN[:-1]), "A holds 5, B holds 2"),
        ("fill D", "Action 1 is not"), ("fill A, drink A", "Action 2 is not"),
        ("fill A, pour A->A", "Action 2 pours a jug into itself"), ("", "At the end"),
    ],
)  # fmt: skip
def test_jug_answers_by_hand(answer: str, fault: str) -> None:
    check_fault(WaterJugsEnv, DIE_HARD, answer, fault)


def boats(river: River) -> Callable[[Any], Iterable[Hashable]]:
    """Crossings by the words of the rules, on (left, right, boat is left) with lists of people."""

    def safe(bank: tuple[int, ...], rower: bool) -> bool:
        if river.rule == CONFLICTS:
            return rower or not any(bank[a] and bank[b] for a, b in river.pairs)
        return bank[0] == 0 or bank[0] >= bank[1]

    def after(state: Any) -> Iterable[Hashable]:
        left, right, boat_left = state
        here, there = (left, right) if boat_left else (right, left)
        for load in product(*(range(n + 1) for n in here)):
            if sum(load) > river.capacity or (river.rule == OUTNUMBERED and sum(load) == 0):
                continue
            stay = tuple(n - x for n, x in zip(here, load, strict=True))
            come = tuple(n + x for n, x in zip(there, load, strict=True))
            if safe(stay, False) and safe(come, True):
                yield (stay, come, False) if boat_left else (come, stay, True)

    return after


def fewest_crossings(river: River, left: tuple[int, ...], boat_left: bool) -> int | None:
    right = tuple(total - n for total, n in zip(river.totals, left, strict=True))
    goal = ((0,) * len(left), river.totals, False)
    return levels((left, right, boat_left), boats(river)).get(goal)


@pytest.mark.parametrize(
    ("river", "fewest"),
    [
        (River(OUTNUMBERED, (3, 3), 2), 11), (River(OUTNUMBERED, (4, 4), 2), None),
        (River(OUTNUMBERED, (5, 5), 3), 11), (River(OUTNUMBERED, (2, 2), 2), 5),
        (River(CONFLICTS, (1, 1, 1), 1, ((0, 1), (1, 2))), 7),
        (River(CONFLICTS, (1, 1, 1), 1, ((0, 1), (1, 2), (0, 2))), None),
        (River(CONFLICTS, (1, 1, 1), 2, ((0, 1), (1, 2))), 3),
    ],
    ids=str,
)  # fmt: skip
def test_known_river_crossings(river: River, fewest: int | None) -> None:
    """Missionaries and cannibals, wolf, goat and cabbage: their numbers are in every textbook."""
    assert distances(river).get((river.totals, True)) == fewest
    assert fewest_crossings(river, river.totals, True) == fewest


def test_drawn_river_crossings_take_as_few_as_a_search_of_its_own_finds() -> None:
    kinds = set()
    for difficulty in (0.0, 1.0, 2.0, 3.0):
        for problem in draw_problems(RiverCrossingEnv, difficulty, count=20):
            river, data = River.of(problem.data), problem.data
            fewest = fewest_crossings(river, tuple(data["left"]), data["boat_left"])
            assert fewest == len(problem.answer.split(";"))
            assert fewest == len(RiverCrossingEnv.solve(problem).split(";"))
            assert fewest <= 1 + 3 * difficulty
            kinds.add((problem.category, fewest))
    assert {1, 4, 7, 10} <= {fewest for kind, fewest in kinds if kind == CONFLICTS}, kinds
    assert {1, 4, 7} <= {fewest for kind, fewest in kinds if kind == OUTNUMBERED}, kinds


def test_a_crossing_scores_exactly_if_the_words_of_the_rules_allow_it() -> None:
    """All sequences of three crossings of a small problem."""
    river = River(CONFLICTS, (1, 1, 1), 2, ((0, 1), (1, 2)))
    names = ["wolf", "goat", "corn"]
    problem = river_problem(river, names, [1, 1, 1], True)
    loads = list(product((0, 1), repeat=3))
    allowed = 0
    for way in product(loads, repeat=3):
        state: Any = ((1, 1, 1), (0, 0, 0), True)
        fine = True
        for load in way:
            here = state[0] if state[2] else state[1]
            change = [-x if state[2] else x for x in load]
            left = tuple(n + x for n, x in zip(state[0], change, strict=True))
            following = (left, tuple(1 - n for n in left), not state[2])
            fine = all(x <= n for x, n in zip(load, here, strict=True))
            fine = fine and following in set(boats(river)(state))
            if not fine:
                break
            state = following
        fine = fine and state == ((0, 0, 0), (1, 1, 1), False)
        words = [" and ".join(n for n, x in zip(names, load, strict=True) if x) for load in way]
        answer = "; ".join(word or "nobody" for word in words)
        assert RiverCrossingEnv.score(problem, answer) == float(fine), answer
        allowed += fine
    assert allowed > 0


def river_problem(river: River, names: list[str], left: list[int], boat_left: bool) -> Problem:
    data = {
        "rule": river.rule, "names": names, "totals": list(river.totals),
        "capacity": river.capacity, "pairs": [list(pair) for pair in river.pairs],
        "left": left, "boat_left": boat_left,
    }  # fmt: skip
    return Problem("", "", data=data)


GROUPS = river_problem(River(OUTNUMBERED, (2, 2), 2), ["knight", "dragon"], [2, 2], True)
THINGS = river_problem(
    River(CONFLICTS, (1, 1, 1), 1, ((0, 1), (1, 2))), ["wolf", "goat", "corn"], [1, 1, 1], True
)


@pytest.mark.parametrize(
    ("problem", "answer", "fault"),
    [
        (GROUPS, "2 dragons; 1 dragon; 2 knights; 1 knight; 1 knight, 1 dragon", ""),
        (GROUPS, "1 knight 1 dragon; 1 knight; 2 knights; 1 dragon; 2 dragons", ""),
        (GROUPS, "a Knight and a dragon\nKnight\nknight, knight\nthe dragon\n2 Dragons.", ""),
        (GROUPS, "1. 1 knight 1 dragon\n2. 1 knight\n3. 2 knights\n- dragon\n* 2 dragons", ""),
        (GROUPS, "1 knight", "After crossing 1 there are more dragons than knights on the left"),
        (GROUPS, "2 knights, 1 dragon", "do not fit"), (GROUPS, "nobody", "somebody must row"),
        (GROUPS, "2 dragons; 1 knight", "Crossing 2: they are not all on the bank"),
        (GROUPS, "1 elf", "does not say who"), (GROUPS, "2", "does not say who"),
        (GROUPS, "1 knight 1 dragon", "At the end not all"), (GROUPS, "", "At the end not all"),
        (THINGS, "goat; nobody; wolf; goat; corn; nobody; goat", ""),
        (THINGS, "farmer, goat\nfarmer\nfarmer, corn\nfarmer, goat\nwolf\nalone\ngoat", ""),
        (THINGS, "wolf", "goat and corn are alone on the left"),
        (THINGS, "goat; nobody; wolf; nobody", "wolf and goat are alone on the right"),
        (THINGS, "2 goats", "do not fit"), (THINGS, "goat; goat 1 2", "does not say who"),
    ],
)  # fmt: skip
def test_crossings_by_hand(problem: Problem, answer: str, fault: str) -> None:
    check_fault(RiverCrossingEnv, problem, answer, fault)
