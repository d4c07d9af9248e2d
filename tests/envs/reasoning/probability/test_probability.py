"""Probability: both calculations against counting every outcome."""

import re
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from helpers.reasoning_problems import check_scores, draw
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.probability.chances import (
    chance_of_colours,
    chance_of_successes,
    chance_of_total,
    colour_weights,
    success_weights,
    total_weights,
)
from zerogym.envs.reasoning.probability.probability import ProbabilityEnv

MOST_OUTCOMES = 50_000


def counted(problem: Problem) -> Fraction | None:
    """The chance by listing all outcomes; None if there are too many."""
    data = problem.data
    if "dice" in data:
        if np.prod(data["dice"]) > MOST_OUTCOMES:
            return None
        counts = [sum(faces) for faces in product(*(range(1, s + 1) for s in data["dice"]))]
        return share(counts, data["event"], data["given"])
    sizes = data.get("colours") or [data["good"], data["other"]]
    balls = [colour for colour, size in enumerate(sizes) for _ in range(size)]
    draws = data["draws"]
    if len(balls) ** draws > MOST_OUTCOMES:
        return None
    outcomes = product(balls, repeat=draws) if data["replace"] else permutations(balls, draws)
    if "colours" in data:
        colours = 1 if data["event"] == "same" else draws
        return share([len(set(balls)) for balls in outcomes], [colours, colours], None)
    known = [hand for hand in outcomes if hand[: data["first"]] == (0,) * data["first"]]
    return share([hand.count(0) for hand in known], data["event"], data["given"])


def share(counts: list[int], event: list[int], given: list[int] | None) -> Fraction:
    known = [n for n in counts if given is None or given[0] <= n <= given[1]]
    return Fraction(sum(event[0] <= n <= event[1] for n in known), len(known))


@pytest.mark.parametrize("difficulty", [0.0, 1.0, 2.0])
def test_answers_agree_with_a_list_of_all_outcomes(difficulty: float) -> None:
    found = set()
    for problem in draw(ProbabilityEnv, difficulty, 250, seed=1):
        exact = counted(problem)
        if exact is not None:
            found.add((problem.category, problem.data["given"] is not None))
            assert Fraction(problem.answer) == exact, problem.prompt
            assert Fraction(ProbabilityEnv.solve(problem)) == exact, problem.prompt
    assert {kind for kind, _ in found} == set(ProbabilityEnv.categories)
    assert difficulty < 2 or any(given for _, given in found)


def test_known_chances() -> None:
    assert chance_of_total([6, 6], [7, 7], None) == Fraction(1, 6)
    assert chance_of_total([6, 6], [12, 12], [11, 12]) == Fraction(1, 3)
    assert chance_of_successes(4, 48, 2, False, 0, [2, 2], None) == Fraction(1, 221)
    assert chance_of_successes(1, 1, 3, True, 1, [3, 3], None) == Fraction(1, 4)
    assert chance_of_successes(1, 1, 2, True, 0, [2, 2], [1, 2]) == Fraction(1, 3)
    assert chance_of_colours([2, 2], 2, False, "same") == Fraction(1, 3)
    assert chance_of_colours([1, 1, 1], 3, True, "different") == Fraction(2, 9)


def test_weights_of_known_experiments() -> None:
    assert total_weights([6, 6]).ways == [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]
    assert success_weights(13, 39, 5, False, 0).ways[5] == 1287
    assert sum(success_weights(2, 3, 4, True, 0).ways) == 625
    assert sum(colour_weights([3, 2, 1], 2, False, "same").ways) == 4


def test_a_decimal_counts_only_if_it_is_exact() -> None:
    problem = Problem("?", "1/4")
    check_scores(ProbabilityEnv, problem, ("0.25", "2/8"), ("0.3", "", "5/4"))
    assert "no probability" in ProbabilityEnv.explain(problem, "5/4")


def test_not_one_of_two_kinds_is_said_unambiguously() -> None:
    rng, found = np.random.default_rng(6), set()
    for _ in range(1500):
        prompt = ProbabilityEnv.sample(rng, 0.0).prompt
        assert not re.search(r"is not .* or ", prompt), prompt
        found.update(re.findall(r"that the card is (neither .*?|not .*?)\?", prompt))
    assert {
        "neither a spade nor an ace",
        "neither a jack, a queen nor a king",
        "not a heart",
    } <= found
