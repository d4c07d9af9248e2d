"""Rewards that have an id of their own, for libraries whose argument `task` is the id."""

import gymnasium as gym
import numpy as np
import pytest

import zerogym
from zerogym.envs.lookup import find_task, full_id, reward_free
from zerogym.envs.registry import TASKS, WITH_REWARD, Task


@pytest.mark.parametrize("task", WITH_REWARD, ids=lambda task: task.name)
def test_the_id_is_that_of_a_named_reward_of_the_world(task: Task) -> None:
    if "mujoco" in task.target:
        pytest.importorskip("mujoco")
    env = gym.make(task.id).unwrapped
    reward = task.kwargs["task"]
    assert reward in env.tasks and env.task_of(reward).name == reward
    assert env.reset(seed=0)[1]["category"] == reward
    env.close()


def test_it_is_the_world_with_that_argument() -> None:
    rng = np.random.default_rng(5)
    actions = rng.uniform(-1, 1, (30, 1)).astype(np.float32)

    def rewards(env: gym.Env) -> list[float]:
        env.reset(seed=3)
        return [float(env.step(action)[1]) for action in actions]

    own = rewards(gym.make("zerogym/CartPoleSpinLeft-v0"))
    assert own == rewards(zerogym.make("CartPole", task="spin_left"))
    assert own != rewards(zerogym.make("CartPole"))
    assert own == rewards(zerogym.make("cart_pole_spin_left"))
    # An argument has the last word, also the one that takes the reward away.
    assert rewards(gym.make("zerogym/CartPoleSpinLeft-v0", task=None)) == [0.0] * 30


def test_names_are_found_in_any_spelling_and_listed_with_their_world_only() -> None:
    assert full_id("walker_run") == "zerogym/WalkerRun-v0"
    assert find_task("zerogym/CartPoleHang-v0").kwargs == {"task": "hang"}
    assert reward_free("zerogym/PendulumHang-v0") == {"task": None}
    listed = {task.id for task in zerogym.tasks("control")}
    assert not listed & {task.id for task in WITH_REWARD}
    assert len({task.id for task in (*TASKS, *WITH_REWARD)}) == len(TASKS) + len(WITH_REWARD)


def test_a_vector_of_them_has_that_reward() -> None:
    envs = gym.make_vec("zerogym/PendulumHang-v0", 3, vectorization_mode="vector_entry_point")
    single = zerogym.make("Pendulum", task="hang")
    envs.reset(seed=[4, 5, 6])
    single.reset(seed=5)
    actions = np.full((3, 1), 0.5, np.float32)
    found = [float(envs.step(actions)[1][1]) for _ in range(20)]
    assert found == [float(single.step(actions[1])[1]) for _ in range(20)]
    assert len(set(found)) > 1
