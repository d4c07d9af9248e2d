"""The arguments of RandomCalculation hold what they name, and its default problems never change."""

import ast
import hashlib
import re

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.reasoning.arithmetic.random_calculation import RandomCalculationEnv
from zerogym.envs.reasoning.core import Problem


def problems(count: int = 100, difficulty: float = 6, **arguments: object) -> list[Problem]:
    env = RandomCalculationEnv(difficulty, **arguments)  # type: ignore[arg-type]
    found = []
    for seed in range(count):
        env.reset(seed=seed)
        found.append(env.get_state()["episode"].problem)
    return found


def expressions(**arguments: object) -> list[str]:
    return [problem.data["expression"] for problem in problems(**arguments)]  # type: ignore[arg-type]


def depth_of(node: ast.AST) -> int:
    if isinstance(node, ast.Expression):
        return depth_of(node.body)
    if isinstance(node, ast.BinOp):
        return 1 + max(depth_of(node.left), depth_of(node.right))
    return 0


def test_the_default_problems_are_those_of_the_shipped_models() -> None:
    rng = np.random.default_rng(3)
    levels = (0, 0.5, 1, 2.5, 4, 20)
    drawn = [RandomCalculationEnv.sample(rng, level) for level in levels for _ in range(50)]
    text = "\n".join(f"{problem.prompt} {problem.answer}" for problem in drawn)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "64106ece4aa05306"


@pytest.mark.parametrize("operators", ["+", "-", "*", "/", "+-", "*/", "-/", "/+"])
def test_only_the_given_operators_are_drawn(operators: str) -> None:
    texts = expressions(operators=operators, max_operand=9)
    assert set(re.findall(r"[-+*/]", "".join(texts))) == set(operators)


def test_any_operator_at_any_difficulty() -> None:
    texts = expressions(difficulty=0, operators="*/")
    assert set(re.findall(r"[-+*/]", "".join(texts))) == {"*", "/"}


@pytest.mark.parametrize("largest", [1, 7, 10**9])
def test_operands_end_at_the_given_one(largest: int) -> None:
    numbers = [
        int(n) for text in expressions(max_operand=largest) for n in re.findall(r"\d+", text)
    ]
    assert max(numbers) <= largest and max(numbers) > largest / 2 and min(numbers) < largest / 2


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_operations_nest_as_deep_as_given(depth: int) -> None:
    depths = [depth_of(ast.parse(t, mode="eval")) for t in expressions(max_depth=depth)]
    assert max(depths) == depth
    assert max(depth_of(ast.parse(t, mode="eval")) for t in expressions()) > 5


def test_a_depth_limits_the_number_of_operators() -> None:
    texts = expressions(difficulty=1e9, max_depth=3)
    assert {len(re.findall(r"[-+*/]", text)) for text in texts} == {7}


@pytest.mark.parametrize("operators", ["/", "*/", "-/"])
def test_drawing_ends_where_most_divisors_are_zero(operators: str) -> None:
    for problem in problems(20, 1e9, operators=operators, max_operand=1):
        assert RandomCalculationEnv.score(problem, RandomCalculationEnv.solve(problem)) == 1


@pytest.mark.parametrize(
    "arguments",
    [{"operators": ""}, {"operators": "+^"}, {"max_operand": 0}, {"max_operand": 10**9 + 1},
     {"max_depth": 0}],
)  # fmt: skip
def test_arguments_out_of_range_are_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments))):
        RandomCalculationEnv(**arguments)  # type: ignore[arg-type]


def test_the_arguments_work_through_gymnasium() -> None:
    env = gym.make("zerogym/RandomCalculation-v0", operators="+", max_operand=3, difficulty=0)
    assert re.match(r"Calculate [0-3] \+ [0-3]\.", env.reset(seed=0)[0])
