"""The ant: rewards of its tasks, poses as goals, the body, pushes."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from helpers.control.worlds import bare
from zerogym.envs.control.mujoco.locomotion.ant_features import DIRECTIONS, POSE
from zerogym.errors import NoOracle

pytest.importorskip("mujoco", reason="the ant is simulated by MuJoCo")

make = partial(bare, "Ant")


def moving(*, turn: float = 0.0, yaw: float = 0.0, up: bool = True, **columns: float) -> np.ndarray:
    """An observation (1, 27) of a level ant that looks `turn` radian to the left of x.

    Args:
        columns: `height`, and `forward`, `left` (m/s, as the ant sees it).
    """
    obs = np.zeros((1, 27))
    obs[0, 0] = columns.get("height", 0.5)
    half = np.cos(turn / 2), np.sin(turn / 2)
    obs[0, 1:5] = (half[0], 0, 0, half[1]) if up else (0, half[0], half[1], 0)
    forward, left = columns.get("forward", 0.0), columns.get("left", 0.0)
    obs[0, 13] = forward * np.cos(turn) - left * np.sin(turn)
    obs[0, 14] = forward * np.sin(turn) + left * np.cos(turn)
    obs[0, 18] = yaw
    return obs


def reward_of(env: Any, name: str, obs: np.ndarray) -> float:
    return float(env.tasks[name].relabel(obs, np.zeros((len(obs), 8)), obs)[0])


@pytest.mark.parametrize("turn", [0.0, 1.0, -2.5])
def test_directions_are_those_of_the_body_wherever_it_looks(turn: float) -> None:
    env = make()
    for degrees in DIRECTIONS:
        angle = np.deg2rad(degrees)
        obs = moving(turn=turn, forward=1.2 * np.cos(angle), left=1.2 * np.sin(angle))
        rewards = {f"move_{other}": reward_of(env, f"move_{other}", obs) for other in DIRECTIONS}
        assert rewards[f"move_{degrees}"] == pytest.approx(1.0)
        assert max(rewards, key=rewards.__getitem__) == f"move_{degrees}"
        assert sorted(rewards.values())[-2] < 0.65
        assert rewards[f"move_{(degrees + 180) % 360}"] == 0.0
    features = env.features(moving(turn=turn, forward=2.0, left=-1.0))
    assert features["speed"][0] == pytest.approx(2) and features["sideways"][0] == pytest.approx(-1)


def test_rewards_as_published_and_ours() -> None:
    env = make()
    rows = {
        "stand": [(moving(), 1.0), (moving(up=False), 0.0)],
        "walk": [(moving(), 0.5), (moving(forward=0.25), 0.75), (moving(forward=3), 1.0)],
        "run": [(moving(forward=2.5), 0.75), (moving(forward=-5), 0.0), (moving(forward=5), 1.0)],
        "jump": [(moving(height=0.5), 0.75), (moving(height=1.1), 1.0)],
        "spin": [(moving(yaw=np.pi / 2), 0.5), (moving(yaw=-3), 0.0), (moving(yaw=4), 1.0)],
        "spin_right": [(moving(yaw=-np.pi / 2), 0.5), (moving(yaw=3), 0.0)],
        "lie": [(moving(height=0.25), 1.0), (moving(height=0.5), 0.1), (moving(up=False), 0.0)],
        "on_back": [(moving(up=False), 1.0), (moving(), 0.0)],
        "height_0_6": [(moving(height=0.6), 1.0), (moving(height=0.25), 0.1)],
    }
    for name, cases in rows.items():
        for obs, expected in cases:
            assert reward_of(env, name, obs) == pytest.approx(expected, abs=1e-9), name
    named = {name for name in env.tasks if not name.startswith(("move_", "height_"))}
    assert named == set(rows) - {"height_0_6"}
    for task in env.tasks.values():
        assert task.text.endswith(".")
        assert task.relabel(*[moving(up=False)] * 3)[0] == (task.name == "on_back") or (
            task.name.startswith("height_")
        )


def test_a_pose_is_a_goal_whatever_the_sign_of_its_quaternion() -> None:
    env = make()
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    obs = np.array([env.step(rng.uniform(-1, 1, 8))[0] for _ in range(200)])
    goal = obs[150]
    other = goal.copy()
    other[1:5] *= -1
    for target in (goal, other):
        rewards = env._resolve(target).relabel(obs, obs, obs)
        assert rewards[150] == 1.0 and rewards.min() < 0.5
        still = np.concatenate([goal[:POSE], np.zeros(14)])
        env.reset(options={"start": still, "task": target})
        _, reward, _, _, info = env.step(np.zeros(8))
        assert reward > 0.9 and info["success"]
    low, bent, long = goal.copy(), goal.copy(), goal.copy()
    low[0], bent[6], long[1:5] = -1.0, 3.0, 2.0
    for bad in (low, bent, goal[:-1]):
        with pytest.raises(ValueError, match="goal must be an observation"):
            make(task=bad)
    with pytest.raises(ValueError, match="columns 1 to 4 is not 1"):
        make(task=long)


def test_it_starts_on_its_feet_and_stands_without_force() -> None:
    env = make()
    headings = []
    for seed in range(12):
        obs, _ = env.reset(seed=seed)
        headings.append(2 * np.arctan2(obs[4], obs[1]))
        assert 2 * obs[2] ** 2 + 2 * obs[3] ** 2 == 0.0, "level"
        limits = env.model.jnt_range[1:]
        assert (limits[:, 0] - 1e-6 <= obs[5:POSE]).all()
        assert (obs[5:POSE] <= limits[:, 1] + 1e-6).all()
        for _ in range(60):
            obs = env.step(np.zeros(8))[0]
        assert reward_of(env, "stand", obs[None]) > 0.98 and 0.3 < obs[0] < 0.65
    assert np.ptp(headings) > 4
    with pytest.raises(NoOracle, match="nobody knows"):
        env.oracle_action()


def test_legs_are_mirrored_and_a_positive_knee_lowers_the_foot() -> None:
    env = make()
    env.reset(seed=0)
    env.data.qpos[:] = 0
    env.data.qpos[2:4] = 2.0, 1.0
    heights = []
    for angle in (0.5, 1.0):
        env.data.qpos[8::2] = angle
        env._mujoco.mj_forward(env.model, env.data)
        shins = [env.data.geom_xpos[env.model.body(f"{leg}_shin").geomadr[0]] for leg in LEGS]
        heights.append([float(shin[2]) for shin in shins])
        np.testing.assert_allclose(np.sign(shins)[:, :2], [(1, 1), (-1, 1), (-1, -1), (1, -1)])
        np.testing.assert_allclose(np.ptp(np.abs(shins), axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(np.ptp(heights, axis=1), 0, atol=1e-12)
    assert heights[1][0] < heights[0][0] < 2.0


LEGS = ("front_left", "back_left", "back_right", "front_right")


def test_a_push_acts_for_one_step() -> None:
    env = make()
    high = env.reset(seed=0)[0].copy()
    high[0], high[POSE:] = 30.0, 0.0
    speeds = {}
    for force in (None, (0.0, 5.0, 0.0)):
        env.reset(options={"start": high})
        if force is not None:
            env.push(force)
        speeds[force] = [env.step(np.zeros(8))[0][14] for _ in range(3)]
    gained = np.array(speeds[0.0, 5.0, 0.0]) - np.array(speeds[None])
    assert gained[0] > 0.2
    np.testing.assert_allclose(gained, gained[0], rtol=0.2)
