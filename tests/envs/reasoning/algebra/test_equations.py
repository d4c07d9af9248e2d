"""LinearEquations and Polynomials against values of the text in the prompt, and numpy."""

import re
from fractions import Fraction

import numpy as np
import pytest

from helpers.reasoning_problems import check_scores, draw
from zerogym.envs.reasoning.algebra.linear_equations import LinearEquationsEnv
from zerogym.envs.reasoning.algebra.linear_systems import eliminate, read_row, write_sum
from zerogym.envs.reasoning.algebra.polynomials import PolynomialsEnv
from zerogym.envs.reasoning.algebra.univariate import (
    divide,
    parse_polynomial,
    rational_roots,
    write_polynomial,
)
from zerogym.envs.reasoning.core import Problem

LEVELS = [0, 1, 2.5, 4, 12, 1e9]


def with_values(side: str, values: dict[str, Fraction]) -> Fraction:
    """Python evaluates one side of an equation with the unknowns replaced."""
    side = re.sub(r"(?<=\d)(?=[a-z(])", "*", side)
    side = re.sub(r"(\d+)/(\d+)", r"Fraction(\1, \2)", side)
    return Fraction(eval(side, {"Fraction": Fraction}, dict(values)))


@pytest.mark.parametrize("difficulty", LEVELS)
def test_the_solution_satisfies_the_equations_in_the_prompt(difficulty: float) -> None:
    for problem in draw(LinearEquationsEnv, difficulty, 100):
        values = values_of(problem.answer)
        lines = problem.prompt.split(":")[1].split("Give")[0].strip().split("\n")
        assert lines == problem.data["equations"] and len(lines) == len(values)
        for line in lines:
            left, right = (with_values(side, values) for side in line.split("="))
            assert left == right, (line, values)


@pytest.mark.parametrize("difficulty", LEVELS)
def test_the_solution_is_the_only_one(difficulty: float) -> None:
    for problem in draw(LinearEquationsEnv, difficulty, 100, seed=1):
        unknowns = problem.data["unknowns"]
        rows = [[float(v) for v in read_row(e, unknowns)] for e in problem.data["equations"]]
        matrix = np.array(rows)
        assert abs(np.linalg.det(matrix[:, :-1])) > 0.5, "integers: 0 or at least 1"
        found = np.linalg.solve(matrix[:, :-1], matrix[:, -1])
        answer = [float(value) for value in values_of(problem.answer).values()]
        assert np.allclose(found, answer, rtol=1e-6, atol=1e-6)


def test_difficulty_adds_terms_unknowns_and_denominators() -> None:
    rng = np.random.default_rng(2)
    easy = [LinearEquationsEnv.sample(rng, 0) for _ in range(300)]
    assert not any("/" in p.answer or "(" in p.data["equations"][0] for p in easy)
    assert {len(p.data["unknowns"]) for p in easy} == {1, 2}
    hard = [LinearEquationsEnv.sample(rng, 4) for _ in range(300)]
    assert {len(p.data["unknowns"]) for p in hard} == {1, 4}
    assert any("(" in p.data["equations"][0] for p in hard)
    denominators = {v.denominator for p in hard for v in values_of(p.answer).values()}
    assert denominators == {1, 2, 3, 4, 5}


SYSTEM = Problem(
    "", "x = 3, y = -1/2", data={"equations": ["x + 2y = 2", "x - 2y = 4"], "unknowns": "xy"}
)
ONE = Problem("", "x = 3/4", data={"equations": ["4x = 3"], "unknowns": "x"})


def test_solutions_are_right_in_any_form() -> None:
    right = (
        "x = 3, y = -1/2", "y=-0.5, x=3", "x = 3 and y = -1 / 2", "X: 6/2\nY: -2/4",
        "$x = 3$, $y = -1/2$.", "x = 3, and y = -0.5", "(x, y) = (3, -1/2)",
        "$(y,x)=(-1 / 2, 3)$.",
    )  # fmt: skip
    wrong = (
        "(x, y) = (-1/2, 3)", "(x, y) = (3, -1/2, 0)", "(x) = (3)", "(x, x) = (3, -1/2)",
        "(x, z) = (3, -1/2)", "(x, y) = (3, -1/2", "(" + "x," * 2000, "x = 3", "x = -1/2, y = 3",
        "x = 3, y = -1/2, z = 0", "3, -1/2", "x = 3, y = -0.49", "x = 3, x = 4, y = -1/2", "",
        "x = y",
    )  # fmt: skip
    check_scores(LinearEquationsEnv, SYSTEM, right, wrong)
    wrong = ("y = 3/4", "x = 3", "4/3", "x", "x = 1 or x = 3/4", " " * 4000 + "/", "x = " * 1000)
    check_scores(LinearEquationsEnv, ONE, ("x = 3/4", "3/4", "0.75", "6 / 8", "x = .75"), wrong)


