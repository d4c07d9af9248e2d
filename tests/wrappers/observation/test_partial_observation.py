"""Sensors that fail: how often, how much, and that the world itself does not notice."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from helpers.control.worlds import make
from zerogym.wrappers import (
    FlickeringObservation,
    HiddenColumns,
    MissingSensors,
    NoisyObservation,
)

WRAPPERS = (FlickeringObservation, MissingSensors, NoisyObservation, HiddenColumns)
each_wrapper = pytest.mark.parametrize("wrap", WRAPPERS)
STEPS = 3000


def observed(env: Any, steps: int = STEPS, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Observations with a wrapper, and those of the bare world for the same random actions."""
    rng, rows, exact = np.random.default_rng(1), [env.reset(seed=seed)[0]], []
    exact.append(env.unwrapped._episode.observation)
    for _ in range(steps):
        obs, *_ = env.step(rng.uniform(-1, 1, 1).astype(np.float32))
        assert obs.dtype == np.float32 and env.observation_space.contains(obs)
        rows.append(obs)
        exact.append(env.unwrapped._episode.observation)
    return np.array(rows), np.array(exact)


@each_wrapper
def test_the_world_and_its_rewards_stay_the_same(wrap: Any) -> None:
    def rewards_of(env: Any) -> list[float]:
        rewards = []
        for seed in (3, None, None):
            env.reset(seed=seed)
            rewards += [env.step([0.7])[1] for _ in range(40)]
        return rewards

    rewards = rewards_of(make("Pendulum", task="upright"))
    assert rewards_of(wrap(make("Pendulum", task="upright"))) == rewards and len(set(rewards)) > 20


def test_flickering_loses_a_fifth_of_the_observations() -> None:
    rows, exact = observed(FlickeringObservation(make(horizon=10_000)))
    lost = ~rows.any(axis=1)
    assert 0.17 < lost.mean() < 0.23
    np.testing.assert_array_equal(rows[~lost], exact[~lost])
    pairs = (lost[1:] & lost[:-1]).mean()
    assert 0.03 < pairs < 0.05, "one does not depend on the last"


def test_missing_sensors_lose_a_fifth_of_the_numbers() -> None:
    rows, exact = observed(MissingSensors(make(horizon=10_000)))
    lost = (rows == 0) & (exact != 0)
    assert (np.abs(lost.mean(axis=0) - 0.2) < 0.03).all()
    assert (np.abs(np.corrcoef(lost.T) - np.eye(5)) < 0.1).all(), "each on its own"
    np.testing.assert_array_equal(rows[~lost], exact[~lost])


@pytest.mark.parametrize("deviation", [0.2, 0.0, [0.1, 0.2, 0.3, 0.4, 0.5]])
def test_noise_is_gaussian(deviation: Any) -> None:
    rows, exact = observed(NoisyObservation(make(horizon=10_000), deviation))
    noise = rows - exact
    expected = np.broadcast_to(deviation, 5)
    assert (np.abs(noise.mean(axis=0)) <= 0.08 * expected + 1e-6).all()
    np.testing.assert_allclose(noise.std(axis=0), expected, rtol=0.08, atol=1e-6)
    if deviation == 0.2:
        np.testing.assert_allclose(np.mean(noise**4), 3 * 0.2**4, rtol=0.2)


def test_velocities_are_left_out() -> None:
    for name, kept in (("CartPole", 3), ("Pendulum", 2), ("Acrobot", 4), ("MountainCar", 1)):
        rows, exact = observed(HiddenColumns(make(name)), 20)
        np.testing.assert_array_equal(rows, exact[:, :kept])
    rows, exact = observed(HiddenColumns(make(), columns=[0, 2]), 20)
    np.testing.assert_array_equal(rows, exact[:, [1, 3, 4]])


def test_probabilities_of_nothing_and_of_all() -> None:
    for wrap in (FlickeringObservation, MissingSensors):
        rows, exact = observed(wrap(make(), 0.0), 20)
        np.testing.assert_array_equal(rows, exact)
        assert not observed(wrap(make(), 1.0), 20)[0].any()


def test_two_of_a_kind_fail_on_their_own() -> None:
    rows, _ = observed(FlickeringObservation(FlickeringObservation(make(horizon=10_000))))
    assert 0.32 < (~rows.any(axis=1)).mean() < 0.40  # 1 - 0.8 ** 2


def test_without_any_seed_it_follows_from_the_worlds_generator() -> None:
    def rows() -> list[np.ndarray]:
        world = make()
        world.reset(seed=6)
        env = NoisyObservation(world)
        return [env.reset()[0], env.step([0.0])[0]]

    np.testing.assert_array_equal(rows(), rows())


def test_what_does_not_fit_is_refused_in_words() -> None:
    for wrap in WRAPPERS:
        with pytest.raises(TypeError, match=f"{wrap.__name__} needs vectors as observations"):
            wrap(gym.make("zerogym/FourRooms-v0", task=None, view="text"))
    for columns in ([5], [-1], [], [0, 1, 2, 3, 4], [0.9], [0, 0.5]):
        with pytest.raises(ValueError, match="columns must be some, not all"):
            HiddenColumns(make(), columns)
    with pytest.raises(ValueError, match="the world names no `velocities`"):
        HiddenColumns(gym.make("zerogym/PointMaze-v0", task=None))
