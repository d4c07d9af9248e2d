"""Goals on a table: the oracles reach them, the straight line does not; rewards as published."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.control.core.box_paths import Boxes
from zerogym.envs.control.mujoco.reaching.point_mass_maze import CROSS, SIDE
from zerogym.envs.control.mujoco.reaching.reacher import BEND, FORE, UPPER, reaching
from zerogym.errors import NoOracle

pytest.importorskip("mujoco", reason="these worlds are simulated by MuJoCo")

MAZE, ARM = "zerogym/PointMassMaze-v0", "zerogym/Reacher-v0"
CORNERS = ("top_left", "top_right", "bottom_left", "bottom_right")


def make(id: str, **kwargs: Any) -> Any:
    return gym.make(id, **{"task": None, **kwargs}).unwrapped


def arrival(env: Any, policy: str, steps: int, **options: Any) -> tuple[int | None, float]:
    """The step at which the goal was reached, and the reward of the last 50 steps."""
    rng = np.random.default_rng(0)
    env.reset(options=options)
    reached, late = None, 0.0
    for step in range(1, steps + 1):
        line = policy == "line"
        action = env.straight_line_action(rng) if line else env.oracle_action()
        _, reward, _, _, info = env.step(action)
        late += reward * (step > steps - 50)
        if reached is None and info["success"]:
            reached = step
    return reached, late


@pytest.mark.proof
@pytest.mark.parametrize("name", CORNERS)
def test_the_oracle_reaches_every_corner_and_the_straight_line_only_its_own(name: str) -> None:
    env = make(MAZE, task=f"reach_{name}")
    env.reset(seed=0)
    for _ in range(6):
        state = env.get_state()
        reached, late = arrival(env, "oracle", 420)
        assert reached is not None and reached <= 370
        assert late > 49, "and stays, without force"
        env.set_state(state)
        reached, late = arrival(env, "line", 420)
        assert (reached is not None) == (name == "top_left")
        assert (late > 49) == (name == "top_left")


def test_the_oracle_goes_from_anywhere_to_anywhere() -> None:
    env, rng = make(MAZE), np.random.default_rng(0)
    env.reset(seed=0)
    lines, pairs = 0, 0
    while pairs < 10:
        start, goal = rng.uniform(-SIDE, SIDE, (2, 2))
        if not (CROSS.is_free(start) and CROSS.is_free(goal)):
            continue
        options = {"start": (*start, 0.0, 0.0), "task": goal}
        pairs += 1
        reached, late = arrival(env, "oracle", 560, **options)
        assert reached is not None and late > 49, options
        lines += arrival(env, "line", 560, **options)[0] is not None
    assert lines < 0.7 * pairs


@pytest.mark.parametrize("context", [{"mass": 2.0}, {"gain": 1.6}, {"damping": 0.6}])
def test_the_oracles_work_with_other_constants(context: dict[str, float]) -> None:
    for id, steps in ((MAZE, 560), (ARM, 200)):
        env = make(id, task="reach_bottom_right", context=context)
        env.reset(seed=1)
        reached, late = arrival(env, "oracle", steps)
        assert reached is not None and late > 49


def test_the_ball_never_passes_a_wall_or_leaves_the_table() -> None:
    env, rng = make(MAZE, context={"gain": 2.0, "mass": 0.3}), np.random.default_rng(0)
    for seed in range(5):
        env.reset(seed=seed)
        for step in range(600):
            if step % 60 == 0:
                action = rng.choice([-1.0, 0.3, 1.0], 2)
            obs = env.step(action)[0].astype(np.float64)
            assert CROSS.is_free(np.clip(obs[:2], -SIDE, SIDE))
            assert np.abs(obs[:2]).max() < SIDE + 0.01


def test_the_reward_of_the_maze_is_the_published_one() -> None:
    env = make(MAZE)
    task = env.tasks["reach_top_right"]
    away = np.array([0.0, 0.0149, 0.0151, 0.0225, 0.03, 0.045])
    obs = np.stack([0.15 - away, 0 * away + 0.15, 0 * away, 0 * away], axis=1)
    near = np.where(away <= 0.015, 1.0, 0.1 ** (((away - 0.015) / 0.015) ** 2))
    for action, factor in (((0, 0), 1.0), ((1, -1), 0.8), ((0.5, 0), (0.75 + 1 + 8) / 10)):
        actions = np.tile(np.array(action, dtype=np.float64), (len(away), 1))
        np.testing.assert_allclose(task.relabel(obs, actions, obs), near * factor, rtol=1e-12)
    np.testing.assert_array_equal(task.goal, np.array([0.15, 0.15, 0, 0], dtype=np.float32))


def test_episodes_of_the_maze_start_at_rest_in_the_top_left_room() -> None:
    env = make(MAZE)
    starts = np.array([env.reset(seed=seed)[0] for seed in range(300)])
    assert (starts[:, 2:] == 0).all()
    assert -0.29 <= starts[:, 0].min() < -0.28 and -0.16 < starts[:, 0].max() <= -0.15
    assert 0.15 <= starts[:, 1].min() < 0.16 and 0.28 < starts[:, 1].max() <= 0.29


def test_ways_round_boxes_are_the_shortest() -> None:
    boxes = Boxes(((-1.0, 1.0, -1.0, 1.0),), side=3.0, clearance=0.0)
    start, goal = np.array([-2.0, 0.5]), np.array([2.0, 0.5])
    np.testing.assert_array_equal(boxes.next_point(start, goal), [-1.0, 1.0])
    np.testing.assert_array_equal(boxes.next_point(np.array([-0.9, 1.0]), goal), [1.0, 1.0])
    np.testing.assert_array_equal(boxes.next_point(np.array([1.0, 1.0]), goal), goal)
    np.testing.assert_array_equal(boxes.next_point(start, np.array([-2.0, -2.5])), [-2.0, -2.5])
    assert boxes.between[0, 3] == pytest.approx(4.0), "the diagonal is blocked"
    assert not boxes.is_free(np.array([0.0, 0.0])) and not boxes.is_free(np.array([3.5, 0.0]))


def test_the_arm_reaches_every_target_and_stays() -> None:
    env, rng = make(ARM), np.random.default_rng(0)
    for seed in range(40):
        angle, away = rng.uniform(0, 2 * np.pi), rng.uniform(0.05, 0.235)
        env.reset(seed=seed)
        goal = (away * np.cos(angle), away * np.sin(angle))
        reached, late = arrival(env, "oracle", 150, task=goal)
        assert reached is not None and reached <= 100 and late == 50.0, goal


def test_both_poses_bring_the_tip_to_the_place() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        shoulder, wrist = rng.uniform(-np.pi, np.pi), rng.uniform(-BEND, BEND)
        place = tip(shoulder, wrist)
        poses = reaching(place)
        for pose in poses:
            np.testing.assert_allclose(tip(*pose), place, atol=1e-7)
        assert len(poses) == 2 and min(abs(pose[1] - wrist) for pose in poses) < 1e-6
    for away in (0.0, 0.04, 0.245):
        assert reaching(np.array([0.0, away])) == []
        with pytest.raises(ValueError, match="goal must be"):
            make(ARM, task=(0.0, away))


def tip(shoulder: float, wrist: float) -> np.ndarray:
    angles = np.array([shoulder, shoulder + wrist])
    return np.array([UPPER, FORE]) @ np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_the_reward_of_the_arm_is_sparse_and_a_goal_may_be_an_observation() -> None:
    env = make(ARM)
    task = env.tasks["reach_top_right"]
    goal = task.goal[None].astype(np.float64)
    assert task.relabel(goal, np.zeros((1, 2)), goal)[0] == 1.0
    off = goal + np.array([[0.0, 0.0, 0.3, 0.0, 0.0]])
    assert task.relabel(goal, np.zeros((1, 2)), off)[0] == 0.0
    same = env._resolve(task.goal)
    np.testing.assert_allclose(same.goal, task.goal, atol=1e-6)
    edge = env._resolve((0.24, 0.0))
    assert env._resolve(edge) is edge


@pytest.mark.parametrize("id", [MAZE, ARM])
def test_without_a_goal_there_is_no_way(id: str) -> None:
    for task in (None, lambda features, action: features["x"]):
        env = make(id, task=task)
        env.reset(seed=0)
        with pytest.raises(NoOracle, match="needs a task with a goal"):
            env.oracle_action()