def test_explanations_name_a_broken_equation() -> None:
    explain = LinearEquationsEnv.explain
    assert explain(SYSTEM, "x = 2, y = 0") == "The answer does not satisfy x - 2y = 4."
    assert explain(SYSTEM, "x = 0, y = 0") == "The answer does not satisfy x + 2y = 2."
    assert explain(SYSTEM, "x = 3") == "The answer does not give each unknown one value."


def test_equations_are_read() -> None:
    assert read_row("2x - y = 3", "xy") == [2, -1, 3]
    assert read_row("-(x + 1) = 2(y - 3) - y", "xy") == [-1, -1, -5]
    assert read_row("10 = 5x", "xy") == [-5, 0, -10]
    assert read_row("x - x + 0y = 0", "xy") == [0, 0, 0]


def test_elimination_swaps_rows_and_refuses_what_is_not_unique() -> None:
    assert eliminate([[0, 2, 4], [3, 0, 9]], "xy")[1] == [3, 2]
    for rows in ([[1, 1, 2], [2, 2, 4]], [[1, 1, 2], [1, 1, 3]]):
        with pytest.raises(ValueError, match="not unique"):
            eliminate(rows, "xy")


def test_sums_are_written_as_people_do() -> None:
    assert write_sum([(1, "x"), (-1, "y"), (0, "z"), (12, "")]) == "x - y + 12"
    assert write_sum([(-1, ""), (1, "x")]) == "-1 + x"
    assert write_sum([(0, "x")]) == "0"


def at(text: str, x: Fraction | int) -> Fraction:
    """Python evaluates a polynomial, or a product of them, as it stands in the prompt."""
    return with_values(text.replace(")(", ")*(").replace("^", "**"), {"x": Fraction(x)})


@pytest.mark.parametrize("difficulty", LEVELS)
def test_roots_are_all_roots_with_multiplicity(difficulty: float) -> None:
    env = PolynomialsEnv(difficulty=difficulty, category="roots")
    for seed in range(60):
        text = env.reset(seed=seed)[0].removeprefix("Find all roots of ").partition(",")[0]
        problem = env.get_state()["episode"].problem
        roots = [Fraction(root) for root in problem.answer.split(", ")]
        lead = at(text, 1000) / np.prod([1000 - root for root in roots])
        for x in (-3, Fraction(1, 2), 7, 11, 100, -57, 33):  # more points than degrees
            assert at(text, x) == lead * np.prod([x - root for root in roots])
        assert lead.denominator == 1 and len(roots) >= 2


@pytest.mark.parametrize("difficulty", LEVELS)
def test_products_have_the_values_of_the_product(difficulty: float) -> None:
    env = PolynomialsEnv(difficulty=difficulty, category="multiplication")
    for seed in range(60):
        text = env.reset(seed=seed)[0].removeprefix("Multiply ").partition(".")[0]
        answer = env.get_state()["episode"].problem.answer
        assert all(at(answer, x) == at(text, x) for x in range(-4, 5))
        assert env.step(text)[1] == 0, "a product that is not expanded"


@pytest.mark.parametrize("difficulty", LEVELS)
def test_remainders_agree_with_numpys_division(difficulty: float) -> None:
    env = PolynomialsEnv(difficulty=difficulty, category="remainder")
    for seed in range(60):
        env.reset(seed=seed)
        problem = env.get_state()["episode"].problem
        data = problem.data
        rest = np.polynomial.polynomial.polydiv(data["dividend"], data["divisor"])[1]
        answer = [float(value) for value in parse_polynomial(problem.answer) or [0]]
        assert len(answer) < len(data["divisor"])
        assert np.allclose(rest, answer + [0.0] * (len(rest) - len(answer)))
        text = problem.prompt.removeprefix("Divide ").partition(".")[0].split(" by ")
        assert text == [write_polynomial(data["dividend"]), write_polynomial(data["divisor"])]


