"""Contracts of all vehicle environments: rewards, batches, misuse, copies, pictures."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from helpers.control.transitions import by_action
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.vehicles.quadrotors.physics import draw_vehicles

IDS = ("zerogym/Quadrotor-v0", "zerogym/QuadrotorSwarm-v0", "zerogym/RacingRing-v0")
each_world = pytest.mark.parametrize("id", IDS)


def make(id: str, **kwargs: Any) -> Any:
    return gym.make(id, **{"task": None, **kwargs}).unwrapped


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


def green(env: Any) -> np.ndarray:
    """Return the marked pixels of the picture; (P, 2)."""
    pixels = env.render().astype(int)
    return np.argwhere(pixels[..., 1] - pixels[..., [0, 2]].max(-1) > 40)


def test_pictures_mark_the_goal() -> None:
    for id in IDS:
        assert make(id).metadata["render_fps"] * make(id).rules.dt == 1.0, "films run in real time"

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
