"""All MuJoCo bodies: rewards without a simulator, and snapshots that go on bit for bit."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from helpers.control.bodies import OTHERS, PLANAR, each_body, make, rollout, seeded, transitions
from zerogym.envs.control.core.tasks import Task
from zerogym.wrappers.observation.partial_observation import HiddenColumns


@pytest.mark.parametrize("count", [200, pytest.param(100_000, marks=pytest.mark.proof)])
@each_body
def test_relabelled_rewards_equal_streamed_ones_exactly(id: str, count: int) -> None:
    """Check the rewards of every task along one stream of transitions against stored ones."""
    env, streamed_rows = make(id), []
    tasks = {**env.tasks, **of_ours(env)}

    def every(obs: np.ndarray, action: np.ndarray, next_obs: np.ndarray) -> np.ndarray:
        if len(obs) == 1:  # a live step
            one = obs[0], action[0], next_obs[0]
            streamed_rows.append([task.reward_of(*one) for task in tasks.values()])
            if len(streamed_rows) % 100 == 0:
                alone = [task.relabel(obs, action, next_obs)[0] for task in tasks.values()]
                assert streamed_rows[-1] == alone, "in plain numbers as in arrays of one"
        return np.zeros(len(obs))

    obs, action, next_obs, _ = transitions(env, count, every)
    streamed = np.array(streamed_rows)
    assert streamed.shape == (count, len(tasks))
    for index, (name, task) in enumerate(tasks.items()):
        stored = task.relabel(obs, action, next_obs)
        np.testing.assert_array_equal(stored, streamed[:, index], err_msg=task.name)
        assert name == "mixed" or (stored.min() >= 0 and stored.max() <= 1)


def of_ours(env: Any) -> dict[str, Task]:
    """A goal, a sum of products, and a user's function."""
    first, second, *_ = env.tasks.values()
    goal = env._resolve(env.reset(seed=5)[0])
    mixed = first * second - 0.5 * goal + 1.0
    assert all(task.reward.of_single for task in (first, goal, mixed))
    return {"goal": goal, "mixed": mixed, "user": Task("user", "Move.", by_action)}


def by_action(obs: np.ndarray, action: np.ndarray, next_obs: np.ndarray) -> np.ndarray:
    """Return the reward of an action, for batches only."""
    assert action.ndim == 2 and obs.shape == next_obs.shape
    return (action**2).mean(axis=1)


@pytest.mark.parametrize("id", (*PLANAR, OTHERS[2]))
def test_snapshots_in_contact_go_on_from_the_same_guess_of_the_solver(id: str) -> None:
    """Contact forces are found step by step, from those of the step before."""
    env, touching = seeded(make(id)), 0
    for _ in range(30):
        rollout(env, 3)
        guess, state = env.data.qacc_warmstart.copy(), env.get_state()
        first = rollout(env, 10)
        env.set_state(state)
        np.testing.assert_array_equal(env.data.qacc_warmstart, guess)
        touching += env.data.ncon > 0
        np.testing.assert_array_equal(rollout(env, 10), first)
    assert touching >= 10


@each_body
def test_one_observation_is_that_of_a_batch_bit_for_bit(id: str) -> None:
    env, rng = seeded(make(id)), np.random.default_rng(1)
    for _ in range(500):
        env.data.qpos[:] = rng.normal(0, 2, env.model.nq)
        env.data.qvel[:] = rng.normal(0, 9, env.model.nv)
        batch = env.observations(env.data.qpos[None], env.data.qvel[None])
        one = env._observe(env.data.qpos.tolist(), env.data.qvel.tolist())
        np.testing.assert_array_equal(one, batch[0])


@each_body
def test_velocities_are_those_columns_that_depend_on_them_alone(id: str) -> None:
    env = make(id)
    rng, qpos = np.random.default_rng(0), np.tile(env.model.qpos0, (50, 1))
    rows = env.observations(qpos, rng.normal(0, 1, (50, env.model.nv)))
    moving = np.flatnonzero((rows != rows[0]).any(axis=0))
    assert tuple(moving) == env.velocities
    still = HiddenColumns(gym.make(id))
    assert still.reset(seed=0)[0].shape == (rows.shape[1] - len(moving),)
