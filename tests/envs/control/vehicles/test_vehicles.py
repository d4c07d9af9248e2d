"""Contracts of all vehicle environments: rewards, batches, misuse, copies, pictures."""

import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from helpers.transitions import by_action
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.vehicles.quadrotors.physics import draw_vehicles
from zerogym.errors import NoOracle, UnknownName

IDS = ("zerogym/Quadrotor-v0", "zerogym/QuadrotorSwarm-v0", "zerogym/RacingRing-v0")
each_world = pytest.mark.parametrize("id", IDS)


def make(id: str, **kwargs: Any) -> Any:
    return gym.make(id, **kwargs).unwrapped


@each_world
def test_rewards_of_torch_are_those_of_numpy(id: str) -> None:
    torch = pytest.importorskip("torch")
    env = make(id)
    batch = env._transitions()
    wide = [torch.as_tensor(each, dtype=torch.float64) for each in batch]
    for task in env.tasks.values():
        found = task.relabel(*wide).numpy()
        np.testing.assert_allclose(found, task.relabel(*batch), atol=1e-4, err_msg=task.name)


BATCHES: dict[str, tuple[str, dict[str, Any], float]] = {
    IDS[0]: ("hover", draw_vehicles(np.random.default_rng(0), 3), 1.2),
    IDS[1]: ("reach", {"mass": np.array([0.1, 0.5, 2.0])}, 0.5),
    IDS[2]: ("lap", {"grip": np.array([0.4, 1.0, 1.5]), "width": np.full(3, 8.0)}, 0.1),
}


@each_world
def test_a_batch_moves_as_single_environments_and_torch_as_numpy(id: str) -> None:
    torch = pytest.importorskip("torch")
    task, contexts, force = BATCHES[id]
    env, rng = make(id, task=task, horizon=15), np.random.default_rng(0)
    batch, tensors = env.batched(3, contexts=contexts), env.batched(3, "torch", contexts=contexts)
    np.testing.assert_array_equal(batch.reset(seed=4), tensors.reset(seed=4).numpy())
    singles = [
        make(id, task=task, context={name: value[index] for name, value in contexts.items()})
        for index in range(3)
    ]
    for index, single in enumerate(singles):
        single.reset(seed=0)
        single._episode.state = batch.states[index].copy()
        single._episode.observation = batch.observations[index].copy()
    for turn in range(15):
        actions = rng.uniform(-force, force, (3, env.rules.actions)).astype(np.float32)
        steps, same = batch.step(actions), tensors.step(torch.as_tensor(actions))
        for field, other in zip(steps, same, strict=True):
            np.testing.assert_allclose(field, other.numpy(), atol=1e-5)
        for index, single in enumerate(singles):
            obs, reward, terminated, _, info = single.step(actions[index])
            np.testing.assert_allclose(obs, steps.entered[index], atol=1e-5)
            assert reward == pytest.approx(steps.rewards[index], abs=1e-4)
            assert (terminated, info["cost"]) == (steps.terminated[index], steps.costs[index])
        assert steps.truncated.all() == (turn == 14)
    assert not np.allclose(batch.observations, steps.entered), "new episodes have begun"
    np.testing.assert_array_equal(batch.observations, tensors.observations.numpy())


@each_world
def test_rewards_may_be_written_in_features(id: str) -> None:
    env = make(id)
    for name in env.measures:
        found = env.features(env._transitions()[0])[name]
        assert np.isfinite(found).all() and found.shape == (32,), name
    first = next(iter(env.measures))
    _, info = env.reset(options={"task": lambda features, action: 2.0 * features[first]})
    obs, reward, *_ = env.step(env.action_space.sample())
    assert reward == pytest.approx(2.0 * float(env.features(obs[None])[first][0]), rel=1e-6)
    assert info["category"] == "<lambda>"


