"""Single steps in plain numbers: to the last bit what batches of arrays give."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.control.core import scalars
from zerogym.envs.control.core.arrays import Single, columns, namespace
from zerogym.envs.control.core.contexts import SPLITS
from zerogym.envs.control.core.tasks import Decay, Task, tolerance

CLASSIC = ("CartPole", "Pendulum", "Acrobot", "MountainCar")


@pytest.mark.parametrize("name", CLASSIC)
def test_a_live_world_moves_as_a_batch_does(name: str) -> None:
    rng = np.random.default_rng(0)
    env: Any = gym.make(f"zerogym/{name}-v0", anywhere=True).unwrapped
    for split in SPLITS:
        context = {key: constant.draw(rng, split) for key, constant in env.constants.items()}
        env.reset(seed=0, options={"context": context})
        states, actions, observed = [env._episode.state], [], []
        for _ in range(200):
            actions.append(rng.uniform(-1.2, 1.2, 1).astype(np.float32))
            observed.append(env.step(actions[-1])[0])
            states.append(env._episode.state)
        given = np.clip(np.array(actions, dtype=np.float64)[:, 0], -1.0, 1.0)
        moved = env.advance(np.array(states[:-1]), given, env.context)
        np.testing.assert_array_equal(moved, states[1:])
        np.testing.assert_array_equal(env.observations(moved), observed)


@pytest.mark.parametrize("decay", ["gaussian", "linear", "quadratic"])
@pytest.mark.parametrize("margin", [0.0, 0.7])
def test_tolerance_of_a_number_is_that_of_an_array(decay: Decay, margin: float) -> None:
    values = np.random.default_rng(0).uniform(-3, 3, 5000)
    for bounds in ((-0.5, 1.0), (1.0, np.inf)):
        found = [tolerance(value, bounds, margin, decay) for value in values.tolist()]
        assert {type(each) for each in found} == {float}
        assert tolerance(values, bounds, margin, decay).tolist() == found
    with pytest.raises(ValueError, match="bounds must be"):
        tolerance(0.5, (1.0, 0.0), margin, decay)


def test_functions_of_numbers_are_those_of_arrays() -> None:
    values = np.random.default_rng(1).normal(0, 20, 5000)
    for name in ("sin", "cos"):
        found = [getattr(scalars, name)(value) for value in values.tolist()]
        assert getattr(np, name)(values).tolist() == found
    for high in (3.0, None):
        found = [scalars.clip(value, -1.0, high) for value in values.tolist()]
        assert np.clip(values, -1.0, high).tolist() == found
    assert namespace(0.5) is scalars
    assert namespace(np.float64(0.5)) is namespace(values) is np
    assert columns(Single((1.0, 2.0))) == (1.0, 2.0)


def test_a_reward_in_plain_numbers_that_is_not_finite_names_its_task() -> None:
    class Broken:
        of_single = True

        def __call__(self, obs: Any, action: Any, next_obs: Any) -> Any:
            return next_obs[0] * np.inf

    one = np.ones(2, dtype=np.float32)
    with pytest.raises(ValueError, match="reward of task 'broken' is inf"):
        Task("broken", "Break.", Broken()).reward_of(one, one, one)
