"""LinearEquations against substitution in the text and numpy's linear algebra."""

import re
from fractions import Fraction

import numpy as np
import pytest

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.mathematics.linear_equations import LinearEquationsEnv
from zerogym.envs.reasoning.mathematics.linear_systems import eliminate, read_row, write_sum

LEVELS = [0, 1, 2.5, 4, 12, 1e9]


def with_values(side: str, values: dict[str, Fraction]) -> Fraction:
    """Python evaluates one side of an equation with the unknowns replaced."""
    side = re.sub(r"(?<=\d)(?=[a-z(])", "*", side)
    return Fraction(eval(side, {"__builtins__": {}}, dict(values)))


@pytest.mark.parametrize("difficulty", LEVELS)
def test_the_solution_satisfies_the_equations_in_the_prompt(difficulty: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        problem = LinearEquationsEnv.sample(rng, difficulty)
        pairs = [pair.split(" = ") for pair in problem.answer.split(", ")]
        values = {name: Fraction(value) for name, value in pairs}
        lines = problem.prompt.split(":")[1].split("Give")[0].strip().split("\n")
        assert lines == problem.data["equations"] and len(lines) == len(values)
        for line in lines:
            left, right = (with_values(side, values) for side in line.split("="))
            assert left == right, (line, values)


@pytest.mark.parametrize("difficulty", LEVELS)
def test_the_solution_is_the_only_one(difficulty: float) -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        problem = LinearEquationsEnv.sample(rng, difficulty)
        unknowns = problem.data["unknowns"]
        rows = [[float(v) for v in read_row(e, unknowns)] for e in problem.data["equations"]]
        matrix = np.array(rows)
        assert abs(np.linalg.det(matrix[:, :-1])) > 0.5, "integers: 0 or at least 1"
        found = np.linalg.solve(matrix[:, :-1], matrix[:, -1])
        answer = [float(Fraction(pair.split(" = ")[1])) for pair in problem.answer.split(", ")]
        assert np.allclose(found, answer, rtol=1e-6, atol=1e-6)


def test_difficulty_adds_terms_unknowns_and_denominators() -> None:
    rng = np.random.default_rng(2)
    easy = [LinearEquationsEnv.sample(rng, 0) for _ in range(300)]
    assert not any("/" in p.answer or "(" in p.data["equations"][0] for p in easy)
    assert {len(p.data["unknowns"]) for p in easy} == {1, 2}
    hard = [LinearEquationsEnv.sample(rng, 4) for _ in range(300)]
    assert {len(p.data["unknowns"]) for p in hard} == {1, 4}
    assert any("(" in p.data["equations"][0] for p in hard)
    denominators = {v.denominator for p in hard for v in map(value_of, p.answer.split(", "))}
    assert denominators == {1, 2, 3, 4, 5}


def value_of(assignment: str) -> Fraction:
    return Fraction(assignment.split(" = ")[1])


SYSTEM = Problem(
    "", "x = 3, y = -1/2", data={"equations": ["x + 2y = 2", "x - 2y = 4"], "unknowns": "xy"}
)
ONE = Problem("", "x = 3/4", data={"equations": ["4x = 3"], "unknowns": "x"})


@pytest.mark.parametrize(
    ("problem", "answer"),
    [(SYSTEM, "x = 3, y = -1/2"), (SYSTEM, "y=-0.5, x=3"), (SYSTEM, "x = 3 and y = -1 / 2"),
     (SYSTEM, "X: 6/2\nY: -2/4"), (SYSTEM, "$x = 3$, $y = -1/2$."),
     (SYSTEM, "x = 3, and y = -0.5"),
     (ONE, "x = 3/4"), (ONE, "3/4"), (ONE, "0.75"), (ONE, "6 / 8"), (ONE, "x = .75")],
)  # fmt: skip
def test_solutions_are_right_in_any_form(problem: Problem, answer: str) -> None:
    assert LinearEquationsEnv.score(problem, answer) == 1


@pytest.mark.parametrize(
    ("problem", "answer"),
    [(SYSTEM, "x = 3"), (SYSTEM, "x = -1/2, y = 3"), (SYSTEM, "x = 3, y = -1/2, z = 0"),
     (SYSTEM, "3, -1/2"), (SYSTEM, "x = 3, y = -0.49"), (SYSTEM, "x = 3, x = 4, y = -1/2"),
     (SYSTEM, ""), (SYSTEM, "x = y"), (ONE, "y = 3/4"), (ONE, "x = 3"), (ONE, "4/3"), (ONE, "x"),
     (ONE, "x = 1 or x = 3/4"), (ONE, " " * 4000 + "/"), (ONE, "x = " * 1000)],
)  # fmt: skip
def test_what_is_no_solution_scores_nothing(problem: Problem, answer: str) -> None:
    assert LinearEquationsEnv.score(problem, answer) == 0


def test_explanations_name_a_broken_equation() -> None:
    explain = LinearEquationsEnv.explain
    assert explain(SYSTEM, "x = 2, y = 0") == "The answer does not satisfy x - 2y = 4."
    assert explain(SYSTEM, "x = 0, y = 0") == "The answer does not satisfy x + 2y = 2."
    assert explain(SYSTEM, "x = 3") == "The answer does not give each unknown one value."


@pytest.mark.parametrize(
    ("equation", "row"),
    [
        ("2x - y = 3", [2, -1, 3]),
        ("-(x + 1) = 2(y - 3) - y", [-1, -1, -5]),
        ("10 = 5x", [-5, 0, -10]),
        ("x - x + 0y = 0", [0, 0, 0]),
    ],
)
def test_equations_are_read(equation: str, row: list[int]) -> None:
    assert read_row(equation, "xy") == row


def test_elimination_swaps_rows_and_refuses_what_is_not_unique() -> None:
    assert eliminate([[0, 2, 4], [3, 0, 9]], "xy")[1] == [3, 2]
    for rows in ([[1, 1, 2], [2, 2, 4]], [[1, 1, 2], [1, 1, 3]]):
        with pytest.raises(ValueError, match="not unique"):
            eliminate(rows, "xy")


def test_sums_are_written_as_people_do() -> None:
    assert write_sum([(1, "x"), (-1, "y"), (0, "z"), (12, "")]) == "x - y + 12"
    assert write_sum([(-1, ""), (1, "x")]) == "-1 + x"
    assert write_sum([(0, "x")]) == "0"
