"""The oracle takes the shorter way round, in both views."""

from typing import Any

import my_task  # noqa: F401  (registers the id)
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import zerogym


def make(**kwargs: Any) -> Any:
    return zerogym.make("my_task/MyTask-v0", **kwargs)


@pytest.mark.parametrize("view", ["numeric", "text"])
@pytest.mark.parametrize(("goal", "steps"), [(1, 0), (3, 2), (8, 1), (6, 3)])
def test_the_oracle_takes_the_shorter_way(view: str, goal: int, steps: int) -> None:
    env = make(task=f"goal_{goal}", view=view, horizon=6)
    env.reset(seed=0)
    rewards = [env.step(env.unwrapped.oracle_action())[1] for _ in range(6)]
    assert sum(rewards) == 6 - max(0, steps - 1)


def test_the_model_is_a_ring() -> None:
    world = make().unwrapped
    assert np.array_equal(world.next_state[0], [0, 7, 1])
    assert world.P.shape == (8, 3, 8)


def test_without_a_task_there_is_no_reward() -> None:
    env = make(task=None)
    env.reset(seed=0)
    assert sum(env.step(env.action_space.sample())[1] for _ in range(5)) == 0
    check_env(make(task="goal_3").unwrapped, skip_render_check=True)
