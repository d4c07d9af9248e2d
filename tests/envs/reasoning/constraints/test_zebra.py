"""Zebra puzzles, against all tables, from the text alone."""

import re
from collections.abc import Iterator, Sequence
from itertools import permutations, product

import pytest

from helpers.reasoning_problems import draw_problems
from zerogym.envs.reasoning.constraints.houses import (
    RELATIONS,
    Clue,
    deduce,
    is_solved,
    is_true,
    narrow,
    narrow_group,
    solve_houses,
)
from zerogym.envs.reasoning.constraints.zebra import GROUPS, ZebraEnv
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.logic.words import NAMES

# Words that stand between the two things of a clue, and what they mean for their houses.
MEANINGS = {
    "lives immediately to the left of": lambda a, b: b - a == 1,
    "lives somewhere to the left of": lambda a, b: a < b,
    "lives next to": lambda a, b: a - b in (1, -1),
    "is not": lambda a, b: a != b,
    "is": lambda a, b: a == b,
}


def read(problem: Problem) -> tuple[list[list[str]], list[str]]:
    """The groups and the clues of a prompt."""
    before, _, after = problem.prompt.partition("Clues:\n")
    groups = [line.split(": ")[1].split(", ") for line in before.split("\n")[2:-1]]
    return groups, re.findall(r"^\d+\. (.+)\.$", after, flags=re.MULTILINE)


def tables(groups: list[list[str]]) -> Iterator[dict[str, int]]:
    orders = [list(permutations(range(1, len(group) + 1))) for group in groups]
    for chosen in product(*orders):
        yield {
            thing: house
            for group, order in zip(groups, chosen, strict=True)
            for thing, house in zip(group, order, strict=True)
        }


def fits(clue: str, table: dict[str, int]) -> bool:
    def house(text: str) -> int:
        if found := re.fullmatch(r"house (\d+)", text):
            return int(found[1])
        return next(table[word] for word in text.split() if word in table)

    if " lives in house " in clue:
        thing, _, number = clue.rpartition(" lives in ")
        return house(thing) == house(number)
    for words, meaning in MEANINGS.items():
        first, found, second = clue.partition(f" {words} ")
        if found:
            return meaning(house(first), house(second))
    raise AssertionError(clue)


@pytest.mark.parametrize(("difficulty", "count"), [(0, 40), (1, 40), (2, 4)])
def test_the_answer_is_the_only_table_that_fits(difficulty: float, count: int) -> None:
    for problem in draw_problems(ZebraEnv, difficulty, count=count):
        groups, clues = read(problem)
        fitting = [table for table in tables(groups) if all(fits(clue, table) for clue in clues)]
        assert len(fitting) == 1, problem.prompt
        rows = enumerate(problem.answer.split("; "), 1)
        assert fitting[0] == {thing: house for house, row in rows for thing in row.split()}


def test_no_clue_can_be_left_out_of_the_deduction() -> None:
    for problem in draw_problems(ZebraEnv, 2, count=20):
        clues = [Clue(*clue) for clue in problem.data["clues"]]
        houses, things = problem.data["houses"], len(problem.data["things"])
        for left_out in [None, *clues]:
            possible = [(1 << houses) - 1] * things
            deduce([clue for clue in clues if clue is not left_out], possible, houses)
            assert is_solved(possible) is (left_out is None)


def test_narrowing_takes_away_exactly_what_no_pair_of_houses_allows() -> None:
    """For every clue and every pair of sets of four houses."""
    sets = {mask: [h for h in range(4) if mask >> h & 1] for mask in range(1, 16)}
    for relation, allowed in RELATIONS.items():
        for first, second in product(sets, repeat=2):
            pairs = [(a, b) for a in sets[first] for b in sets[second] if allowed(a, b)]
            possible = [first, second]
            for _ in range(3):  # some rules need a second look
                narrow(Clue(relation, 0, 1), possible, 15)
            if not pairs:
                assert 0 in possible
                continue
            assert possible[0] == sum({1 << a for a, _ in pairs})
            assert possible[1] == sum({1 << b for _, b in pairs})


def orders_in(masks: Sequence[int]) -> list[tuple[int, ...]]:
    """The ways to give three things different houses among those that are possible."""
    return [
        order
        for order in permutations(range(3))
        if all(mask >> house & 1 for mask, house in zip(masks, order, strict=True))
    ]


def test_groups_lose_no_table() -> None:
    for masks in product(range(1, 8), repeat=3):
        possible = list(masks)
        narrow_group(0, 3, possible)
        assert orders_in(possible) == orders_in(masks)


def test_contradictory_clues_have_no_solution() -> None:
    assert solve_houses([Clue("at", 0, 0), Clue("at", 1, 0)], 2, 2) is None
    assert solve_houses([Clue("left", 0, 1), Clue("before", 1, 0)], 3, 3) is None
    assert solve_houses([Clue("at", 0, 2), Clue("left", 1, 0)], 3, 3) == [2, 1, 0]
    assert is_true(Clue("at", 0, 2), [2, 1, 0]) and not is_true(Clue("left", 0, 1), [2, 1, 0])


def test_every_word_is_in_one_group() -> None:
    words = [*(name.casefold() for name in NAMES)]
    words += [word for _, group in GROUPS.values() for word in group.split()]
    assert len(words) == len(set(words))


DATA = {"houses": 2, "things": ["Ada", "Ben", "cat", "dog"]}
DATA["clues"] = [["at", 0, 0], ["same", 1, 2]]
PETS = Problem("", "Ada dog; Ben cat", data=DATA)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("Ada dog; Ben cat", ""), ("1: dog, Ada\n2: cat, Ben", ""),
        ("house 1: ada dog; house 2: BEN cat.", ""), ("Ben cat; Ada dog", "clue 1"),
        ("Ada cat; Ben dog", "clue 2"), ("Ada dog", "each house"), ("", "each house"),
        ("Ada Ben; dog cat", "each house"), ("Ada dog cat; Ben cat", "each house"),
        ("Ada dog fox; Ben cat", "something else"),
    ],
)  # fmt: skip
def test_the_table_counts_and_its_fault_is_named(answer: str, fault: str) -> None:
    assert ZebraEnv.score(PETS, answer) == float(not fault)
    assert not fault or fault in ZebraEnv.explain(PETS, answer)