@pytest.mark.parametrize("difficulty", [0, 1, 2.5, 4])
def test_every_line_of_a_solution_is_true(difficulty: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        problem = PolynomialsEnv.sample(rng, difficulty)
        lines = [line.split(" = ") for line in problem.solution.split("\n") if " = " in line]
        assert lines or difficulty == 0
        for left, right in lines:
            assert all(at(left, x) == at(right, x) for x in (-5, -1, 2, 3)), (left, right)
        problem = LinearEquationsEnv.sample(rng, difficulty)
        values = values_of(problem.answer)
        *lines, answer = problem.solution.split("\n")
        for left, right in (line.split(": ")[-1].split(" = ") for line in lines):
            assert with_values(left, values) == with_values(right, values), (left, right)
        assert answer == problem.answer


def values_of(answer: str) -> dict[str, Fraction]:
    return {name: Fraction(v) for name, v in (pair.split(" = ") for pair in answer.split(", "))}


@pytest.mark.parametrize(
    ("text", "coefficients"),
    [
        ("3x^2 - x + 5", [5, -1, 3]), ("5 - x + 3*x**2", [5, -1, 3]), ("-x", [0, -1]), ("7", [7]),
        ("x² + 1", [1, 0, 1]), ("$x^{2}-1$.", [-1, 0, 1]), ("y = x - 1", [-1, 1]), ("0", []),
        ("1/2x + 0.25", [Fraction(1, 4), Fraction(1, 2)]), ("(1/2)x - 1", [-1, Fraction(1, 2)]),
        ("0x^3 + x", [0, 1]), ("- 2 x ^ 2", [0, 0, -2]), ("−x + 1", [1, -1]), ("2 * x", [0, 2]),
        ("[x + 1]", [1, 1]),
    ],
)  # fmt: skip
def test_polynomials_are_read(text: str, coefficients: list[Fraction]) -> None:
    assert parse_polynomial(text) == tuple(coefficients)


@pytest.mark.parametrize(
    "text",
    ["", " ", "(x + 1)(x - 1)", "x + x", "2x3", "x y", "x^", "x^1000", "x^-1", "1 2", "2x 3", "x x",
     "--x", "x +", "+", "1/0", "x/2", "x^2^2", "3 apples", "x" * 5000, "(" * 3000, "9" * 100, "٣x",
     "x^2 + 3x = ", "-(2)-", "x,1"],
)  # fmt: skip
def test_what_is_no_expanded_polynomial_is_refused(text: str) -> None:
    assert parse_polynomial(text) is None


ROOTS = Problem(
    "", "-3/2, 1, 1", category="roots", data={"polynomial": [3, -4, -1, 2]}
)  # (2x + 3)(x - 1)^2


def test_roots_are_right_in_any_order() -> None:
    right = (
        "1, 1, -1.5", "{-3/2, 1, 1}", "x = 1, x = 1, x = -3/2", "1; 1; -6/4",
        "x = 1 or x = 1 or x = -3/2", "1, 1 and -3/2",
    )  # fmt: skip
    wrong = (
        "1, -3/2", "1, 1, -3/2, -3/2", "1, 1, 3/2", "1", "", "1, one", ", ".join(["1"] * 1000),
        ",,,",
    )  # fmt: skip
    check_scores(PolynomialsEnv, ROOTS, right, wrong)
    assert PolynomialsEnv.explain(ROOTS, "1, 2") == "2 is not a root."
    assert "missing" in PolynomialsEnv.explain(ROOTS, "1, -3/2")
    assert "not a list" in PolynomialsEnv.explain(ROOTS, "none")


def test_products_of_any_size_are_solved() -> None:
    big = 10**15
    data = {"factors": [[-big, 0, 7], [big, -1]]}
    problem = Problem("", "", category="multiplication", data=data)
    assert parse_polynomial(PolynomialsEnv.solve(problem)) == (-(big**2), big, 7 * big, -7)


def test_the_rational_root_theorem() -> None:
    assert rational_roots([0, 0, 0, 1]) == [0, 0, 0]
    assert rational_roots([-2, 0, 1]) == [], "irrational"
    assert rational_roots([3, -4, -1, 2]) == [Fraction(-3, 2), 1, 1]
    assert rational_roots([-1, 0, 4]) == [Fraction(-1, 2), Fraction(1, 2)]
    assert divide([1, 2], [0, 0, 1]) == ([], [[1, 2]]), "the divisor has the greater degree"
