"""Train and test share no problem up to names and order, by a method of its own: all renamings."""

import re
from itertools import permutations
from typing import cast

import gymnasium as gym
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.reasoning.core import ReasoningEnv
from zerogym.envs.reasoning.logic.words import KINDS, NAMES
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


def test_keys_by_hand() -> None:
    def key(*pairs: tuple[str, str], kind: type = tuple) -> str:
        return key_up_to_names([kind(pair) for pair in pairs], "abc")

    assert key(("a", "b"), ("b", "c")) == key(("c", "a"), ("b", "c"))
    assert key(("a", "b"), ("b", "c")) != key(("a", "b"), ("c", "b"))
    assert key(("a", "b"), ("b", "c"), kind=Bag) == key(("a", "b"), ("c", "b"), kind=Bag)
    assert key(("a", "b")) != key_up_to_names([("a", "b")], "ab"), "a name that is not used counts"
    assert key_up_to_names([("a", 1)], ["a"]) != key_up_to_names([("a", 2)], ["a"])
