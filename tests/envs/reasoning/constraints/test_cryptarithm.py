"""Cryptarithms against the enumeration of all digits."""

from itertools import permutations

import pytest

from helpers.reasoning_problems import check_fault, draw_problems
from zerogym.envs.reasoning.constraints.cryptarithm import CryptarithmEnv, solutions
from zerogym.envs.reasoning.core import Problem


def all_digits(words: list[str], known: dict[str, int]) -> list[dict[str, int]]:
    """Solutions of a cryptarithm by trying all assignments of the letters that are not given."""
    letters = sorted(set("".join(words)) - set(known))
    found = []
    for digits in permutations(sorted(set(range(10)) - set(known.values())), len(letters)):
        value = known | dict(zip(letters, digits, strict=True))
        numbers = [int("".join(str(value[a]) for a in word)) for word in words]
        if all(value[word[0]] for word in words) and sum(numbers[:-1]) == numbers[-1]:
            found.append(value)
    return found


def test_send_more_money() -> None:
    found = list(solutions(["SEND", "MORE", "MONEY"], {}))
    assert found == [{"S": 9, "E": 5, "N": 6, "D": 7, "M": 1, "O": 0, "R": 8, "Y": 2}]


@pytest.mark.parametrize(
    "words",
    [["AB", "A", "CC"], ["AB", "BA", "CAC"], ["AA", "BB", "CBC"], ["ABC", "AB", "BDD"],
     ["A", "B", "C", "DD"], ["AB", "AB", "AB", "CDA"], ["ABA", "A", "ABB"]],
)  # fmt: skip
def test_the_cryptarithm_solver_finds_what_enumeration_finds(words: list[str]) -> None:
    expected = all_digits(words, {})
    found = list(solutions(words, {}))
    assert len(found) == len(expected)
    assert all(solution in expected for solution in found)
    for solution in expected[:3]:
        letter = words[0][0]
        given = {letter: solution[letter]}
        assert len(list(solutions(words, given))) == len(all_digits(words, given))


def test_a_drawn_cryptarithm_has_one_solution_by_enumeration() -> None:
    for problem in draw_problems(CryptarithmEnv, 0.0, 0.5, count=12):
        words = [*problem.data["addends"], problem.data["total"]]
        (found,) = all_digits(words, problem.data["known"])
        listed = ", ".join(f"{a}={d}" for a, d in found.items())
        assert CryptarithmEnv.score(problem, listed) == 1.0


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("12", "not a list"), ("A=1, B=2", "exactly the letters"), ("A=1, B=2, C=x", "a digit"),
        ("A=1, B=1, C=2", "same digit"), ("A=2, B=9, C=8", "A is 1"), ("A=1, B=0, C=2", "begins"),
        ("A=1, B=7, C=2", "is not"), ("a = 1, b: 8, C -> 9", ""),
    ],
)  # fmt: skip
def test_faults_of_a_cryptarithm_are_named(answer: str, fault: str) -> None:
    """AB + A = AC with A given; B at the front of the second addend."""
    data = {"addends": ["AB", "A"], "total": "AC", "known": {"A": 1}}
    if fault == "begins":
        data = {"addends": ["AB", "B"], "total": "AC", "known": {"A": 1}}
    check_fault(CryptarithmEnv, Problem("", "", data=data), answer, fault)
