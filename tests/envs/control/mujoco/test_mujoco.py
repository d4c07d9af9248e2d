"""MuJoCo environments: exact features, rewards without a simulator, constants, pushes."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from helpers.bodies import (
    OTHERS,
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


def simulated(env: Any, qpos: np.ndarray, qvel: np.ndarray) -> dict[str, list[float]]:
    """The features of one state, from MuJoCo."""
    model, data = env.model, mujoco.MjData(env.model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
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


@each
def test_features_are_those_of_the_simulator(id: str) -> None:
    env = make(id)
    qpos, qvel = random_states(env, 10_000)
    found = env.features(exact_observations(env, qpos, qvel))
    rows = [simulated(env, *state) for state in zip(qpos, qvel, strict=True)]
    assert set(rows[0]) == set(found)
    for name in found:
        expected = np.array([row[name] for row in rows])
        np.testing.assert_allclose(found[name], expected, rtol=1e-12, atol=1e-11, err_msg=name)


@each_body
def test_torch_agrees_with_numpy(id: str) -> None:
    torch = pytest.importorskip("torch", reason="the same functions on torch tensors")
    env = make(id)
    obs = env.observations(*random_states(env, 1000)).astype(np.float64)
    action = np.random.default_rng(1).uniform(-1, 1, (1000, env.model.nu))
    tensors = [torch.from_numpy(each) for each in (obs, action, obs)]
    for name, values in env.features(tensors[0]).items():
        assert values.dtype == torch.float64
        np.testing.assert_allclose(values.numpy(), env.features(obs)[name], atol=1e-11)
    for task in env.tasks.values():
        rewards = task.relabel(*tensors)
        np.testing.assert_allclose(rewards.numpy(), task.relabel(obs, action, obs), atol=1e-11)
        single = task.relabel(*(tensor.float() for tensor in tensors))
        assert single.dtype == torch.float32
        near = np.isclose(single.numpy(), rewards.numpy(), atol=1e-3)
        assert near.mean() > 0.999, "but at an edge of a reward without margin"


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
def test_a_copy_goes_its_own_way(id: str) -> None:
    env = seeded(make(id, context={"mass": 2.0}))
    rollout(env, 20)
    copies = (copy.deepcopy(env), pickle.loads(pickle.dumps(env)))
    first = rollout(env, 50)
    for other in copies:
        np.testing.assert_array_equal(rollout(other, 50), first)
        assert other.context["mass"] == 2.0
        other.reset(seed=1, options={"context": {"mass": 1.0}})
        np.testing.assert_array_equal(
            rollout(other, 20), rollout(seeded(make(id), 1), 20), "constants go back"
        )


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
