"""Reasoning tasks: extraction of answers, exact numbers, and the answers of two generators."""

import itertools
import re
from fractions import Fraction

import gymnasium as gym
import numpy as np
import pytest

from zerogym.envs.reasoning.answers import extract_answer, parse_number
from zerogym.envs.reasoning.arithmetic.countdown import CountdownEnv
from zerogym.envs.reasoning.arithmetic.random_calculation import RandomCalculationEnv
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.expressions import ExpressionError, parse_expression
from zerogym.errors import UnknownName

TASKS = (RandomCalculationEnv, CountdownEnv)


@pytest.mark.parametrize(
    ("reply", "answer", "found"),
    [
        ("<answer>4</answer>", "4", "tag"),
        ("<answer>1</answer> no, <answer> 2 </answer> ok", "2", "tag"),
        ("<answer>4", "<answer>4", "line"),
        ("</answer>7<answer>", "</answer>7<answer>", "line"),
        (r"so \boxed{\frac{1}{2}} is it", r"\frac{1}{2}", "boxed"),
        (r"\boxed{1} and <answer>2</answer>", "2", "tag"),
        (r"\boxed{never closed", r"\boxed{never closed", "line"),
        ("thinking\n\n 42 \n\n", "42", "line"),
        ("So: 2 + 3.\nThe answer is 5.", "5.", "line"),
        ("**Final answer:** 5", "5", "line"),
        ("Answer: **5**", "5", "line"),
        ("The answer is", "The answer is", "line"),
        (r"<answer>\boxed{5}</answer>", "5", "tag"),
        ("<answer>**yes**</answer>", "yes", "tag"),
        ("<answer>```text\n1 2\n3 4\n```</answer>", "1 2\n3 4", "tag"),
        ("<answer>$\\boxed{x = 1}$.</answer>", "x = 1", "tag"),
        ("<answer>$1$, $2$</answer>", "$1$, $2$", "tag"),
        (r"<answer>\boxed{1} or \boxed{2}</answer>", r"\boxed{1} or \boxed{2}", "tag"),
        ("<answer>**1** or **2**</answer>", "**1** or **2**", "tag"),
        ("<answer>$</answer>", "$", "tag"),
        ("<answer>****</answer>", "****", "tag"),
        ("", "", "none"),
        (" \n\t ", "", "none"),
    ],
)
def test_where_the_answer_stands(reply: str, answer: str, found: str) -> None:
    assert extract_answer(reply) == (answer, found)


NUMBERS = {  # each with its forms
    "7": "7; +7; 007; 7.",
    "-7": "-7; \u22127",
    "5/2": "2.50",
    "1/2": ".5; 50%",
    "1234567": "1,234,567",
    "1500": r"1.5e3; 1.5 \times 10^3",
    "1/50": "2E-2; 2 * 10^(-2)",
    "3/4": r"3/4; 6/8; \frac{3}{4}",
    "-3/4": "-3 / 4",
    "1/4": "0.5/2",
    "12": "$12$",
    "5": "2 + 3 = 5",
    "-1/2": r"x = -1/2.; -\dfrac12",
    "1/8": r"12.5\%",
    "-3/1000": r"\(\frac{-3}{1,000}\)",
    "7/3": "2 1/3",
    "-7/3": r"-2\frac{1}{3}",
    "-3/2000": "-1.5 × 10⁻³",
    "10000": r"10\,000",
}
NO_NUMBERS = (
    r"; ;-;.;e5;1e;12 apples;1 2;1,23;1/0;1/2/3;\frac{1}{0};\frac{1}{2}x;\frac{1}{\frac{1}{2}};"
    r"1 3/2;1 1/0;2 \times 3;2 * 10^x;1 \times 10^{99999};5%%;5 × 10⁻;--1;0x10;١٢;½;nan;inf;2**3;"
    r"1e99999999;1_000;None"
)


def test_numbers_are_read_exactly() -> None:
    for value, forms in NUMBERS.items():
        assert {parse_number(form) for form in forms.split("; ")} == {Fraction(value)}, forms


def test_what_is_no_number_is_refused() -> None:
    for text in (*NO_NUMBERS.split(";"), "9" * 100_000, "\x00", "\ud800", "1\n2"):
        assert parse_number(text) is None, text


def _with_pythons_own_parser(expression: str) -> Fraction:
    """An independent oracle: Python evaluates the generator's own text with Fraction leaves."""
    return eval(re.sub(r"(\d+)", r"Fraction(\1)", expression), {"Fraction": Fraction})


