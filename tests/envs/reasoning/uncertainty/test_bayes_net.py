"""Bayesian networks: against the joint distribution, the adjustment formula and known cases."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from helpers.reasoning_problems import draw_problems
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.uncertainty.bayes_net import BayesNetEnv
from zerogym.envs.reasoning.uncertainty.networks import (
    Network,
    chance_by_elimination,
    chance_by_states,
)

# Rain (A) makes the sprinkler (B) unlikely; both wet the grass (C).
SPRINKLER = Network(
    [2, 2, 2], [[], [0], [0, 1]],
    [[[8, 2]], [[6, 4], [9, 1]], [[10, 0], [1, 9], [2, 8], [0, 10]]],
)  # fmt: skip


def joint(data: Mapping) -> dict[tuple[int, ...], Fraction]:
    """Probability of every state, by the chain rule over written-out rows."""
    found = {}
    for state in product(*map(range, data["sizes"])):
        chance = Fraction(1)
        for variable, parents in enumerate(data["parents"]):
            rows = list(product(*(range(data["sizes"][p]) for p in parents)))
            row = rows.index(tuple(state[p] for p in parents))
            chance *= Fraction(data["tables"][variable][row][state[variable]], 10)
        found[state] = chance
    assert sum(found.values()) == 1
    return found


def given(table: Mapping, query: Mapping, known: Mapping) -> Fraction:
    """P(query | known) from a joint distribution."""
    fits = {s: p for s, p in table.items() if all(s[v] == x for v, x in known.items())}
    part = sum(p for s, p in fits.items() if all(s[v] == x for v, x in query.items()))
    return Fraction(part) / sum(fits.values())


def adjusted(data: Mapping) -> Fraction:
    """P(query | do) from observations alone: adjust for the parents of what is set."""
    table, ((target, value),) = joint(data), data["doing"]
    query, parents = dict([data["query"]]), data["parents"][target]
    return sum(
        (
            given(table, query, {target: value, **dict(zip(parents, state, strict=True))})
            * given(table, dict(zip(parents, state, strict=True)), {})
            for state in product(*(range(data["sizes"][p]) for p in parents))
        ),
        Fraction(0),
    )


@pytest.mark.parametrize("difficulty", [0.0, 1.0, 2.5])
def test_answers_follow_from_the_joint_distribution(difficulty: float) -> None:
    kinds = set()
    for problem in draw_problems(BayesNetEnv, difficulty, count=60):
        data = problem.data
        kinds.add((problem.category, bool(data["seeing"])))
        if problem.category == "association":
            exact = given(joint(data), dict([data["query"]]), dict(data["seeing"]))
        elif not data["seeing"]:
            exact = adjusted(data)
        else:
            continue
        assert Fraction(problem.answer) == exact, problem.prompt
        assert Fraction(BayesNetEnv.solve(problem)) == exact, problem.prompt
    assert {("association", True), ("intervention", False)} <= kinds


def test_both_algorithms_agree_on_large_networks() -> None:
    for problem in draw_problems(BayesNetEnv, 6.0, count=60):
        assert Fraction(problem.answer) == Fraction(BayesNetEnv.solve(problem)), problem.prompt


def test_the_sprinkler() -> None:
    wet, sprinkler_on = {2: 1}, {1: 1}
    kinds = chance_by_states(SPRINKLER, (0, 1), wet)
    assert kinds == Fraction(18 * 8 + 2 * 10, 18 * 8 + 2 * 10 + 32 * 9)
    assert chance_by_elimination(SPRINKLER, (0, 1), wet, "ABC")[0] == kinds
    assert chance_by_states(SPRINKLER, (0, 1), sprinkler_on) == Fraction(2, 34)
    forced = SPRINKLER.cut(sprinkler_on)
    assert chance_by_states(forced, (0, 1), sprinkler_on) == Fraction(1, 5), "rain does not care"
    assert chance_by_states(forced, (2, 1), sprinkler_on) == Fraction(8 * 9 + 2 * 10, 100)
    assert chance_by_states(SPRINKLER, (2, 1), sprinkler_on) == Fraction(32 * 9 + 2 * 10, 340)


def test_doing_differs_from_seeing_and_mostly_has_an_effect() -> None:
    doing = draw_problems(BayesNetEnv, 1.0, count=150, category="intervention")
    if_observed = [seeing_instead(problem) for problem in doing]
    differ = [a != Fraction(p.answer) for a, p in zip(if_observed, doing, strict=True)]
    assert np.mean(differ) > 0.98
    moved = [
        chance_by_states(Network.read(p.data), tuple(p.data["query"]), {}) != Fraction(p.answer)
        for p in doing
    ]
    assert 0.6 < np.mean(moved) < 0.9


def seeing_instead(problem: Problem) -> Fraction | None:
    known = dict(problem.data["doing"]) | dict(problem.data["seeing"])
    return chance_by_states(Network.read(problem.data), tuple(problem.data["query"]), known)


def test_feedback_names_the_confusion_of_seeing_and_doing() -> None:
    (problem,) = draw_problems(BayesNetEnv, 1.0, count=1, category="intervention")
    assert "after seeing" in BayesNetEnv.explain(problem, str(seeing_instead(problem)))
    assert BayesNetEnv.explain(problem, "1/7919") == "The probability is wrong."


def test_the_tables_in_the_prompt_are_those_of_the_data() -> None:
    (problem,) = draw_problems(BayesNetEnv, 1.0, count=1)
    lines = [line for line in problem.prompt.split("\n") if line.startswith("P(")]
    rows = [row for table in problem.data["tables"] for row in table]
    shown = [[int(10 * Fraction(x)) for x in line.split(" = ")[-1].split(", ")] for line in lines]
    assert shown == rows
    assert len(set(lines)) == len(lines)
