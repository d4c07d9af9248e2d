"""Sequences against another enumeration of the same family of rules, and against known ones."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from helpers.reasoning_problems import check_scores, draw
from zerogym.envs.reasoning.algebra import sequences
from zerogym.envs.reasoning.algebra.sequence_rules import (
    KINDS,
    Rule,
    continued,
    rules_that_fit,
)
from zerogym.envs.reasoning.algebra.sequences import MIN_VALUES, SHAPES, SequencesEnv
from zerogym.envs.reasoning.core import Problem

LEVELS = [0, 1, 2, 2.5, 3, 1e9]
ADDENDS = [(c,) for c in range(-30, 31)]
FACTORS = [(r,) for r in range(-6, 7) if r]
BOTH = [(r, c) for (r,), (c,) in product(FACTORS, ADDENDS)]
PAIRS = list(product(range(-20, 21), repeat=2))

Step = Callable[[tuple[int, ...], list[int]], int | Fraction]
# starting terms, numbers to write the rule down, all numbers that are tried, and the next term
TRIED: dict[str, tuple[int, int, list[tuple[int, ...]], Step]] = {
    "arithmetic": (1, 2, ADDENDS, lambda n, t: t[-1] + n[0]),
    "geometric": (1, 2, FACTORS, lambda n, t: t[-1] * n[0]),
    "division": (1, 2, FACTORS, lambda n, t: Fraction(t[-1], n[0])),
    "quadratic": (2, 3, ADDENDS, lambda n, t: t[-1] + (t[-1] - t[-2]) + n[0]),
    "sum of two": (2, 2, [()], lambda n, t: sum(t[-2:])),
    "alternating steps": (1, 3, PAIRS, lambda n, t: t[-1] + n[1 - len(t) % 2]),
    "affine": (1, 3, BOTH, lambda n, t: n[0] * t[-1] + n[1]),
    "times then plus": (1, 3, BOTH, lambda n, t: t[-1] * n[0] if len(t) % 2 else t[-1] + n[1]),
    "plus then times": (1, 3, BOTH, lambda n, t: t[-1] + n[1] if len(t) % 2 else t[-1] * n[0]),
    "sum of two and more": (2, 3, ADDENDS, lambda n, t: sum(t[-2:]) + n[0]),
    "sum of three": (3, 3, [()], lambda n, t: sum(t[-3:])),
    "recurrence": (2, 4, PAIRS, lambda n, t: n[0] * t[-1] + n[1] * t[-2]),
    "cubic": (3, 4, ADDENDS, lambda n, t: t[-1] * 3 - t[-2] * 3 + t[-3] + n[0]),
}
SIMPLE = ["arithmetic", "geometric", "division", "quadratic"]


def predictions(terms: list[int], count: int, kinds: list[str]) -> Iterator[list[int | Fraction]]:
    """Predictions of every rule that all terms follow; its numbers are tried, not calculated."""
    for kind in kinds:
        starts, cost, numbers, step = TRIED[kind]
        if len(terms) <= cost:
            continue
        for tried in numbers:
            if all(step(tried, terms[:n]) == terms[n] for n in range(starts, len(terms))):
                found = list(terms)
                for _ in range(count):
                    found.append(step(tried, found))  # type: ignore[arg-type]
                yield found[len(terms) :]


def all_predictions(terms: list[int], count: int) -> list[list[int | Fraction]]:
    """Predictions of single rules, and of two that take turns."""
    found = list(predictions(terms, count, list(TRIED)))
    turns = [list(predictions(terms[turn::2], count, SIMPLE)) for turn in (0, 1)]
    for pair in product(*turns):
        following = [list(half) for half in pair]
        found.append([following[(len(terms) + n) % 2].pop(0) for n in range(count)])
    return found


@pytest.mark.parametrize("difficulty", LEVELS)
def test_no_rule_of_the_family_disagrees(difficulty: float) -> None:
    for problem in draw(SequencesEnv, difficulty, 30):
        terms = [int(t) for t in problem.prompt.split("\n")[1].split(", ")]
        answer = [int(t) for t in problem.answer.split(", ")]
        found = all_predictions(terms, len(answer))
        assert found, f"no rule found for {terms}"
        assert all(prediction == answer for prediction in found), terms
        assert len(set(terms)) >= MIN_VALUES
        assert SequencesEnv.solve(problem) == problem.answer


def test_every_rule_that_fits_by_trial_is_found() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        terms = [int(t) for t in rng.integers(-2, 3, size=6)]  # many fit by chance
        found = {tuple(continued(rule, terms, 2) or ()) for rule in rules_that_fit(terms)}
        tried = {tuple(p) for p in all_predictions(terms, 2) if all(v == int(v) for v in p)}
        assert tried <= found, terms


@pytest.mark.parametrize(
    ("terms", "following", "kind"),
    [
        ([2, 5, 8, 11, 14], [17, 20], "arithmetic"),
        ([3, -6, 12, -24, 48], [-96, 192], "geometric"),
        ([96, 48, 24, 12, 6], [3], "division"),
        ([1, 1, 2, 3, 5, 8], [13, 21], "sum of two"),
        ([1, 4, 9, 16, 25, 36], [49, 64], "quadratic"),
        ([0, 3, 1, 4, 2, 5], [3, 6], "alternating steps"),
        ([1, 3, 7, 15, 31, 63], [127, 255], "affine"),
        ([1, 2, 5, 10, 13, 26], [29, 58], "times then plus"),
        ([1, 4, 8, 11, 22, 25], [50, 53], "plus then times"),
        ([1, 2, 4, 7, 12, 20], [33, 54], "sum of two and more"),
        ([1, 1, 2, 4, 7, 13], [24, 44], "sum of three"),
        ([0, 1, 2, 5, 12, 29, 70], [169, 408], "recurrence"),
        ([1, 8, 27, 64, 125, 216, 343], [512, 729], "cubic"),
    ],
)
def test_known_sequences(terms: list[int], following: list[int], kind: str) -> None:
    rule = rules_that_fit(terms)[0]
    assert rule.hint == KINDS[kind].hint
    assert continued(rule, terms, len(following)) == following


def test_two_sequences_in_turn() -> None:
    rule = rules_that_fit([1, 64, 4, 32, 7, 16, 10, 8])[0]
    assert rule.cost == 4 and continued(rule, [1, 64, 4, 32, 7, 16, 10, 8], 3) == [13, 4, 16]
    assert continued(rule, [1, 1], 2) is None, "1 is not divisible by 2"


def test_an_ambiguous_sequence_has_rules_that_disagree() -> None:
    """Doubled Fibonacci numbers that a cubic goes through as well; such ones are not posed."""
    terms = [-6, -10, -16, -26, -42]
    following = [continued(rule, terms, 2) for rule in rules_that_fit(terms)]
    assert following[0] == [-68, -110] and [-66, -100] in following


def test_an_ambiguous_sequence_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    fibonacci = Rule(((KINDS["sum of two"], ()),))
    starts = iter(([-6, -10], [1, 2]))
    monkeypatch.setattr(sequences, "_draw", lambda *_: (fibonacci, next(starts)))
    problem = SequencesEnv.sample(np.random.default_rng(0), 1)
    assert problem.data["terms"] == [1, 2, 3, 5, 8] and problem.answer == "13, 21"


def test_a_rule_needs_one_term_more_than_numbers() -> None:
    assert not rules_that_fit([5, 9]) and rules_that_fit([5, 9, 13])[0].cost == 2
    assert rules_that_fit([1, 2, 4, 9]) == [], "four terms fit any cubic"


def test_difficulty_adds_kinds() -> None:
    rng = np.random.default_rng(0)
    for level, last in ((0, "geometric"), (1, "division"), (2, "sum of three"), (3, "turns")):
        prompts = [SequencesEnv.sample(rng, level).prompt for _ in range(20)]
        names = list(SHAPES)[: list(SHAPES).index(last) + 1]
        assert {prompt.count(";") + 1 for prompt in prompts} == {len(names)}
        assert all(KINDS[n].hint in prompts[0] for n in names if n in KINDS)
    hints = {SequencesEnv.sample(rng, 3).solution.split(".")[0] for _ in range(300)}
    assert len(hints) > len(KINDS), "each kind of rule, and several pairs in turn"


def test_the_next_terms_in_order_score() -> None:
    problem = Problem("", "49, 64", data={"terms": [1, 4, 9, 16, 25, 36], "asked": 2})
    wrong = ("49", "64, 49", "49, 64, 81", "49, 65", "", "49, x")
    check_scores(SequencesEnv, problem, ("49, 64", "[49, 64]", "49 64", "49;64."), wrong)