@pytest.mark.parametrize("difficulty", [0, 1, 2.5, 8, 30])
def test_random_calculation_agrees_with_pythons_own_arithmetic(difficulty: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        problem = RandomCalculationEnv.sample(rng, difficulty)
        exact = _with_pythons_own_parser(problem.data["expression"])
        assert Fraction(problem.answer) == exact
        assert Fraction(RandomCalculationEnv.solve(problem)) == exact
        assert problem.solution.endswith(f"= {exact}")


def test_random_calculation_accepts_equal_values_and_nothing_else() -> None:
    problem = Problem("Calculate 1 / 8.", "1/8", data={"expression": "1 / 8"})
    for answer in ("1/8", "0.125", "2/16", "1 / 8 = 0.125", "1.25e-1"):
        assert RandomCalculationEnv.score(problem, answer) == 1
    for answer in ("0.12", "0.1250001", "-1/8", "8", "an eighth", "1 / 8 = 8"):
        assert RandomCalculationEnv.score(problem, answer) == 0


def test_expressions_associate_as_in_python() -> None:
    for text in ("1 - 2 - 3", "8 / 4 / 2", "2 - (3 - 4)", "2 * (3 + 4) * 5", "-3 - -2"):
        assert parse_expression(text).value == _with_pythons_own_parser(text)


NO_EXPRESSIONS = "|1 +|(1|1)|1 2|2 ** 3|9**9**9**9|1/0|1/(2-2)|a|__import__('os')|1.5|1;2|\x001|１"


def test_hostile_expressions_are_refused() -> None:
    long = ("(" * 100_000, "-" * 200 + "1", "1+" * 5000 + "1", "9" * 1000)
    for text in (*NO_EXPRESSIONS.split("|"), *long):
        with pytest.raises(ExpressionError):
            parse_expression(text)


def _values(numbers: tuple[int, ...]) -> set[Fraction]:
    """Every value that uses all the numbers once, by splitting the multiset in all ways."""
    if len(numbers) == 1:
        return {Fraction(numbers[0])}
    found: set[Fraction] = set()
    for size in range(1, len(numbers)):
        for chosen in itertools.combinations(range(len(numbers)), size):
            left = _values(tuple(numbers[i] for i in chosen))
            right = _values(tuple(n for i, n in enumerate(numbers) if i not in chosen))
            for x, y in itertools.product(left, right):
                found |= {x + y, x - y, x * y} | ({x / y} if y else set())
    return found


def test_countdown_solver_agrees_with_enumeration() -> None:
    numbers = [2, 3, 7]
    reachable = {int(v) for v in _values((2, 3, 7)) if v.denominator == 1 and 1 <= v <= 60}
    for target in range(1, 61):
        problem = Problem("", "", data={"numbers": numbers, "target": target})
        if target in reachable:
            assert _with_pythons_own_parser(CountdownEnv.solve(problem)) == target
        else:
            with pytest.raises(ValueError, match="no solution"):
                CountdownEnv.solve(problem)


def test_countdown_scores_any_right_expression() -> None:
    problem = Problem("", "", data={"numbers": [2, 4, 8], "target": 24})
    right = "(8 - 2) * 4; 4*(8-2)=24; 4 × (8 − 2); (8 - 2) * 4 = 24.; (8 - 2) * 4."
    wrong = "24; 8 * 2 + 4 + 4; 8 * 4 - 2 * 4; 8 + 4 * 2; (8 - 2) * 4 = 25; 8 * 4 / 2 + 8; 82 - 4"
    for answers, score in ((right, 1), (f"{wrong}; print(24)", 0)):
        for answer in answers.split("; "):
            assert CountdownEnv.score(problem, answer) == score, answer
            assert (CountdownEnv.explain(problem, answer) == "") == bool(score)


@pytest.mark.parametrize("task", TASKS)
def test_difficulty_makes_problems_larger(task: type) -> None:
    def numbers_in_prompts(difficulty: float) -> int:
        rng = np.random.default_rng(2)
        prompts = [task.sample(rng, difficulty).prompt for _ in range(200)]
        return sum(len(re.findall(r"\d+", prompt)) for prompt in prompts)

    sizes = [numbers_in_prompts(d) for d in (0, 0.5, 1, 2, 3)]
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1]


@pytest.mark.parametrize(
    "wrong", [-1, float("nan"), float("inf"), "hard", (2, 1), (1, 2, 3), None, True]
)
def test_wrong_difficulties_are_named(wrong: object) -> None:
    env = RandomCalculationEnv()
    with pytest.raises(ValueError, match="difficulty"):
        env.reset(options={"difficulty": wrong})


def test_wrong_names_suggest_the_nearest() -> None:
    env = RandomCalculationEnv()
    with pytest.raises(UnknownName, match="Did you mean 'difficulty'"):
        env.reset(options={"dificulty": 1})
    with pytest.raises(ValueError, match="split"):
        RandomCalculationEnv(split="validation")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="category"):
        RandomCalculationEnv(category="sums")


def test_a_pair_of_difficulties_draws_from_the_range() -> None:
    env = gym.make("zerogym/RandomCalculation-v0", difficulty=(0, 3))
    drawn = [env.reset(seed=seed)[1]["difficulty"] for seed in range(50)]
    assert min(drawn) < 0.5 and max(drawn) > 2.5 and all(0 <= d <= 3 for d in drawn)


def test_the_answer_appears_only_when_the_episode_has_ended() -> None:
    env = CountdownEnv()
    _, info = env.reset(seed=0)
    assert "answer" not in info
    assert env.step("no idea")[4]["answer"]
    with pytest.raises(RuntimeError, match="over"):
        env.step("again")
