"""MuJoCo environments: exact features, rewards without a simulator, constants, pushes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.control.bodies import (
    OTHERS,
    PLANAR,
    each,
    each_body,
    make,
    random_states,
    rollout,
    seeded,
    transitions,
)
from zerogym.envs.control.mujoco.locomotion.planar_base import planar_body

mujoco = pytest.importorskip("mujoco", reason="these worlds are simulated by MuJoCo")


def exact_observations(env: Any, qpos: np.ndarray, qvel: np.ndarray) -> np.ndarray:
    """Observations in float64."""
    height = qpos[:, 1] + planar_body(env.file).rest_height
    pose = [height, np.sin(qpos[:, 2]), np.cos(qpos[:, 2])]
    return np.concatenate([np.stack(pose, axis=1), qpos[:, 3:], qvel], axis=1)


def of_planar(model: Any, data: Any) -> dict[str, float]:
    mujoco.mj_subtreeVel(model, data)
    heights = {f"{model.body(b).name}_height": data.xipos[b, 2] for b in range(1, model.nbody)}
    return heights | {
        "height": data.xpos[1, 2],
        "upright": data.xmat[1, 8],
        "front_up": data.xmat[1, 6],
        "pitch_rate": data.cvel[1, 1],
        "speed": data.subtree_linvel[1, 0],
        "climb": data.subtree_linvel[1, 2],
        "angular_momentum": data.subtree_angmom[1, 1],
    }


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
    """Return the velocity of the origin of a body, in the frame of the world."""
    found = np.zeros(6)
    kind, index = mujoco.mjtObj.mjOBJ_XBODY, model.body(body).id
    mujoco.mj_objectVelocity(model, data, kind, index, found, 0)
    return found[3:]


MEASURED = dict.fromkeys(PLANAR, of_planar) | dict(
    zip(OTHERS, (of_ball, of_arm, of_ant), strict=True)
)


@pytest.mark.parametrize("count", [600, pytest.param(10_000, marks=pytest.mark.proof)])
@each_body
def test_features_are_those_of_the_simulator(id: str, count: int) -> None:
    env = make(id)
    model, data, rows = env.model, mujoco.MjData(env.model), []
    qpos, qvel = random_states(env, count)
    for data.qpos[:], data.qvel[:] in zip(qpos, qvel, strict=True):
        mujoco.mj_forward(model, data)
        rows.append(MEASURED[id](model, data))
    if id in PLANAR:
        obs, accuracy = exact_observations(env, qpos, qvel), {"rtol": 1e-12, "atol": 1e-11}
    else:
        obs, accuracy = env.observations(qpos, qvel), {"rtol": 2e-6, "atol": 2e-5}
    found = dict(env.features(obs))
    if "bend" in found:  # the simulator counts full turns
        found["cosine of bend"] = np.cos(found.pop("bend"))
    assert set(rows[0]) == set(found)
    for name, values in found.items():
        assert values.dtype == np.float64
        expected = np.array([row[name] for row in rows])
        np.testing.assert_allclose(values, expected, err_msg=name, **accuracy)


@each_body
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


def driven(env: Any, steps: int) -> np.ndarray:
    """Observations under forces that have a direction: against a wall, where there is one."""
    rng, drift = np.random.default_rng(4), np.resize((0.8, -0.6), env.model.nu)
    return np.array([env.step(drift + rng.uniform(-0.2, 0.2, len(drift)))[0] for _ in range(steps)])


@each_body
def test_constants_change_the_physics_and_go_back_exactly(id: str) -> None:
    plain, varied = transitions(make(id), 60), {}
    env, steps = make(id), 400 if id in OTHERS else 60
    for name, constant in env.constants.items():
        context = {name: constant.train[1]}
        env.reset(seed=0, options={"context": context})
        assert env.context == {n: c.default for n, c in env.constants.items()} | context
        varied[name] = driven(env, steps)
        env.reset()
        assert env.context[name] == constant.default, "of one episode"
        np.testing.assert_array_equal(transitions(env, 60)[2], plain[2])
        again = driven(seeded(make(id, context=context)), steps)
        np.testing.assert_array_equal(again, varied[name])
    every = [*varied.values(), driven(seeded(make(id)), steps)]
    for name, found in varied.items():
        assert np.abs(found - every[-1]).max() > 1e-3, name
    assert len({each.tobytes() for each in every}) == len(every)


@each
def test_tasks_can_be_done_and_missed(id: str) -> None:
    """Over random states the reward of each task is low somewhere and high somewhere."""
    env = make(id)
    qpos, qvel = random_states(env, 20_000)
    obs = exact_observations(env, qpos, qvel)
    action = np.zeros((len(obs), env.model.nu))
    for name, task in env.tasks.items():
        assert task.name == name and task.text.endswith(".")
        rewards = task.relabel(obs, action, obs)
        assert rewards.min() < 0.2, name
        assert rewards.max() > 0.7, name


@each
def test_a_pose_is_a_goal(id: str) -> None:
    env = make(id)
    obs = transitions(env, 200)[2]
    goal = obs[150]
    rewards = env._resolve(goal).relabel(obs, obs, obs)
    assert rewards[150] == 1.0 and rewards.min() < 0.5
    still = goal.copy()
    still[env.model.nq :] = 0.0
    env.reset(options={"start": still, "task": goal})
    _, reward, _, _, info = env.step(np.zeros(env.model.nu))
    assert reward > 0.9 and info["success"]
    far = goal.copy()
    far[3:6] = 40.0
    for bad in (far, goal[:-1], np.full_like(goal, np.nan), (1.0, 2.0)):
        with pytest.raises(ValueError, match="goal must be"):
            make(id, task=bad)


@each
def test_twice_the_mass_and_gravity_do_what_newton_says(id: str) -> None:
    env = make(id)
    high = env.reset(seed=0)[0].copy()
    high[0] = 30.0  # in the air
    for gravity in (2.0, 9.81, 15.0):
        env.reset(options={"start": high, "context": {"gravity": gravity, "mass": 2.0}})
        assert env.model.body_mass.sum() == pytest.approx(2 * planar_body(env.file).mass)
        climbs = []
        for _ in range(5):
            obs = env.step(np.zeros(env.model.nu))[0]
            climbs.append(float(env.features(obs[None])["climb"][0]))
        seconds = env.substeps * env.model.opt.timestep
        np.testing.assert_allclose(np.diff(climbs), -gravity * seconds, rtol=1e-2)


@each
def test_a_push_acts_for_one_step(id: str) -> None:
    env = seeded(make(id))
    high = env.reset(seed=0)[0].copy()
    high[0], high[3 + env.model.nq - 3 :] = 30.0, 0.0
    runs = {}
    for force in (None, (100.0, 0, 0), (0, 100.0, 0)):
        env.reset(options={"start": high})
        if force is not None:
            env.push(force)
        state = env.get_state()
        found = rollout(env, 3)
        env.set_state(state)
        np.testing.assert_array_equal(rollout(env, 3), found)
        runs[force] = env.features(found)["speed"]
    np.testing.assert_array_equal(runs[None], runs[0, 100.0, 0])
    gained = runs[100.0, 0, 0] - runs[None]
    seconds = env.substeps * env.model.opt.timestep
    assert gained[0] == pytest.approx(100 * seconds / planar_body(env.file).mass, rel=0.02)
    np.testing.assert_allclose(gained, gained[0], rtol=0.1)


@each_body
def test_a_force_is_checked(id: str) -> None:
    for force in ((1, 2), (0, np.nan, 0), (0, 0, 1e9), "hard", None):
        with pytest.raises(ValueError, match="force must be three numbers"):
            seeded(make(id)).push(force)


@each_body
def test_an_action_is_checked_and_clipped(id: str) -> None:
    env = seeded(make(id))
    size, before = env.model.nu, env.get_state()["physics"]
    for bad in (np.full(size, np.nan), np.zeros(size + 1), np.zeros((1, size))):
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
