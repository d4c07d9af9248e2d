"""Worlds as pictures: what is on them, that they are equal everywhere, and learned from."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3 import PPO
from stable_baselines3.common.preprocessing import is_image_space

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.control.mujoco import render
from zerogym.wrappers import ImageView, get_state, set_state
from zerogym.wrappers.observation.image_view import resized

NAMES = ("FourRooms", "PointMaze", "TwoRooms", "CartPole", "Walker", "Ant", "Reacher", "MiniGrid")
each_world = pytest.mark.parametrize("name", NAMES)


def make(name: str, **kwargs: Any) -> Any:
    return gym.make(f"zerogym/{name}-v0", render_mode="rgb_array", **kwargs)


def film(env: Any, seed: int, steps: int = 6) -> np.ndarray:
    rng, frames = np.random.default_rng(0), [env.reset(seed=seed)[0]]
    for _ in range(steps):
        frames.append(env.step(env.unwrapped.random_action(rng))[0])
    return np.array(frames)


@each_world
@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version")
def test_every_world_is_an_environment_of_pictures(name: str) -> None:
    env = ImageView(make(name), 24)
    check_env(env, skip_render_check=True)
    assert is_image_space(env.observation_space)
    first = film(env, 1)
    assert first.shape == (7, 24, 24, 3) and first.dtype == np.uint8
    np.testing.assert_array_equal(film(ImageView(make(name), 24), 1), first)
    assert any(not np.array_equal(film(env, seed), first) for seed in range(2, 6))
    assert any(not np.array_equal(first[0], frame) for frame in first[1:]), "it shows what moves"
    env.reset(seed=1)
    state = get_state(env)
    action = env.unwrapped.random_action(np.random.default_rng(0))
    frame = env.step(action)[0]
    set_state(env, state)
    np.testing.assert_array_equal(env.step(action)[0], frame)


def test_no_opengl_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> Any:
        raise AssertionError("a renderer was made")

    monkeypatch.setattr(render, "renderer", refuse)
    monkeypatch.setattr("zerogym.envs.control.mujoco.base.renderer", refuse)
    assert len(np.unique(film(ImageView(make("Walker"), 32), 0))) > 5


@pytest.mark.parametrize(("height", "width", "size"), [(48, 40, 16), (9, 7, 8), (5, 6, 16)])
def test_a_pixel_is_the_mean_of_its_area(height: int, width: int, size: int) -> None:
    picture = np.random.default_rng(0).integers(0, 256, (height, width, 3)).astype(np.uint8)
    fine = np.repeat(np.repeat(picture.astype(np.int64), size, axis=0), size, axis=1)
    blocks = fine.reshape(size, height, size, width, 3).sum(axis=(1, 3))
    np.testing.assert_array_equal(resized(picture, size), blocks // (height * width))


def test_a_picture_of_the_right_size_is_left_alone() -> None:
    env = ImageView(make("PointMaze", task="goal_left"), 240)
    np.testing.assert_array_equal(env.reset(seed=0)[0], env.render())


def test_grey_is_brightness() -> None:
    colour, grey = (
        ImageView(make("CartPole"), 32, grayscale=flag).reset(seed=0)[0].astype(int)
        for flag in (False, True)
    )
    assert grey.shape == (32, 32, 1)
    np.testing.assert_allclose(grey[..., 0], colour @ [0.299, 0.587, 0.114], atol=1.0)


def test_the_state_may_stay_beside_the_picture() -> None:
    both, alone = ImageView(make("Walker"), 16, beside=True), ImageView(make("Walker"), 16)
    obs, picture, state = both.reset(seed=3)[0], alone.reset(seed=3)[0], make("Walker")
    np.testing.assert_array_equal(obs["image"], picture)
    np.testing.assert_array_equal(obs["state"], state.reset(seed=3)[0])


@pytest.mark.parametrize("name", ["PointMaze", "Pendulum", "Walker", "TwoRooms"])
def test_stored_observations_look_as_they_did(name: str) -> None:
    context = {} if name == "PointMaze" else {"context": {"mass": 0.6}}
    options = {"context": {"door": 40}} if name == "TwoRooms" else context
    task = {"PointMaze": "goal_left", "TwoRooms": "goal_left"}.get(name)
    env = ImageView(make(name, task=task), 32, beside=True)
    obs, _ = env.reset(seed=2, options=options)
    rows, rng = [obs], np.random.default_rng(0)
    for _ in range(5):
        rows.append(env.step(env.unwrapped.random_action(rng))[0])
    before = get_state(env)
    found = env.images([row["state"] for row in rows])
    expected = np.array([row["image"] for row in rows]).astype(int)
    # A body's place along the floor is no part of an observation, and stored ones are rounded.
    apart = np.abs(found.astype(int) - expected).reshape(6, -1)
    assert (apart > 0).mean() < (0.02 if name == "Walker" else 1e-6)
    after = [env.step(env.unwrapped.random_action(np.random.default_rng(1)))[0] for _ in range(2)]
    set_state(env, before)
    again = [env.step(env.unwrapped.random_action(np.random.default_rng(1)))[0] for _ in range(2)]
    for one, other in zip(after, again, strict=True):
        np.testing.assert_array_equal(one["image"], other["image"], "the episode did not notice")


def test_a_picture_is_of_the_present_moment() -> None:
    env, other = (ImageView(make("Cheetah"), 128) for _ in range(2))
    env.reset(seed=0)
    other.reset(seed=1)
    for turn in range(8):
        frame = env.step(np.full(6, (-1.0) ** (turn // 2), dtype=np.float32))[0]
        set_state(other, get_state(env))
        other.unwrapped._mujoco.mj_forward(other.unwrapped.model, other.unwrapped.data)
        np.testing.assert_array_equal(other._picture(other.unwrapped), frame)


def test_what_does_not_fit_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="made with render_mode='rgb_array', not None"):
        ImageView(gym.make("zerogym/Walker-v0", task=None))
    with pytest.raises(ValueError, match="not 'ansi'"):
        ImageView(gym.make("zerogym/PointMaze-v0", task=None, render_mode="ansi"))
    for size in (7, 0, -3, 64.0, True):
        with pytest.raises(ValueError, match=r"size must be a whole number in \[8, 10000\]"):
            ImageView(make("Pendulum"), size)  # type: ignore[arg-type]


@pytest.mark.parametrize("beside", [False, True])
def test_stable_baselines_takes_the_pictures(beside: bool) -> None:
    env = ImageView(make("Walker", task="stand", horizon=16), 36, beside=beside)
    policy = "MultiInputPolicy" if beside else "CnnPolicy"
    agent = PPO(policy, env, n_steps=16, batch_size=16, n_epochs=1, device="cpu", seed=0)
    agent.learn(16)
    assert env.action_space.contains(agent.predict(env.reset(seed=0)[0])[0])
