"""Unanswerable: what follows from the facts by algebra, and no cue but the facts themselves."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from helpers.reasoning_problems import check_fault, draw_problems
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.uncertainty.ledgers import (
    THEMES,
    total,
    what_would_settle,
    work_out,
)
from zerogym.envs.reasoning.uncertainty.unanswerable import UnanswerableEnv

PENS = {
    "names": ["price of a pen", "number of pens", "price of a book", "number of books"],
    "facts": [["price of a book", "price of a pen", 4], ["number of books", 3]],
    "asked": [["price of a book", "number of books"]],
    "accepted": ["price of a pen", "price of a book"],
    "unit": "coins",
}


def drawn(difficulty: float, count: int) -> list[Problem]:
    return draw_problems(UnanswerableEnv, difficulty, count=count)


def is_determined(data: dict, extra: tuple[str, ...] = ()) -> bool:
    """Return whether the facts fix every quantity in question, by the rank of the equations."""
    names = data["names"]
    rows = [[float(name == fact[0]) - float(len(fact) == 3 and name == fact[1])
             for name in names] for fact in data["facts"]]  # fmt: skip
    rows += [[float(name == one) for name in names] for one in extra]
    matrix = np.array(rows).reshape(-1, len(names))
    rank = np.linalg.matrix_rank(matrix)
    units = (np.eye(len(names))[names.index(name)] for pair in data["asked"] for name in pair)
    return all(np.linalg.matrix_rank(np.vstack([matrix, unit])) == rank for unit in units)


@pytest.mark.parametrize("difficulty", [0.0, 1.0, 4.0])
def test_what_follows_from_the_facts_is_a_matter_of_rank(difficulty: float) -> None:
    for problem in drawn(difficulty, 150):
        data = dict(problem.data)
        assert is_determined(data) == (problem.category == "answerable"), problem.prompt
        if problem.category == "unanswerable":
            settles = [name for name in data["names"] if is_determined(data, (name,))]
            assert settles == data["accepted"] == what_would_settle(data), problem.prompt
            assert problem.answer.removeprefix("unknown: ") in settles


def test_a_ledger_by_hand() -> None:
    assert what_would_settle(PENS) == PENS["accepted"]
    complete = PENS | {"facts": [*PENS["facts"], ["price of a pen", 5]]}
    assert total(complete["asked"], work_out(complete["facts"], {})) == 27
    backwards = [["price of a book", "price of a pen", 4], ["price of a book", 9]]
    assert work_out(backwards, {})["price of a pen"] == 5


@pytest.mark.parametrize("difficulty", [0.0, 1.0, 4.0])
def test_neither_length_nor_form_tells_the_unanswerable_ones(difficulty: float) -> None:
    features: dict[str, dict[int, Counter]] = defaultdict(lambda: defaultdict(Counter))
    problems = drawn(difficulty, 3000)
    for problem in problems:
        text = problem.prompt
        for name, value in (
            ("length", len(text) // 40), ("sentences", text.count(". ")),
            ("comparisons", sum(len(fact) == 3 for fact in problem.data["facts"])),
            ("terms", len(problem.data["asked"])), ("names", len(problem.data["names"])),
        ):  # fmt: skip
            features[name][value][problem.category] += 1
    for name, groups in features.items():
        guessed = sum(max(group.values()) for group in groups.values()) / len(problems)
        assert guessed < 0.56, (name, guessed)


def test_abstaining_alone_scores_nothing() -> None:
    for problem in drawn(1.0, 200):
        assert UnanswerableEnv.score(problem, "unknown") == 0
        listed = ", ".join(problem.data["names"])
        assert UnanswerableEnv.score(problem, f"unknown: {listed}") == 0


KIND, USELESS = "neither a number nor", "not settle"


@pytest.mark.parametrize(
    ("answers", "fault"),
    [
        (("unknown: price of a pen", "Unknown: the price of a book."), ""),
        (("unknown - price of a pen", "UNKNOWN: `price of a pen`"), ""),
        (("unknown", "unknown: number of pens", "unknown: pen"), USELESS),
        (("price of a pen", ""), KIND), (("27",), "does not follow"),
    ],
)  # fmt: skip
def test_forms_of_an_answer(answers: tuple[str, ...], fault: str) -> None:
    problem = Problem("?", "unknown: price of a pen", category="unanswerable", data=PENS)
    for answer in answers:
        check_fault(UnanswerableEnv, problem, answer, fault)


def test_a_name_belongs_to_one_quantity() -> None:
    for theme in THEMES:
        names = [
            text.format(one=one, many=many)
            for one, many in theme.things for text in (theme.rate, theme.count)
        ]  # fmt: skip
        assert len(set(names)) == len(names)
        assert all(one[0] not in "aeiou" for one, _ in theme.things), "after the article `a`"


@pytest.mark.parametrize("difficulty", [0.0, 1.0, 4.0])
def test_no_place_in_the_list_of_quantities_is_worth_naming(difficulty: float) -> None:
    problems = [p for p in drawn(difficulty, 3000) if p.category == "unanswerable"]
    settled: Counter[int] = Counter()
    for problem in problems:
        listed = problem.prompt.split("Quantities:\n")[1].rstrip(".").split(",")
        listed = [name.strip() for name in listed]
        assert listed == problem.data["names"]
        for place in range(-len(listed), len(listed)):
            settled[place] += listed[place] in problem.data["accepted"]
    assert max(settled.values()) < 0.13 * len(problems)


def test_a_number_may_have_the_unit_of_the_question() -> None:
    units = set()
    for problem in drawn(1.0, 200):
        if problem.category == "answerable":
            unit = problem.prompt.split("How many ")[1].split()[0]
            units.add(unit)
            assert UnanswerableEnv.score(problem, f"{problem.answer} {unit}.") == 1
            for wrong in ("pens", "metres", f"{unit} {unit}", f"or 3 {unit}"):
                assert UnanswerableEnv.score(problem, f"{problem.answer} {wrong}") == 0
            assert UnanswerableEnv.score(problem, f"{int(problem.answer) + 1} {unit}") == 0
    assert units == {"coins", "plants", "parts", "fruits"}


def test_quantities_are_what_the_question_adds_up() -> None:
    """Plants are counted, so that a row has a number of plants: its length would not be known."""
    phrases = {"length of", "weight of", "height of"}
    names = {name for problem in drawn(1.0, 150) for name in problem.data["names"]}
    assert any(name.startswith("number of plants in a") for name in names)
    assert not any(phrase in name for name in names for phrase in phrases)
    for theme in THEMES:  # a fact and its quantity share the word that says what is counted
        counted = {"price": "costs", "speed": "makes", "size": "holds", "number": "has"}
        assert counted[theme.rate.split()[0]] in theme.rate_given.split()