@each_world
def test_a_batch_may_be_written_into_and_takes_huge_actions_as_single_worlds_do(id: str) -> None:
    task = Task("by_action", "Move.", by_action)
    kept, written = (make(id, task=task).batched(2) for _ in range(2))
    for worlds in (kept, written):
        worlds.reset(seed=0)
    for size in (0.1, -0.2, 1e300):
        actions = np.full((2, kept.rules.actions), size)
        written.observations[:] = 7.0  # as who normalises in place
        steps = written.step(actions)
        np.testing.assert_array_equal(steps.rewards, kept.step(actions).rewards)
        steps.entered[:] = 7.0
    np.testing.assert_array_equal(written.states, kept.states)
    for wrong in ("up", np.full_like(actions, np.inf), actions[0]):
        with pytest.raises(ValueError, match="actions must be"):
            kept.step(wrong)


@each_world
def test_misuse_is_named(id: str) -> None:
    task = next(iter(make(id).tasks))
    with pytest.raises(UnknownName, match=f"Did you mean '{task}'"):
        make(id, task=task[:-1])
    with pytest.raises(UnknownName, match="rgb_array"):
        type(make(id))(render_mode="gif")
    env = make(id)
    env.reset(seed=0)
    with pytest.raises(NoOracle, match="reward-free"):
        env.oracle_action()
    env.reset(options={"task": by_action})
    with pytest.raises(NoOracle, match="by_action"):
        env.oracle_action()


@each_world
def test_a_world_can_be_pickled_in_an_episode_of_any_task(id: str) -> None:
    for task in make(id).tasks:
        env = make(id, task=task)
        env.reset(seed=0)
        env.step(env.oracle_action())
        copy = pickle.loads(pickle.dumps(env))
        np.testing.assert_array_equal(copy.oracle_action(), env.oracle_action())
        for one, other in zip(
            copy.step(env.oracle_action()), env.step(env.oracle_action()), strict=True
        ):
            np.testing.assert_array_equal(one, other)


@each_world
def test_pictures_show_what_has_changed(id: str) -> None:
    env = make(id, render_mode="rgb_array", task=next(iter(make(id).tasks)))
    env.reset(seed=0)
    first = env.render()
    assert first.shape == (240, 240, 3) and first.dtype == np.uint8 and first.std() > 1
    for _ in range(60):
        env.step(env.oracle_action())
    assert (env.render() != first).any()
    assert env.metadata["render_fps"] * env.rules.dt == 1.0, "films are as fast as the world"


def green(env: Any) -> np.ndarray:
    """Return the marked pixels of the picture; (P, 2)."""
    pixels = env.render().astype(int)
    return np.argwhere(pixels[..., 1] - pixels[..., [0, 2]].max(-1) > 40)


def test_pictures_mark_the_goal() -> None:
    def middle(id: str, task: Any, **kwargs: Any) -> np.ndarray:
        env = make(id, render_mode="rgb_array", task=task, **kwargs)
        env.reset(seed=0)
        return green(env).mean(axis=0)

    up, left = middle(IDS[0], "point_front"), middle(IDS[0], "hover")
    assert up[0] < left[0] - 10 and up[1] > left[1] + 10
    here = np.array([[-2.0, 1.0, 1.0], [-2.0, -1.0, 1.0]])
    behind, before = (middle(IDS[1], sign * here, vehicles=2) for sign in (1, -1))
    assert behind[1] < 120 < before[1] and behind[0] < before[0]
    near, far = (middle(IDS[2], (laps, 0.0), rivals=0) for laps in (0.1, 0.5))
    assert np.abs(near - far).max() > 10


def test_the_line_on_the_ring_is_where_the_episode_begins() -> None:
    env = make(IDS[2], render_mode="rgb_array", rivals=0)
    for seed in range(3):
        env.reset(seed=seed)
        car = np.argwhere((env.render() == (200, 40, 40)).all(-1)).mean(axis=0)
        assert np.abs(green(env).mean(axis=0) - car).max() < 12
