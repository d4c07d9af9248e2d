"""Properties of every registered `ToolWorld`, on a few seeds; each world's own tests take more."""

import importlib

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from helpers.sandbox.attack_range import needs_sandbox
from helpers.tools.plans import check_expert, play_calls
from zerogym.envs.registry import TASKS
from zerogym.envs.tools.calls import FORMATS
from zerogym.envs.tools.world import ToolWorld


def is_world(task) -> bool:
    module, _, name = task.target.partition(":")
    if not module.startswith("tools."):
        return False
    return issubclass(getattr(importlib.import_module(f"zerogym.envs.{module}"), name), ToolWorld)


WORLDS = [
    pytest.param(task.id, marks=[needs_sandbox] if "sandbox" in task.tags else [])
    for task in TASKS
    if is_world(task)
]


@pytest.mark.parametrize("env_id", WORLDS)
def test_the_expert_in_each_format(env_id: str) -> None:
    for seed, name in enumerate(FORMATS):
        env = gym.make(env_id, format=name).unwrapped
        check_expert(env, seed)
        assert all(tool.description and tool.name for tool in env.tools)
        env.close()


@pytest.mark.parametrize("env_id", WORLDS)
def test_a_superfluous_call_costs_what_is_stated(env_id: str) -> None:
    env = gym.make(env_id, call_cost=0.125).unwrapped
    env.reset(seed=11)
    plan = list(env.expert_plan())
    _, info = play_calls(env, 11, plan)
    assert info["score"] == 1.0
    reward, info = play_calls(env, 11, [plan[0], *plan])
    assert reward == info["score"] - 0.125
    env.close()


@pytest.mark.parametrize("env_id", WORLDS)
def test_an_episode_branches_at_every_result(env_id: str) -> None:
    env, other = gym.make(env_id).unwrapped, gym.make(env_id).unwrapped
    env.reset(seed=5)
    other.reset(seed=6)
    over = False
    while not over:
        state, action = env.get_state(), env.oracle_action()
        text, reward, over, cut, info = env.step(action)
        other.set_state(state)
        assert other.oracle_action() == action
        assert other.step(action)[:4] == (text, reward, over, cut)
    assert info["score"] == 1.0
    env.close()
    other.close()


@pytest.mark.parametrize("env_id", WORLDS)
def test_random_replies_seldom_score(env_id: str) -> None:
    env, rng, scores = gym.make(env_id), np.random.default_rng(0), []
    for seed in range(12):
        env.reset(seed=seed)
        over = False
        while not over:
            _, _, terminated, truncated, info = env.step(env.unwrapped.random_action(rng))
            over = terminated or truncated
        scores.append(info.get("score", 0.0))
    assert np.mean(scores) < 0.6 and min(scores) < 1.0
    env.close()
