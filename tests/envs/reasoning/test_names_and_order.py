"""Train and test share no problem up to names and order, by a method of its own: all renamings."""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations
from typing import Any, cast

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.logic.words import ADJECTIVES, KINDS, NAMES, VERBS
from zerogym.envs.reasoning.renaming import Bag, key_up_to_names
from zerogym.envs.splits import SPLITS

PROBLEMS = 80  # of each side
LETTER = r"\b[a-z]\b"
# At difficulty 0 (or the one that is given), the words that are names; lines are in no order.
RENAMED = {
    "Syllogism": rf"\b(?:{'|'.join(KINDS)})\b",
    "KnightsKnaves": rf"\b(?:{'|'.join(NAMES)})\b",
    "PropositionalEntailment": LETTER,
    "Satisfiability": LETTER,
    "ChainSum": "(?!)",
    "RandomCalculation": "(?!)",
}


def made(name: str, **kwargs: object) -> ReasoningEnv:
    return cast(ReasoningEnv, gym.make(f"zerogym/{name}-v0", **kwargs).unwrapped)


def form(prompt: str, pattern: str) -> str:
    """The first of all texts with other names and other orders of lines, summands and clauses."""
    prompt = re.sub(r"You meet .*|Answer .*|Who is what.*", "", prompt)
    names = sorted(set(re.findall(pattern, prompt)))

    def renamed(order: tuple[int, ...]) -> str:
        numbers = dict(zip(names, order, strict=True))
        text = re.sub(pattern, lambda match: f"<{numbers[match[0]]}>", prompt)
        lines = [re.sub(r"^\d+\. ", "", line) for line in text.splitlines()]
        return "\n".join(sorted(_sorted_line(line) for line in lines))

    return min(map(renamed, permutations(range(len(names)))))


def _sorted_line(line: str) -> str:
    for separator in (" or ", " + "):
        if separator in line and "-" not in line and "(" not in line:
            return separator.join(sorted(re.sub(r"Calculate |\.", "", line).split(separator)))
    return line


@pytest.mark.parametrize("name", RENAMED)
def test_no_problem_is_on_both_sides_up_to_names_and_order(name: str) -> None:
    sides = []
    for split in SPLITS:
        env = made(name, difficulty=0, split=split)
        env.reset(seed=1)
        prompts = []
        for _ in range(PROBLEMS):
            env.reset()
            prompts.append(env._episode.problem.prompt)
        sides.append({form(prompt, RENAMED[name]) for prompt in prompts})
    assert sides[0] and sides[1] and not sides[0] & sides[1]


@pytest.mark.parametrize("split", SPLITS)
def test_either_answer_is_as_frequent_on_a_side_with_few_problems(split: str) -> None:
    for category in ("modern", "existential"):
        env = made("Syllogism", difficulty=0, split=split, category=category)
        env.reset(seed=1)
        count = 100
        yes = 0
        for _ in range(count):
            env.reset()
            yes += env._episode.problem.answer == "yes"
        assert abs(yes / count - 0.5) < 4 * 0.5 / count**0.5


# Names in the data of a problem that can be exchanged, by kind, and lists without an order.
EXCHANGED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "Blocksworld": ((r"^[a-z]$",), ("start", "goal")),
    "Cryptarithm": (("[A-Z]",), ("addends",)),
    "FiniteAutomaton": (("[A-Z]", "[a-z]", "[0-9]"), ("final",)),
    "FirstOrder": (
        tuple(rf"\b(?:{'|'.join(words)})\b" for words in (NAMES, ADJECTIVES, VERBS)),
        (),
    ),
    "Grammar": ((r"^[a-z]{3}$",), ()),
    "KnightsKnaves": ((rf"\b(?:{'|'.join(NAMES)})\b",), ()),
    "PropositionalEntailment": ((LETTER,), ("premises",)),
    "RegexInduction": (("[a-z]",), ("positive", "negative")),
    "RegisterMachine": ((r"\b[a-e]\b",), ()),
    "Strips": ((r"^[a-z]{3,5}$",), ("start", "goal")),
    "StringRewrite": (("[a-z]",), ()),
    "Unanswerable": ((r"\b(?:carrot|leek|turnip|bean|tomato|pumpkin|pea)\b",), ("facts", "asked")),
    "Zebra": ((r"^\w+$",), ()),
}


def exchanged(data: Mapping[str, Any], kinds: tuple[str, ...], rng: np.random.Generator) -> Any:
    """The data with the names of each kind exchanged at random."""
    for pattern in kinds:
        names: set[str] = set()
        _renamed(data, pattern, lambda match, names=names: names.add(match[0]) or match[0])  # type: ignore[misc]
        listed = sorted(names)
        others = dict(zip(listed, rng.permutation(listed).tolist(), strict=True))
        data = _renamed(data, pattern, lambda match, others=others: others[match[0]])  # type: ignore[misc]
    return data


