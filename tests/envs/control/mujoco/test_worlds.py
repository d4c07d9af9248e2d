"""MuJoCo worlds that are no planar bodies: features, rewards, constants, snapshots, pictures."""

from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as sb3_check_env

import zerogym  # noqa: F401 (registers the ids)
from helpers.bodies import OTHERS, make, seeded, transitions
from zerogym.envs.control.mujoco.line_drawing import draw
from zerogym.errors import UnknownName

mujoco = pytest.importorskip("mujoco", reason="these worlds are simulated by MuJoCo")

each = pytest.mark.parametrize("id", OTHERS)


def rollout(env: Any, steps: int) -> np.ndarray:
    """Observations under fixed actions, each held a while, from where the environment is."""
    rng = np.random.default_rng(3)
    actions = np.repeat(rng.uniform(-1, 1, (steps // 10 + 1, env.model.nu)), 10, axis=0)[:steps]
    return np.array([env.step(action)[0] for action in actions])


def driven(env: Any) -> np.ndarray:
    """400 observations under forces that have a direction: against a wall, where there is one."""
    rng, drift = np.random.default_rng(4), np.resize((0.8, -0.6), env.model.nu)
    return np.array([env.step(drift + rng.uniform(-0.2, 0.2, len(drift)))[0] for _ in range(400)])


def random_states(env: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """States as far from rest as MuJoCo takes them, with quaternions of length 1."""
    rng = np.random.default_rng(0)
    qpos, qvel = rng.normal(0, 1, (count, env.model.nq)), rng.normal(0, 5, (count, env.model.nv))
    for joint in np.flatnonzero(env.model.jnt_type == mujoco.mjtJoint.mjJNT_FREE):
        start = env.model.jnt_qposadr[joint] + 3
        qpos[:, start : start + 4] /= np.linalg.norm(qpos[:, start : start + 4], axis=1)[:, None]
    return qpos, qvel


def simulated(env: Any, qpos: np.ndarray, qvel: np.ndarray) -> dict[str, float]:
    """The features of one state, from MuJoCo."""
    model, data = env.model, mujoco.MjData(env.model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    return MEASURED[env.spec.id](model, data)


def of_ball(model: Any, data: Any) -> dict[str, float]:
    x, y, _ = data.body("ball").xpos
    speed_x, speed_y = velocity(model, data, "ball")[:2]
    return {"x": x, "y": y, "speed_x": speed_x, "speed_y": speed_y}


def of_arm(model: Any, data: Any) -> dict[str, float]:
    x, y, _ = data.body("tip").xpos
    cosine = data.body("arm").xmat[0] * data.body("hand").xmat[0]
    cosine += data.body("arm").xmat[3] * data.body("hand").xmat[3]
    tip_speed = np.linalg.norm(velocity(model, data, "tip"))
    turning = data.body("arm").cvel[2]
    found = {"x": x, "y": y, "tip_speed": tip_speed, "turning": turning}
    return found | {"cosine of bend": cosine}


def of_ant(model: Any, data: Any) -> dict[str, float]:
    torso = data.body("torso")
    axes, moving = torso.xmat.reshape(3, 3), velocity(model, data, "torso")
    turning = np.zeros(6)
    kind, index = mujoco.mjtObj.mjOBJ_XBODY, model.body("torso").id
    mujoco.mj_objectVelocity(model, data, kind, index, turning, 1)
    rates = dict(zip(("roll_rate", "pitch_rate", "yaw_rate"), turning[:3], strict=True))
    speeds = {"speed": moving @ axes[:, 0], "sideways": moving @ axes[:, 1], "climb": moving[2]}
    return {"height": torso.xpos[2], "upright": axes[2, 2]} | speeds | rates


def velocity(model: Any, data: Any, body: str) -> np.ndarray:
    """Of the origin of a body, in the frame of the world."""
    found = np.zeros(6)
    kind, index = mujoco.mjtObj.mjOBJ_XBODY, model.body(body).id
    mujoco.mj_objectVelocity(model, data, kind, index, found, 0)
    return found[3:]


MEASURED = {OTHERS[0]: of_ball, OTHERS[1]: of_arm, OTHERS[2]: of_ant}


@each
def test_features_are_those_of_the_simulator(id: str) -> None:
    env = make(id)
    qpos, qvel = random_states(env, 3000)
    obs = env.observations(qpos, qvel)
    found = dict(env.features(obs))
    if "bend" in found:  # the simulator counts full turns
        found["cosine of bend"] = np.cos(found.pop("bend"))
    rows = [simulated(env, *state) for state in zip(qpos, qvel, strict=True)]
    assert set(rows[0]) == set(found)
    for name, values in found.items():
        assert values.dtype == np.float64
        expected = np.array([row[name] for row in rows])
        np.testing.assert_allclose(values, expected, rtol=2e-6, atol=2e-5, err_msg=name)


@each
def test_torch_measures_and_pays_as_numpy_does(id: str) -> None:
    torch = pytest.importorskip("torch", reason="the same functions on torch tensors")
    env = make(id)
    obs = env.observations(*random_states(env, 1000)).astype(np.float64)
    action = np.random.default_rng(1).uniform(-1, 1, (1000, env.model.nu))
    tensors = [torch.from_numpy(each) for each in (obs, action, obs)]
    for name, values in env.features(tensors[0]).items():
        assert values.dtype == torch.float64
        np.testing.assert_allclose(values.numpy(), env.features(obs)[name], atol=1e-12)
    for task in env.tasks.values():
        paid = task.relabel(*tensors)
        np.testing.assert_allclose(paid.numpy(), task.relabel(obs, action, obs), atol=1e-11)
        single = task.relabel(*(tensor.float() for tensor in tensors))
        assert single.dtype == torch.float32
        near = np.isclose(single.numpy(), paid.numpy(), atol=1e-3)
        assert near.mean() > 0.999, "but at an edge of a reward without margin"


@each
def test_observations_are_states(id: str) -> None:
    env = make(id)
    obs = transitions(env, 500)[2]
    np.testing.assert_allclose(env.observations(*env.states(obs)), obs, rtol=0, atol=1e-6)
    for row in obs[::100]:
        assert env.reset(options={"start": row})[0] == pytest.approx(row, abs=1e-6)
    bad = obs.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="is no observation"):
        env.states(bad)
    with pytest.raises(ValueError, match="must be \\(B, n\\)"):
        env.states(obs[0])


@each
def test_constants_change_the_physics_and_go_back_exactly(id: str) -> None:
    plain, varied = transitions(make(id), 60), {}
    env = make(id)
    for name, constant in env.constants.items():
        context = {name: constant.train[1]}
        env.reset(seed=0, options={"context": context})
        assert env.context == {n: c.default for n, c in env.constants.items()} | context
        varied[name] = driven(env)
        env.reset()
        assert env.context[name] == constant.default, "of one episode"
        np.testing.assert_array_equal(transitions(env, 60)[2], plain[2])
        again = driven(seeded(make(id, context=context)))
        np.testing.assert_array_equal(again, varied[name])
    default = driven(seeded(make(id)))
    for name, found in varied.items():
        assert np.abs(found - default).max() > 1e-3, name
    every = [*varied.values(), default]
    assert len({each.tobytes() for each in every}) == len(every)


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


@each
def test_bad_options_are_refused_in_words(id: str) -> None:
    env = make(id)
    with pytest.raises(UnknownName, match="Did you mean 'mass'"):
        env.reset(options={"context": {"mas": 1.0}})
    for value in (-1.0, np.nan, 1e9, "heavy"):
        with pytest.raises(ValueError, match="mass"):
            make(id, context={"mass": value})
    for start in (np.zeros(3), "up", np.full(env.observation_space.shape, np.nan)):
        with pytest.raises(ValueError, match="start must be an observation"):
            env.reset(options={"start": start})
    with pytest.raises(UnknownName, match="Did you mean"):
        make(id, task=next(iter(env.tasks)) + "x")
    for goal in ((np.nan, 0.1), (9.0, 9.0), (1.0, 2.0, 3.0), np.full(4, np.inf)):
        with pytest.raises(ValueError, match="goal must be"):
            make(id, task=goal)


@each
def test_checkers_accept_it(id: str) -> None:
    for kwargs in ({}, {"task": next(iter(make(id).tasks)), "context": {"mass": 2.0}}):
        check_env(make(id, horizon=20, **kwargs), skip_render_check=True)
        sb3_check_env(make(id, horizon=20, **kwargs))


@each
def test_pictures_show_the_world_and_change_nothing(id: str) -> None:
    env = make(id, render_mode="rgb_array")
    assert env.render() is None, "before reset"
    plain = rollout(seeded(make(id)), 20)
    env.reset(seed=0)
    images = [env.render()]
    np.testing.assert_array_equal(rollout(env, 20), plain)
    rollout(env, 40)
    images.append(env.render())
    flat = draw(env.model, env.data, env.model.camera("side").id, 240, 320)
    for picture in (*images, flat):
        assert picture.shape == (240, 320, 3) and picture.dtype == np.uint8
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) >= 4
    assert (images[0] != images[1]).any(), "it moves"
    env.close()
