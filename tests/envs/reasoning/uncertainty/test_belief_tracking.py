"""Belief tracking: false-belief tests by hand, two epistemic algorithms, Bayes by counting."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from helpers.reasoning_problems import check_fault, draw_problems
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.uncertainty.belief_stories import (
    MAX_ORDER,
    believed,
    last_witnessed,
    think,
)
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
    assert events[last_witnessed(events, chain)][2] == place


def drawn(category: str, difficulty: float, count: int) -> list[Problem]:
    return draw_problems(BeliefTrackingEnv, difficulty, count=count, category=category)


@pytest.mark.parametrize("difficulty", [0.0, 1.0, 4.0])
def test_minds_and_memory_agree(difficulty: float) -> None:
    for problem in drawn("false_belief", difficulty, 100):
        data = problem.data
        world = think(data["people"], data["events"], MAX_ORDER)
        minds = [believed(world, chain) for chain in data["chains"]]
        assert ", ".join([*minds, world.place]) == problem.answer
        assert BeliefTrackingEnv.solve(problem) == problem.answer


@pytest.mark.parametrize(
    ("difficulty", "minds", "order"), [(0.0, 2, 1), (1.0, 3, 2), (2.5, 3, 2), (4.0, 3, 3)]
)
def test_the_minds_in_question(difficulty: float, minds: int, order: int) -> None:
    for problem in drawn("false_belief", difficulty, 200):
        chains = problem.data["chains"]
        assert len({frozenset(chain) for chain in chains}) == len(chains) == minds
        assert max(map(len, chains)) == order
        assert len(problem.answer.split(", ")) == minds + 1


def guesses(problem: Problem) -> list[list[str]]:
    """Answers of those who do not follow who sees what."""
    events, chains = problem.data["events"], problem.data["chains"]
    named = [event[2] for event in events if event[0] == "move"]
    found = [[named[-1]] * len(chains), [named[0]] * len(chains)]
    found += [named[-len(chains) - 1 : -1], named[-len(chains) :], named[: -len(chains) - 1 : -1]]
    for end in (0, -1):
        left, put, at = {}, {}, named[0]
        for kind, who, *place in events:
            at = place[0] if place else at
            (left if kind == "leave" else put if kind == "move" else {})[who] = at
        found += [[kept.get(chain[end], at) for chain in chains] for kept in (left, put)]
    # always so many moves before the last one, for each mind
    back = [*reversed(named), *named[:1] * 4]
    found += [[back[lag] for lag in lags] for lags in product(range(4), repeat=len(chains))]
    return [[*places, named[-1]] for places in found]


@pytest.mark.parametrize(("difficulty", "most"), [(0.0, 0.3), (1.0, 0.15), (4.0, 0.15)])
def test_shortcuts_are_worth_little(difficulty: float, most: float) -> None:
    scores = [
        [BeliefTrackingEnv.score(problem, ", ".join(guess)) for guess in guesses(problem)]
        for problem in drawn("false_belief", difficulty, 300)
    ]
    assert np.mean(scores, axis=0).max() < most


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
    weight_of_drawn: Fraction = Fraction(0)
    weight_of_query: Fraction = Fraction(0)
    for number, (bag, prior) in enumerate(zip(data["bags"], data["weights"], strict=True)):
        marbles = [colour for colour, count in enumerate(bag) for _ in range(count)]
        with_replacement = product(marbles, repeat=len(draws))
        hands = with_replacement if data["replace"] else permutations(marbles, len(draws))
        outcomes = [list(hand) for hand in hands]
        drawn_before = [hand for hand in outcomes if hand[: len(data["seen"])] == data["seen"]]
        fits = (
            [hand for hand in drawn_before if hand == draws] if data["question"] == "next"
            else drawn_before if number == data["asked"] else []
        )  # fmt: skip
        weight_of_drawn += Fraction(prior * len(drawn_before), len(outcomes))
        weight_of_query += Fraction(prior * len(fits), len(outcomes))
    return weight_of_query / weight_of_drawn


@pytest.mark.parametrize("difficulty", [0.0, 1.0, 2.0])
def test_posteriors_agree_with_a_list_of_all_draws(difficulty: float) -> None:
    kinds = set()
    for problem in drawn("posterior", difficulty, 40):
        exact = counted(problem.data)
        kinds.add((problem.data["question"], problem.data["replace"]))
        assert Fraction(problem.answer) == exact == update(problem.data), problem.prompt
    assert len(kinds) == (4 if difficulty >= 2 else 1)


def test_the_two_ways_to_update_agree_on_long_evidence() -> None:
    for problem in drawn("posterior", 6.0, 60):
        assert Fraction(problem.answer) == update(problem.data), problem.prompt


def test_a_known_posterior() -> None:
    data = {"bags": [[3, 7], [6, 4]], "weights": [1, 1], "seen": [0, 0], "replace": True,
            "question": "bag", "asked": 1}  # fmt: skip
    assert update(data) == Fraction(36, 45)
    assert likelihood([3, 7], [0, 1], False) == Fraction(21, 90)


ANNE_SALLY = Problem(
    "?", "box, basket, box", category="false_belief",
    data={"events": SALLY_ANNE, "chains": [["Anne"], ["Anne", "Sally"]]},
)  # fmt: skip


COUNT, BELIEVED = "not 3 containers", "believed"


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("box, basket, box", ""), ("The box, the basket, the box.", ""), ("[BOX, basket, Box]", ""),
        ("1. in the box\n2. in the basket\n3. in the box", ""), ("box; basket and box", ""),
        ("1. Box.\n2. Basket.\n3. Box.", ""), ("box, box, box", BELIEVED),
        ("basket, box, box", BELIEVED), ("box, basket", COUNT), ("box, moon, box", COUNT),
        ("box", COUNT), ("box, basket, box, box", COUNT), ("box, basket or box, box", COUNT),
        ("in the", COUNT), ("", COUNT), ("box, basket, basket", "really"),
    ],
)  # fmt: skip
def test_forms_of_a_list_of_containers(answer: str, fault: str) -> None:
    check_fault(BeliefTrackingEnv, ANNE_SALLY, answer, fault)
