"""The MuJoCo worlds: what they refuse, what checkers say, pictures."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from helpers.bodies import each, make, rollout, seeded
from zerogym.envs.control.mujoco.line_drawing import draw
from zerogym.errors import NoOracle, UnknownName

pytest.importorskip("mujoco", reason="these worlds are simulated by MuJoCo")


@each
@pytest.mark.parametrize("force", [(1, 2), (0, np.nan, 0), (0, 0, 1e9), "hard", None])
def test_a_force_is_checked(id: str, force: Any) -> None:
    with pytest.raises(ValueError, match="force must be three numbers"):
        seeded(make(id)).push(force)


@each
@pytest.mark.parametrize("action", [np.nan, [np.inf], "left", None, {}, 0.0])
def test_an_action_is_checked(id: str, action: Any) -> None:
    env = seeded(make(id))
    size = env.model.nu
    given = np.full(size, action) if isinstance(action, float) and action != 0 else action
    before = env.get_state()["physics"]
    for bad in (given, np.zeros(size + 1), np.zeros((1, size))):
        with pytest.raises(ValueError, match=rf"action must be an array \({size},\)"):
            env.step(bad)
    np.testing.assert_array_equal(env.get_state()["physics"], before)
    env.step(np.full(size, 5.0))
    np.testing.assert_array_equal(env.data.ctrl, 1.0)


@each
def test_bad_options_are_refused_in_words(id: str) -> None:
    env = make(id)
    with pytest.raises(UnknownName, match="Did you mean 'gravity'"):
        env.reset(options={"context": {"gravit": 1.0}})
    for value in (-1.0, np.nan, 1e9, "heavy"):
        with pytest.raises(ValueError, match="gravity"):
            make(id, context={"gravity": value})
    for start in (np.zeros(3), "up", np.full(env.observation_space.shape, np.nan)):
        with pytest.raises(ValueError, match="start must be an observation"):
            env.reset(options={"start": start})
    with pytest.raises(UnknownName, match="Did you mean"):
        make(id, task=next(iter(env.tasks)) + "x")
    with pytest.raises(ValueError, match="is nan for a transition"):
        make(id, task=lambda features, action: features["height"] * np.nan)
    with pytest.raises(NoOracle, match="nobody knows"):
        env.oracle_action()


@each
def test_an_unstable_simulation_is_an_error(
    id: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log
    env = seeded(make(id))
    env.data.qvel[:] = 1e9
    with pytest.raises(FloatingPointError, match="unstable"):
        rollout(env, 5)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(np.zeros(env.model.nu))


@each
def test_checkers_accept_it(id: str) -> None:
    for kwargs in ({}, {"task": next(iter(make(id).tasks)), "context": {"mass": 2.0}}):
        check_env(make(id, horizon=20, **kwargs), skip_render_check=True)


@each
def test_pictures_show_the_body_and_change_nothing(id: str) -> None:
    env = make(id, render_mode="rgb_array")
    assert env.render() is None, "before reset"
    plain = rollout(seeded(make(id)), 20)
    env.reset(seed=0)
    rng, seen = np.random.default_rng(3), []
    for _ in range(20):
        image = env.render()
        seen.append(env.step(rng.uniform(-1, 1, env.model.nu))[0])
    np.testing.assert_array_equal(np.array(seen), plain)
    flat = draw(env.model, env.data, env.model.camera("side").id, 240, 320)
    for picture in (image, flat):
        assert picture.shape == (240, 320, 3) and picture.dtype == np.uint8
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) >= 4
    env.close()
