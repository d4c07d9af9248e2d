"""Belief tracking: false-belief tests by hand, two epistemic algorithms, Bayes by counting."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.uncertainty.belief_stories import believed, last_seen, think
from zerogym.envs.reasoning.uncertainty.belief_tracking import BeliefTrackingEnv
from zerogym.envs.reasoning.uncertainty.belief_updates import likelihood, update

SALLY_ANNE = [
    ["move", "Sally", "basket"], ["leave", "Sally"], ["move", "Anne", "box"], ["enter", "Sally"],
]  # fmt: skip
# Sally leaves; Anne moves it and leaves; Max moves it again; all come back; nobody looks.
THREE = [
    ["move", "Sally", "basket"], ["leave", "Sally"], ["move", "Anne", "box"], ["leave", "Anne"],
    ["move", "Max", "jar"], ["enter", "Anne"], ["enter", "Sally"],
]  # fmt: skip


@pytest.mark.parametrize(
    ("events", "chain", "place"),
    [
        (SALLY_ANNE, ["Sally"], "basket"),
        (SALLY_ANNE, ["Anne"], "box"),
        (SALLY_ANNE, ["Anne", "Sally"], "basket"),
        (SALLY_ANNE, ["Sally", "Anne"], "basket"),
        (THREE, ["Max"], "jar"),
        (THREE, ["Anne"], "box"),
        (THREE, ["Max", "Anne"], "box"),
        (THREE, ["Anne", "Max"], "box"),
        (THREE, ["Max", "Sally"], "basket"),
        (THREE, ["Max", "Anne", "Sally"], "basket"),
        (THREE, ["Max", "Anne", "Max"], "box"),
    ],
)
def test_false_belief_tests_by_hand(events: list, chain: list[str], place: str) -> None:
    people = ["Sally", "Anne", "Max"] if events is THREE else ["Sally", "Anne"]
    assert believed(think(people, events, len(chain)), chain) == place
    assert events[last_seen(events, chain)][2] == place


def drawn(category: str, difficulty: float, count: int) -> list[Problem]:
    rng, found = np.random.default_rng(1), []
    while len(found) < count:
        problem = BeliefTrackingEnv.sample(rng, difficulty)
        found += [problem] if problem.category == category else []
    return found


@pytest.mark.parametrize("difficulty", [0.0, 1.0, 4.0])
def test_minds_and_memory_agree(difficulty: float) -> None:
    for problem in drawn("false_belief", difficulty, 300):
        data = problem.data
        world = think(data["people"], data["events"], len(data["chain"]))
        assert believed(world, data["chain"]) == problem.answer == BeliefTrackingEnv.solve(problem)


@pytest.mark.parametrize("difficulty", [0.0, 1.0, 4.0])
def test_half_of_the_beliefs_are_false(difficulty: float) -> None:
    problems = drawn("false_belief", difficulty, 400)
    real = [[e[2] for e in p.data["events"] if e[0] == "move"][-1] for p in problems]
    false = np.mean([p.answer != place for p, place in zip(problems, real, strict=True)])
    assert 0.4 < false < 0.6
    orders = {len(problem.data["chain"]) for problem in problems}
    assert orders == ({1} if difficulty < 1 else {1, 2} if difficulty < 3 else {1, 2, 3})


def test_only_those_in_the_room_move_things() -> None:
    for problem in drawn("false_belief", 4.0, 200):
        here = set(problem.data["people"])
        for kind, who, *_ in problem.data["events"]:
            assert (who in here) == (kind != "enter")
            here ^= {who} if kind != "move" else set()
            assert here


def counted(data: dict) -> Fraction:
    """The posterior by listing every draw of numbered marbles from every bag."""
    draws = [*data["seen"], data["asked"]] if data["question"] == "next" else data["seen"]
    weight_of_seen: Fraction = Fraction(0)
    weight_of_asked: Fraction = Fraction(0)
    for number, (bag, prior) in enumerate(zip(data["bags"], data["weights"], strict=True)):
        marbles = [colour for colour, count in enumerate(bag) for _ in range(count)]
        hands = (
            product(marbles, repeat=len(draws))
            if data["replace"]
            else permutations(marbles, len(draws))
        )
        outcomes = [list(hand) for hand in hands]
        seen = [hand for hand in outcomes if hand[: len(data["seen"])] == data["seen"]]
        fits = (
            [hand for hand in seen if hand == draws] if data["question"] == "next"
            else seen if number == data["asked"] else []
        )  # fmt: skip
        weight_of_seen += Fraction(prior * len(seen), len(outcomes))
        weight_of_asked += Fraction(prior * len(fits), len(outcomes))
    return weight_of_asked / weight_of_seen


@pytest.mark.parametrize("difficulty", [0.0, 1.0, 2.0])
def test_posteriors_agree_with_a_list_of_all_draws(difficulty: float) -> None:
    kinds = set()
    for problem in drawn("posterior", difficulty, 40):
        truth = counted(problem.data)
        kinds.add((problem.data["question"], problem.data["replace"]))
        assert Fraction(problem.answer) == truth == update(problem.data), problem.prompt
    assert len(kinds) == (4 if difficulty >= 2 else 1)


def test_the_two_ways_to_update_agree_on_long_evidence() -> None:
    for problem in drawn("posterior", 6.0, 300):
        assert Fraction(problem.answer) == update(problem.data), problem.prompt


def test_a_known_posterior() -> None:
    data = {"bags": [[3, 7], [6, 4]], "weights": [1, 1], "seen": [0, 0], "replace": True,
            "question": "bag", "asked": 1}  # fmt: skip
    assert update(data) == Fraction(36, 45)
    assert likelihood([3, 7], [0, 1], False) == Fraction(21, 90)


def test_forms_of_a_container() -> None:
    problem = Problem("?", "box", category="false_belief", data={"events": SALLY_ANNE})
    right = ("box", "The box.", "in the box", "Inside the BOX")
    wrong = ("basket", "the basket or the box", "box basket", "in the", "boxes", "")
    assert [BeliefTrackingEnv.score(problem, text) for text in right] == [1.0] * len(right)
    assert [BeliefTrackingEnv.score(problem, text) for text in wrong] == [0.0] * len(wrong)
    assert "no container" in BeliefTrackingEnv.explain(problem, "the moon")
