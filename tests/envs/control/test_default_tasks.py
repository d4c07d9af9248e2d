"""The reward of a control environment that is made without `task`."""

import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym
from zerogym.agents.datasets.environments import make_wrapped_env
from zerogym.envs.control.classic.pendulum import PendulumEnv
from zerogym.envs.lookup import reward_free
from zerogym.envs.pages import page

CONTROL = [task for task in zerogym.tasks("control") if "bridge" not in task.tags]


@pytest.mark.parametrize("task", CONTROL, ids=lambda task: task.name)
def test_every_id_has_a_default_task(task: Any) -> None:
    env = gym.make(task.id)
    world: Any = env.unwrapped
    assert world.default_task in {*world.tasks, *world.random_tasks}
    assert "category" in env.reset(seed=0)[1]
    assert "Default task: " in page(type(world))
    free = gym.make(task.id, task=None)
    assert "category" not in free.reset(seed=0)[1]
    assert float(free.step(world.random_action(np.random.default_rng(0)))[1]) == 0.0


def test_the_default_task_is_that_of_its_name() -> None:
    rewards = []
    for given in ({}, {"task": "balance"}, {"task": None}):
        env = gym.make("zerogym/CartPole-v0", **given)
        env.reset(seed=3)
        rewards.append([env.step(env.action_space.low)[1] for _ in range(5)])
    assert rewards[0] == rewards[1] != rewards[2] == [0.0] * 5
    assert env.reset(options={"task": "default"})[1]["category"] == "balance"


def test_defaults_fit_every_layout() -> None:
    for name, layout in (("FourRooms", "u_map"), ("FourRooms", "open_5"), ("PointMaze", "spiral")):
        world: Any = gym.make(f"zerogym/{name}-v0", layout=layout).unwrapped
        assert world.tasks[world.default_task].goal is not None


class Bare(PendulumEnv):
    """A pendulum for which nobody has chosen a reward."""

    default_task = None  # type: ignore[assignment]


def test_a_first_step_without_reward_by_no_ones_choice_warns_once() -> None:
    env = Bare()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="no default task, so every reward is 0"):
        env.step(env.action_space.sample())
    env.step(env.action_space.sample())  # a second warning would be an error here
    for chosen in (Bare(task=None), Bare(task="upright")):
        chosen.reset(seed=0)
        chosen.step(chosen.action_space.sample())
    pinned = Bare()
    pinned.reset(options={"task": "upright"})
    pinned.step(pinned.action_space.sample())


def test_agents_train_on_no_reward() -> None:
    assert reward_free("zerogym:zerogym/Pendulum-v0") == {"task": None}
    assert reward_free("zerogym/ChainSum-v0") == reward_free("gymnasium:CartPole-v1") == {}
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        reward_free("nowhere:Own-v0")
    with warnings.catch_warnings():
        env = make_wrapped_env("zerogym/Pendulum-v0", {}, {})
        assert "category" not in env.reset(seed=0)[1]
    assert "category" in make_wrapped_env("zerogym/Pendulum-v0", {}, {}, "upright").reset()[1]


def test_many_bodies_have_the_default_task() -> None:
    envs = gym.make_vec("zerogym/Hopper-v0", num_envs=2)
    assert list(envs.reset(seed=0)[1]["category"]) == ["hop", "hop"]
    free = gym.make_vec("zerogym/Hopper-v0", num_envs=2, task=None)
    assert "category" not in free.reset(seed=0)[1]
