"""Satisfiability, against enumeration of all assignments."""

from itertools import combinations, product

import numpy as np
import pytest

from helpers.reasoning_problems import draw
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.logic.satisfiability import SatisfiabilityEnv

# a or b; not a or b; a or not b; not a or not b; c
BLOCKED = Problem(
    "", "none: 1, 2, 3, 4",
    data={"letters": ["a", "b", "c"], "clauses": [[1, 2], [-1, 2], [1, -2], [-1, -2], [3]]},
)  # fmt: skip
FREE = Problem("", "", data={"letters": ["a", "b"], "clauses": [[1, 2], [-1, 2]]})


def clauses_in(prompt: str) -> list[list[tuple[str, bool]]]:
    """The clauses, read from the text: letters and the value that makes the clause true."""
    lines = [line.split(". ")[1] for line in prompt.split("\n") if ". " in line and " or " in line]
    return [
        [(part[-1], not part.startswith("not ")) for part in line.split(" or ")]
        for line in lines
        if len(line) < 60
    ]


def can_be_true(clauses: list[list[tuple[str, bool]]]) -> bool:
    letters = sorted({letter for clause in clauses for letter, _ in clause})
    for row in product((True, False), repeat=len(letters)):
        case = dict(zip(letters, row, strict=True))
        if all(any(case[letter] is value for letter, value in clause) for clause in clauses):
            return True
    return False


def is_core(clauses: list[list[tuple[str, bool]]], numbers: list[int]) -> bool:
    chosen = [clauses[number - 1] for number in numbers]
    return not can_be_true(chosen) and all(
        can_be_true([clause for clause in chosen if clause is not left_out]) for left_out in chosen
    )


@pytest.mark.parametrize("difficulty", [0, 1, 3])
def test_answers_are_those_of_all_assignments(difficulty: float) -> None:
    for problem in draw(SatisfiabilityEnv, difficulty, 40):
        clauses = clauses_in(problem.prompt)
        assert len(clauses) == len(problem.data["clauses"])
        assert can_be_true(clauses) is (problem.category == "satisfiable")
        for answer in (problem.answer, SatisfiabilityEnv.solve(problem)):
            if problem.category == "unsatisfiable":
                assert is_core(clauses, [int(n) for n in answer.removeprefix("none: ").split(", ")])
                continue
            case = {name: value == "true" for name, value in (
                part.split(" = ") for part in answer.split(", ")
            )}  # fmt: skip
            assert all(any(case[name] is value for name, value in clause) for clause in clauses)


def test_scores_are_those_of_enumeration_for_every_answer() -> None:
    for problem in draw(SatisfiabilityEnv, 0, 8):
        clauses = clauses_in(problem.prompt)
        letters = problem.data["letters"]
        for row in product((True, False), repeat=3):
            case = dict(zip(letters, row, strict=True))
            right = all(any(case[name] is value for name, value in clause) for clause in clauses)
            text = ", ".join(f"{letter} = {value}" for letter, value in case.items())
            assert SatisfiabilityEnv.score(problem, text) == float(right)
        for size in range(1, len(clauses) + 1):
            for numbers in combinations(range(1, len(clauses) + 1), size):
                right = is_core(clauses, list(numbers))
                text = f"none: {', '.join(map(str, numbers))}"
                assert SatisfiabilityEnv.score(problem, text) == float(right), text


@pytest.mark.parametrize(
    ("problem", "answer", "fault"),
    [
        (BLOCKED, "none: 4, 3, 2, 1", ""),
        (BLOCKED, "None: [1, 2, 3, 4].", ""),
        (BLOCKED, "none: clauses 1, 2, 3 and 4", ""),
        (BLOCKED, "None: Clauses: 1 2 3 4.", ""),
        (BLOCKED, "none: clauses", "list numbers"),
        (BLOCKED, "none: clauses 1, 2", "can all be true"),
        (BLOCKED, "none: causes 1, 2, 3, 4", "list numbers"),
        (BLOCKED, "none", "list numbers"),
        (BLOCKED, "none: 1, 1, 2, 3, 4", "each once"),
        (BLOCKED, "none: 1, 2, 3", "can all be true"),
        (BLOCKED, "none: 1, 2, 3, 4, 5", "without one of them"),
        (BLOCKED, "none: 1, 2, 3, 9", "no clause"),
        (BLOCKED, "none: 0, 1, 2, 3, 4", "no clause"),
        (BLOCKED, "a = true, b = true, c = true", "Clause 4 is false"),
        (FREE, "b: 1, a: false", ""),
        (FREE, "a is true and b is true", ""),
        (FREE, "a = true", "every letter"),
        (FREE, "a = true, b = true, c = true", "every letter"),
        (FREE, "a = 2, b = true", "true and false"),
        (FREE, "a = true, b = false", "Clause 2 is false"),
        (FREE, "none: 1, 2", "can all be true"),
    ],
)
def test_feedback_names_the_fault(problem: Problem, answer: str, fault: str) -> None:
    assert (SatisfiabilityEnv.score(problem, answer) == 1.0) is (fault == "")
    assert fault in SatisfiabilityEnv.explain(problem, answer)


def test_the_number_of_clauses_does_not_tell_the_outcome() -> None:
    for difficulty in (0, 1, 2):
        problems = list(draw(SatisfiabilityEnv, difficulty, 100))
        assert len({len(problem.data["clauses"]) for problem in problems}) == 1
        assert {problem.category for problem in problems} == set(SatisfiabilityEnv.categories)


def broken(clauses: list[list[int]], values: list[int]) -> int:
    """Number of false clauses; a value is 1 or -1."""
    return sum(all(n * values[abs(n) - 1] < 0 for n in clause) for clause in clauses)


@pytest.mark.parametrize("difficulty", [1, 2])
@pytest.mark.parametrize("sign", [1, -1])
def test_counting_signs_finds_no_assignment(difficulty: float, sign: int) -> None:
    """The vote of a letter's occurrences, or against it; also with the best flip of a letter."""
    problems = [p for p in draw(SatisfiabilityEnv, difficulty, 600) if p.category == "satisfiable"]
    voted = repaired = 0
    for problem in problems:
        clauses, count = problem.data["clauses"], len(problem.data["letters"])
        votes = [sum(c.count(n) - c.count(-n) for c in clauses) for n in range(1, count + 1)]
        values = [sign if vote >= 0 else -sign for vote in votes]
        near = [[-v if place == i else v for place, v in enumerate(values)] for i in range(count)]
        voted += broken(clauses, values) == 0
        repaired += min(broken(clauses, one) for one in (values, *near)) == 0
    assert voted < 0.1 * len(problems)
    assert repaired < 0.2 * len(problems)


def test_signs_do_not_tell_the_outcome() -> None:
    """The mean number of literals and how uneven the signs of a letter are."""
    features: dict[str, list[list[float]]] = {name: [] for name in SatisfiabilityEnv.categories}
    for problem in draw(SatisfiabilityEnv, 1, 1500):
        clauses, count = problem.data["clauses"], len(problem.data["letters"])
        votes = [sum(c.count(n) - c.count(-n) for c in clauses) for n in range(1, count + 1)]
        features[problem.category].append([sum(map(len, clauses)), sum(map(abs, votes))])
    one, other = (np.array(rows) for rows in features.values())
    apart = abs(one.mean(axis=0) - other.mean(axis=0)) / np.vstack([one, other]).std(axis=0)
    assert (apart < 0.45).all(), apart
