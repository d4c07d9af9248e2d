"""The oracle's plan scores 1, and without a look-up it does not."""

from typing import Any

import my_task  # noqa: F401  (registers the id)
import pytest

import zerogym


def make(**kwargs: Any) -> Any:
    return zerogym.make("my_task/MyTask-v0", **kwargs)


@pytest.mark.parametrize("difficulty", [0, 4, 30])
def test_the_plan_scores(difficulty: float) -> None:
    env = make(difficulty=difficulty)
    for seed in range(5):
        env.reset(seed=seed)
        over = False
        while not over:
            _, reward, over, truncated, info = env.step(env.unwrapped.oracle_action())
            assert not truncated
        assert reward == 1.0 and info["tool_calls"] == min(12, 2 + difficulty)


def test_a_price_by_hand() -> None:
    env = make(difficulty=0)
    env.reset(seed=3)
    shop = env.unwrapped.get_state()["episode"].problem
    first, second = (dict(shop.prices)[name] for name in shop.bought)
    says, reward, over, _, _ = env.step(f"I look it up: <price>{shop.bought[0]}</price>")
    assert says == f"{shop.bought[0]}: {first}" and not over and reward == 0
    assert env.step(f"<answer>{first + second}</answer>")[1] == 1.0


def test_nonsense_is_no_call() -> None:
    env = make()
    env.reset(seed=0)
    assert env.step("the price of tea")[4]["void_turn"]
    assert env.step("<price>gold</price>")[0] == "There are no such goods."
    assert env.step("<answer>many</answer>")[1] == 0.0
