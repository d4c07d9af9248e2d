"""Our planar bodies beside dm_control's: the same masses, motion and rewards.

Runs where dm_control is installed, which needs `mujoco` 3 and is no dependency of ours.
"""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)

suite = pytest.importorskip("dm_control.suite", reason="compares with dm_control, an option")

CASES = (
    ("Walker", "walker", ("stand", "walk", "run")),
    ("Cheetah", "cheetah", ("run",)),
    ("Hopper", "hopper", ("stand", "hop")),
)
SWAPPED = {"walker": [1, 0, 2], "cheetah": [0, 1, 2], "hopper": [0, 1, 2]}  # the torso's x and z
each = pytest.mark.parametrize(("name", "domain", "tasks"), CASES)


def pair(name: str, domain: str, task: str) -> tuple[Any, Any, list[int]]:
    """Our world, theirs, and where our coordinates are among theirs."""
    ours = gym.make(f"zerogym/{name}-v0", task=task).unwrapped
    theirs = suite.load(domain, task, task_kwargs={"random": 0})
    theirs.reset()
    order = SWAPPED[domain] + list(range(3, ours.model.nq))
    return ours, theirs, order


@each
def test_the_bodies_have_the_same_masses_and_joints(
    name: str, domain: str, tasks: tuple[str, ...]
) -> None:
    ours, theirs, order = pair(name, domain, tasks[0])
    model = theirs.physics.model
    np.testing.assert_allclose(ours.model.body_mass, model.body_mass, rtol=1e-12)
    np.testing.assert_allclose(ours.model.dof_damping, model.dof_damping[order])
    np.testing.assert_allclose(ours.model.dof_armature, model.dof_armature[order])
    np.testing.assert_allclose(ours.model.jnt_stiffness, model.jnt_stiffness[order])
    np.testing.assert_allclose(ours.model.jnt_range, model.jnt_range[order])
    np.testing.assert_allclose(ours.model.actuator_gear, model.actuator_gear)
    np.testing.assert_allclose(ours.model.opt.timestep, model.opt.timestep)
    assert theirs.control_timestep() == pytest.approx(ours.substeps * model.opt.timestep)


@each
def test_rewards_are_equal_in_the_same_states(
    name: str, domain: str, tasks: tuple[str, ...]
) -> None:
    rng = np.random.default_rng(0)
    for task in tasks:
        ours, theirs, order = pair(name, domain, task)
        found = set()
        for _ in range(300):
            qpos, qvel = rng.normal(0, 0.4, len(order)), rng.normal(0, 3, len(order))
            action = rng.uniform(-1, 1, ours.model.nu).astype(np.float32)
            with theirs.physics.reset_context():
                theirs.physics.data.qpos[order], theirs.physics.data.qvel[order] = qpos, qvel
            theirs.physics.set_control(action)
            obs = ours.observations(qpos[None], qvel[None])
            rewards = ours.tasks[task].relabel(obs, action[None], obs)[0]
            expected = theirs.task.get_reward(theirs.physics)
            assert rewards == pytest.approx(expected, abs=1e-6), task
            found.add(round(float(expected), 4))
        assert len(found) > 50, "rewards that vary"


@each
def test_episodes_are_the_same(name: str, domain: str, tasks: tuple[str, ...]) -> None:
    """From the same state under the same actions, until contacts magnify the last digits."""
    ours, theirs, order = pair(name, domain, tasks[0])
    rng = np.random.default_rng(1)
    start, _ = ours.reset(seed=0)
    start = start.astype(np.float64)
    qpos, qvel = (part[0] for part in ours.states(start[None]))
    ours.reset(options={"start": start})
    with theirs.physics.reset_context():
        theirs.physics.data.qpos[order], theirs.physics.data.qvel[order] = qpos, qvel
    for _ in range(50):
        action = rng.uniform(-1, 1, ours.model.nu).astype(np.float32)
        reward = ours.step(action)[1]
        step = theirs.step(action)
        np.testing.assert_allclose(ours.data.qpos, theirs.physics.data.qpos[order], atol=1e-6)
        assert reward == pytest.approx(step.reward, abs=1e-5)
