"""Classic worlds in one vector environment: bit for bit what Gymnasium's makes of single ones."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import zerogym  # noqa: F401 (registers the ids)
from helpers.control.vector_steps import same, walk
from zerogym.envs.control.classic.vector_env import ClassicVectorEnv

NAMES = ("CartPole", "Pendulum", "Acrobot", "MountainCar")
COUNT, HORIZON = 3, 7
each = pytest.mark.parametrize("name", NAMES)


def both(name: str, **kwargs: Any) -> tuple[ClassicVectorEnv, gym.vector.VectorEnv]:
    """Ours and Gymnasium's."""
    made = {"horizon": HORIZON, **kwargs}
    ours = gym.make_vec(f"zerogym/{name}-v0", num_envs=COUNT, **made)
    assert isinstance(ours, ClassicVectorEnv)
    return ours, gym.make_vec(f"zerogym/{name}-v0", COUNT, "sync", **made)


@each
@pytest.mark.parametrize("anywhere", [False, True])
def test_several_episodes_are_those_of_single_worlds(name: str, anywhere: bool) -> None:
    ours, theirs = both(name, horizon=50, anywhere=anywhere)  # with the default task
    for attribute in ("single_observation_space", "observation_space", "action_space", "metadata"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)
    same(ours.reset(seed=5), theirs.reset(seed=5))
    found = walk(ours, theirs, 130)
    assert [n for n, step in enumerate(found) if step[3].all()] == [49, 100]


@each
def test_a_goal_is_reached_in_the_same_step(name: str) -> None:
    start = gym.make(f"zerogym/{name}-v0").reset(seed=1)[0]
    ours, theirs = both(name, task=start)
    options = {"start": start}
    same(ours.reset(seed=[4, None, 9], options=dict(options)),
         theirs.reset(seed=[4, None, 9], options=dict(options)))  # fmt: skip
    [found, *_] = walk(ours, theirs, HORIZON)
    assert found[4]["_success"].all()


def test_some_may_begin_anew_with_another_task_and_other_constants() -> None:
    ours, theirs = both("CartPole", context={"pole_length": 0.8})
    same(ours.reset(seed=0), theirs.reset(seed=0))
    walk(ours, theirs, 3)
    mask = np.array([False, True, False])
    for task in ("spin_left", None, lambda obs, action, next_obs: next_obs[:, 0] * action[:, 0]):
        options = {"reset_mask": mask, "task": task, "context": {"gravity": 5.0}}
        same(ours.reset(seed=8, options=dict(options)), theirs.reset(seed=8, options=dict(options)))
        walk(ours, theirs, 2 * HORIZON)


def test_each_world_may_have_its_own_constants() -> None:
    contexts = [{}, {"gravity": 4.0}, {"force": 12.0, "dt": 0.03}]
    id = "zerogym/CartPole-v0"
    ours = gym.make_vec(id, num_envs=3, horizon=HORIZON, context=contexts)
    theirs = gym.vector.SyncVectorEnv(
        [
            lambda context=context: gym.make(id, horizon=HORIZON, context=context)
            for context in contexts
        ]
    )
    same(ours.reset(seed=0), theirs.reset(seed=0))
    walk(ours, theirs, 2 * HORIZON)


def test_misuse_is_refused_in_words() -> None:
    ours, _ = both("Pendulum")
    with pytest.raises(ResetNeeded, match="zerogym/Pendulum-v0: call reset"):
        ours.step(np.zeros((3, 1)))
    ours.reset(seed=0)
    for bad in (np.zeros((2, 1)), "left", np.full((3, 1), np.nan), None):
        with pytest.raises(ValueError, match=r"actions must be \(3, 1\) finite numbers"):
            ours.step(bad)
    with pytest.raises(ValueError, match="1 contexts for 3 worlds"):
        gym.make_vec("zerogym/Pendulum-v0", num_envs=3, context=[{}])
