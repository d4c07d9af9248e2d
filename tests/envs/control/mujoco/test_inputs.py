"""MuJoCo environments: input that is refused, and pictures."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.bodies import each_body, make, rollout, seeded
from zerogym.errors import NoOracle

pytest.importorskip("mujoco", reason="these worlds are simulated by MuJoCo")


@each_body
@pytest.mark.parametrize("force", [(1, 2), (0, np.nan, 0), (0, 0, 1e9), "hard", None])
def test_a_force_is_checked(id: str, force: Any) -> None:
    with pytest.raises(ValueError, match="force must be three numbers"):
        seeded(make(id)).push(force)


@each_body
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


@each_body
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


@each_body
def test_bad_options_are_refused(id: str) -> None:
    env = make(id)
    for start in (np.zeros(3), "up", np.full(env.observation_space.shape, np.nan)):
        with pytest.raises(ValueError, match="start must be an observation"):
            env.reset(options={"start": start})
    first = next(iter(env.measures))
    with pytest.raises(ValueError, match="is nan for a transition"):
        make(id, task=lambda features, action: features[first] * np.nan)
    for goal in ((np.nan, 0.1), (9.0, 9.0), (1.0, 2.0, 3.0), np.full(4, np.inf)):
        with pytest.raises(ValueError, match="goal must be"):
            make(id, task=goal)
    env.reset(seed=0)
    with pytest.raises(NoOracle):
        env.oracle_action()
