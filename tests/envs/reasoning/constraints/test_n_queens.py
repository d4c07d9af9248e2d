"""N queens against the enumeration of all placings."""

from itertools import permutations

import numpy as np
import pytest

from helpers.reasoning_problems import check_fault, draw_problems
from zerogym.envs.reasoning.constraints.n_queens import NQueensEnv, complete
from zerogym.envs.reasoning.core import Problem


def placings(size: int) -> list[tuple[int, ...]]:
    """All placings of queens by enumeration."""
    return [
        columns
        for columns in permutations(range(1, size + 1))
        if len({c + r for r, c in enumerate(columns)}) == size
        and len({c - r for r, c in enumerate(columns)}) == size
    ]


def test_queens_are_completed_exactly_where_it_is_possible() -> None:
    everything = {size: placings(size) for size in (4, 5, 6, 7)}
    assert [len(found) for found in everything.values()] == [2, 10, 4, 40]
    rng = np.random.default_rng(0)
    possible = 0
    for _ in range(300):
        size = int(rng.integers(4, 8))
        given = [int(rng.integers(1, size + 1)) if rng.random() < 0.3 else 0 for _ in range(size)]
        if not independent(given):
            continue
        fitting = [
            p for p in everything[size] if all(g in (0, c) for g, c in zip(given, p, strict=True))
        ]
        columns, steps = complete(given)
        assert bool(columns) == bool(fitting)
        assert not columns or tuple(columns) in fitting
        assert not columns or len(steps) == given.count(0)
        possible += bool(columns)
    assert possible > 20


def independent(given: list[int]) -> bool:
    queens = [(row, column) for row, column in enumerate(given) if column]
    lines = [{c for _, c in queens}, {r + c for r, c in queens}, {r - c for r, c in queens}]
    return all(len(line) == len(queens) for line in lines)


def test_every_correct_placing_of_queens_scores_and_no_other() -> None:
    problem = Problem("", "", data={"given": [0] * 6})
    right = set(placings(6))
    for columns in permutations(range(1, 7)):
        score = NQueensEnv.score(problem, str(list(columns)))
        assert score == float(columns in right)
    for drawn in draw_problems(NQueensEnv, 0.0, count=20):
        given = drawn.data["given"]
        for columns in placings(7):
            fits = all(g in (0, c) for g, c in zip(given, columns, strict=True))
            assert NQueensEnv.score(drawn, " ".join(map(str, columns))) == float(fits)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("1, 2", "not a list of 4"), ("2, 4, 1, 5", "no column 5"), ("1, 3, 2, 4", "given queen"),
        ("2, 4, 1, 1", "attack"), ("2, 4, 3, 1", "attack"), ("2, 4, 1, 3", ""),
    ],
)  # fmt: skip
def test_faults_of_queens_are_named(answer: str, fault: str) -> None:
    check_fault(NQueensEnv, Problem("", "", data={"given": [2, 0, 0, 0]}), answer, fault)
