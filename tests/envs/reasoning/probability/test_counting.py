"""Counting: formula and step-by-step count against listing everything, and textbook values."""

import re
from itertools import combinations, permutations, product

import numpy as np
import pytest

from helpers.reasoning_problems import check_scores, draw
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.probability.counting import CountingEnv
from zerogym.envs.reasoning.probability.counting_steps import COUNTS
from zerogym.envs.splits import Split

MOST = 50_000  # cases to list


def list_arrangements(data: dict) -> int | None:
    letters, rule, which = data["letters"], data["rule"], data["which"]
    if len(letters) > 8:
        return None
    strings = {"".join(order) for order in permutations(letters)}
    block = which * letters.count(which)
    fits = {
        "none": lambda text: True,
        "first": lambda text: text[0] == which,
        "together": lambda text: block in text,
        "apart": lambda text: which * 2 not in text,
    }[rule]
    return sum(map(fits, strings))


def list_committees(data: dict) -> int:
    people = range(data["women"] + data["men"])
    chosen = [set(group) for group in combinations(people, data["size"])]
    fine = sum(
        data["low"] <= sum(p < data["women"] for p in group) <= data["high"]
        and not (data["apart"] and {0, 1} <= group)
        for group in chosen
    )
    return fine * (data["size"] if data["chair"] else 1)


def list_paths(data: dict) -> int:
    wide, high, blocked = data["wide"], data["high"], {tuple(p) for p in data["blocked"]}
    found = 0
    for right in combinations(range(wide + high), wide):
        x = y = 0
        free = True
        for step in range(wide + high):
            x, y = (x + 1, y) if step in right else (x, y + 1)
            free = free and (x, y) not in blocked
        found += free
    return found


def list_distributions(data: dict) -> int | None:
    things, boxes = data["things"], data["boxes"]
    if data["sort"] == "equal":
        span = range(data["least"], data["most"] + 1)
        if len(span) ** boxes > MOST:
            return None
        return sum(sum(held) == things for held in product(span, repeat=boxes))
    if boxes**things > MOST:
        return None
    places = product(range(boxes), repeat=things)
    if data["sort"] == "surjective":
        return sum(len(set(place)) == boxes for place in places)
    return sum([place.count(b) for b in range(boxes)] == data["sizes"] for place in places)


def list_strings(data: dict) -> int | None:
    if len(data["alphabet"]) ** data["length"] > MOST:
        return None
    strings = ("".join(s) for s in product(data["alphabet"], repeat=data["length"]))
    return sum(data["pattern"] not in text for text in strings)


LISTS = {
    "arrangements": list_arrangements, "committees": list_committees, "paths": list_paths,
    "distributions": list_distributions, "strings": list_strings,
}  # fmt: skip


@pytest.mark.parametrize("difficulty", [0.0, 1.0])
def test_numbers_agree_with_a_list_of_all_cases(difficulty: float) -> None:
    found = []
    for problem in draw(CountingEnv, difficulty, 120, seed=1):
        number = LISTS[problem.category](problem.data)  # None: too many
        if number is not None:
            found.append(problem.category)
            assert int(problem.answer) == number, problem.prompt
            assert int(CountingEnv.solve(problem)) == number, problem.prompt
    assert set(found) == set(CountingEnv.categories)


def test_every_rule_is_drawn() -> None:
    rng = np.random.default_rng(3)
    data = [CountingEnv.sample(rng, 2.0).data for _ in range(600)]
    assert {d["rule"] for d in data if d["kind"] == "arrangements"} == {
        "first",
        "together",
        "apart",
    }
    assert {d["sort"] for d in data if d["kind"] == "distributions"} == {
        "surjective", "shares", "equal",
    }  # fmt: skip
    assert {(d["apart"], d["chair"]) for d in data if d["kind"] == "committees"} == set(
        product([False, True], repeat=2)
    )
    assert any(len(d["blocked"]) == 2 for d in data if d["kind"] == "paths")


def test_textbook_values() -> None:
    mississippi = {"letters": "IIIIMPPSSSS", "rule": "none", "which": "M"}
    assert COUNTS["arrangements"](mississippi) == 34650
    assert COUNTS["paths"]({"wide": 8, "high": 8, "blocked": []}) == 12870
    onto = {"sort": "surjective", "things": 6, "boxes": 3}
    assert COUNTS["distributions"](onto) == 540
    fibonacci = {"alphabet": "AB", "length": 10, "pattern": "AA"}
    assert COUNTS["strings"](fibonacci) == 144
    poker = {"women": 26, "men": 26, "size": 5, "low": 0, "high": 5, "apart": False, "chair": False}
    assert COUNTS["committees"](poker) == 2598960


@pytest.mark.parametrize("split", ["train", "test"])
def test_the_easiest_paths_are_enough_for_both_sides(split: Split) -> None:
    env = CountingEnv(difficulty=0, split=split, category="paths")
    assert len({env.reset(seed=seed)[0] for seed in range(60)}) > 40


def test_paths_do_not_depend_on_where_the_grid_begins() -> None:
    for problem in draw(CountingEnv, 2.0, 40, seed=8, category="paths"):
        start, goal, *blocked = [
            (int(x), int(y)) for x, y in re.findall(r"\((\d+),(\d+)\)", problem.prompt)
        ]
        ways = {start: 1}
        for x in range(start[0], goal[0] + 1):
            for y in range(start[1], goal[1] + 1):
                if (x, y) != start:
                    before = ways.get((x - 1, y), 0) + ways.get((x, y - 1), 0)
                    ways[x, y] = 0 if (x, y) in blocked else before
        assert ways[goal] == int(problem.answer), problem.prompt


def test_what_is_counted_may_stand_behind_the_number() -> None:
    right, wrong = ("15 ways.", "15 paths", "15"), ("15 or 16", "ways", "15 men")
    check_scores(CountingEnv, Problem("?", "15", category="committees"), right, wrong)