def _renamed(value: Any, pattern: str, new: Any, inner: bool = False) -> Any:
    if isinstance(value, Mapping):
        return {
            (re.sub(pattern, new, key) if inner and key not in FIXED else key): _renamed(
                part, pattern, new, True
            )
            for key, part in value.items()
        }
    if isinstance(value, list):
        return [_renamed(part, pattern, new, inner=True) for part in value]
    fixed = not isinstance(value, str) or value in FIXED
    return value if fixed else re.sub(pattern, new, value)


FIXED = ("if", "then", "fact", "on", "made-up", "same", "differ", "left", "beside", "before", "at")


@pytest.mark.parametrize("name", EXCHANGED)
def test_names_and_order_do_not_change_the_key(name: str) -> None:
    kinds, lists = EXCHANGED[name]
    env, rng = made(name), np.random.default_rng(0)
    keys = set()
    for problem in [env.sample(rng, 2.0) for _ in range(20)]:
        data = exchanged(problem.data, kinds, rng)
        data |= {key: [data[key][n] for n in rng.permutation(len(data[key]))] for key in lists}
        key = env.canonical_key(problem)
        assert env.canonical_key(replace(problem, data=data)) == key, problem.prompt
        keys.add(key)
    assert len(keys) > 15


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("Hanoi", "AABBCCAB", "BBCCAABC"),
        ("Rubik2x2", "wwworr", "rrroww"),
        ("Sudoku", "3 _ 2\n_ 3 1", "1 _ 2\n_ 1 3"),
        ("LatinSquare", "3 _ 2\n_ 3 1", "1 _ 2\n_ 1 3"),
    ],
)
def test_keys_of_pictures(name: str, first: str, second: str) -> None:
    key = made(name).canonical_key
    assert key(Problem("", "", canonical=first)) == key(Problem("", "", canonical=second))
    assert key(Problem("", "", canonical=first)) != key(Problem("", "", canonical=first[::-1]))


def test_the_names_of_those_who_cross_a_river() -> None:
    def key(**changed: Any) -> str:
        data = {"rule": "conflicts", "names": ["cat", "hen", "oil"], "totals": [1, 1, 1],
                "capacity": 1, "pairs": [[0, 1]], "left": [1, 0, 1], "boat_left": True}  # fmt: skip
        return made("RiverCrossing").canonical_key(Problem("", "", data=data | changed))

    assert key() == key(names=["fox", "dog", "lamp"])
    assert key() == key(pairs=[[2, 1]]) == key(pairs=[[0, 2]], left=[0, 1, 1])
    assert len({key(), key(pairs=[[0, 2]]), key(capacity=2), key(boat_left=False)}) == 4


@pytest.mark.parametrize(
    ("name", "first", "second", "other"),
    [
        ("WaterJugs", ([5, 3, 8], [0, 1, 2], 0), ([3, 8, 5], [1, 2, 0], 2),
         ([5, 3, 8], [0, 1, 2], 1)),
    ],
)  # fmt: skip
def test_the_order_of_jugs(name: str, first: Any, second: Any, other: Any) -> None:
    def key(sizes: list[int], start: list[int], jug: int) -> str:
        data = {"sizes": sizes, "start": start, "jug": jug, "target": 4}
        return made(name).canonical_key(Problem("", "", data=data))

    assert key(*first) == key(*second) != key(*other)


def test_the_letters_of_counting_and_the_start_of_a_path() -> None:
    def key(**data: Any) -> str:
        return made("Counting").canonical_key(Problem("", "", data=data))

    strings = {"kind": "strings", "alphabet": "AC", "length": 5}
    assert key(**strings, pattern="AAC") == key(**strings | {"alphabet": "BD"}, pattern="DDB")
    assert key(**strings, pattern="AAC") != key(**strings, pattern="ACA")
    letters = {"kind": "arrangements", "rule": "first"}
    assert key(**letters, letters="AAB", which="A") == key(**letters, letters="BBC", which="B")
    assert key(**letters, letters="AAB", which="A") != key(**letters, letters="AAB", which="B")
    shares = {"kind": "distributions", "sort": "shares", "things": 5, "boxes": 2}
    assert key(**shares, sizes=[2, 3]) == key(**shares, sizes=[3, 2])
    east, north = ("from the crossing (3,1)", "from the crossing (0,2)")
    path = {"kind": "paths", "wide": 2, "high": 3, "blocked": []}
    both = [Problem(text, "", data=path, canonical=text) for text in (east, north)]
    assert len({made("Counting").canonical_key(problem) for problem in both}) == 1


def test_keys_by_hand() -> None:
    def key(*pairs: tuple[str, str], kind: type = tuple) -> str:
        return key_up_to_names([kind(pair) for pair in pairs], "abc")

    assert key(("a", "b"), ("b", "c")) == key(("c", "a"), ("b", "c"))
    assert key(("a", "b"), ("b", "c")) != key(("a", "b"), ("c", "b"))
    assert key(("a", "b"), ("b", "c"), kind=Bag) == key(("a", "b"), ("c", "b"), kind=Bag)
    assert key(("a", "b")) != key_up_to_names([("a", "b")], "ab"), "a name that is not used counts"
    assert key_up_to_names([("a", 1)], ["a"]) != key_up_to_names([("a", 2)], ["a"])
