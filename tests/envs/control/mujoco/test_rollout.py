"""Batched rollouts on threads: bit for bit what stepping one by one gives."""

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from helpers.control.bodies import each_body
from zerogym.envs.control.mujoco import rollout as mujoco_rollout
from zerogym.envs.control.mujoco.rollout import rollout

pytest.importorskip("mujoco", reason="these worlds are simulated by MuJoCo")


def problem(env: Any, count: int, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Actions, some beyond the limits, and the states of starts of the world."""
    rng = np.random.default_rng(0)
    starts = np.array([env.reset(seed=seed)[0] for seed in range(count)])
    actions = rng.uniform(-1.3, 1.3, (count, steps, *env.action_space.shape))
    return actions, np.hstack(env.unwrapped.states(starts))


def one_by_one(env: Any, actions: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, ...]:
    """The same by `step`."""
    world, ends, observations = env.unwrapped, [], []
    for row, state in zip(actions, states, strict=True):
        env.reset()
        world._mujoco.mj_resetData(world.model, world.data)
        world.data.qpos[:], world.data.qvel[:] = np.split(state, [world.model.nq])
        for action in row:
            observations.append(env.step(action)[0])
            ends.append(np.concatenate([world.data.qpos, world.data.qvel]))
    shape = actions.shape[:2]
    return np.reshape(ends, (*shape, -1)), np.reshape(observations, (*shape, -1))


@each_body
@pytest.mark.parametrize("context", [None, {"mass": 1.5}])
def test_it_equals_stepping_bit_for_bit(id: str, context: dict[str, float] | None) -> None:
    env = gym.make(id, task=None, context=context)
    actions, states = problem(env, 5, 40)
    expected = one_by_one(env, actions, states)
    before = env.unwrapped.get_state()["physics"]
    for threads in (1, 2, 3):
        found = rollout(env, actions, states, threads)
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(env.unwrapped.get_state()["physics"], before)


def test_the_context_of_the_episode_counts() -> None:
    env = gym.make("zerogym/Ant-v0", task=None)
    actions, states = problem(env, 2, 10)
    plain = rollout(env, actions, states)[0]
    env.reset(options={"context": {"gravity": 3.0}})
    light = rollout(env, actions, states)[0]
    assert np.abs(light - plain).max() > 1e-3
    env.reset()
    np.testing.assert_array_equal(rollout(env, actions, states)[0], plain)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    env = gym.make("zerogym/Reacher-v0", task=None)
    actions, states = problem(env, 7, 9)
    whole = rollout(env, actions, states)
    monkeypatch.setattr(mujoco_rollout, "BLOCK", 100)
    for one, other in zip(rollout(env, actions, states), whole, strict=True):
        np.testing.assert_array_equal(one, other)


@each_body
def test_nothing_to_do_is_fine(id: str) -> None:
    env = gym.make(id, task=None)
    actions, states = problem(env, 3, 0)
    for given in ((actions, states), (actions[:0], states[:0])):
        ends, observations = rollout(env, *given)
        assert ends.shape == (len(given[0]), 0, states.shape[1])
        assert observations.shape == (len(given[0]), 0, *env.observation_space.shape)


def test_bad_input_is_refused_in_words() -> None:
    env = gym.make("zerogym/Reacher-v0", task=None)
    actions, states = problem(env, 3, 4)
    broken = actions.copy()
    broken[1, 2, 0] = np.nan
    for bad, match in (
        ((broken, states), "actions must be finite, got nan"),
        ((actions, states + np.inf), "states must be finite"),
        ((actions[:2], states), r"actions must be an array \(3, T, 2\), got shape \(2, 4, 2\)"),
        ((actions, states[:, :3]), r"states must be an array \(B, 4\)"),
        ((actions[0], states), "actions must be"),
        (("left", states), "actions must be"),
    ):
        with pytest.raises(ValueError, match=match):
            rollout(env, *bad)
    for threads in (0, 1.5, True, "all"):
        with pytest.raises(ValueError, match="threads must be"):
            rollout(env, actions, states, threads)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="got PointMazeEnv"):
        rollout(gym.make("zerogym/PointMaze-v0", task=None), actions, states)


def test_an_unstable_simulation_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log
    env = gym.make("zerogym/Ant-v0", task=None)
    actions, states = problem(env, 4, 5)
    states[2, -3:] = 1e9
    with pytest.raises(FloatingPointError, match="simulation 2 has become unstable"):
        rollout(env, actions, states)
