"""The bridge to OGBench: its physics, its rewards and its goals, with all chance from one seed."""

import importlib.util
import warnings
from types import ModuleType
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.control.ogbench.worlds import WORLDS
from zerogym.errors import MissingExtra, NoOracle, UnknownName

ID = "zerogym/OGBench-v0"
HERE = importlib.util.find_spec("ogbench") is not None
needs_ogbench = pytest.mark.skipif(not HERE, reason="the package ogbench is not installed")
EACH = ("pointmaze-medium", "antmaze-medium", "humanoidmaze-medium", "cube-double")
each_world = pytest.mark.parametrize("world", EACH)


def make(world: str = "pointmaze-medium", **kwargs: Any) -> Any:
    return gym.make(ID, world=world, **kwargs).unwrapped


def module(name: str) -> ModuleType:
    """A module of OGBench, without its warnings about others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(name)


def test_spaces_are_known_without_the_package() -> None:
    sizes = {name: (world.observations, world.actions) for name, world in WORLDS.items()}
    assert sizes["pointmaze-giant"] == (2, 2) and sizes["antmaze-large"] == (29, 8)
    assert sizes["humanoidmaze-medium"] == (69, 21) and sizes["cube-triple"] == (46, 5)
    env = make("cube-single")
    assert env.observation_space.shape == (28,) and env.horizon == 200
    with pytest.raises(UnknownName, match="Did you mean 'antmaze-medium'"):
        make("antmaze-medum")
    for horizon in (0, 2.5):
        with pytest.raises(ValueError, match="horizon must be an integer >= 1"):
            make(horizon=horizon)


@pytest.mark.skipif(HERE, reason="the package ogbench is installed")
def test_a_missing_package_names_its_extra() -> None:
    message = r"zerogym/OGBench-v0 needs \w+: pip install 'zerogym\[ogbench\]'"
    with pytest.raises(MissingExtra, match=message):
        make().reset(seed=0)
    with pytest.raises(MissingExtra, match=message):
        make(task="task1")


def test_places_and_rewards_are_functions_of_observations() -> None:
    cubes, rng = WORLDS["cube-double"], np.random.default_rng(0)
    obs = rng.normal(0, 1, (200, cubes.observations)).astype(np.float32)
    goal = (0.4, 0.1, 0.02, 0.5, -0.1, 0.06)
    obs[:120, 19:22] = (np.array(goal[:3]) - (0.425, 0, 0)) * 10 + rng.normal(0, 0.2, (120, 3))
    obs[60:, 28:31] = (np.array(goal[3:]) - (0.425, 0, 0)) * 10 + rng.normal(0, 0.2, (140, 3))
    places = obs[:, [19, 20, 21, 28, 29, 30]].astype(float) / 10
    places += [0.425, 0, 0, 0.425, 0, 0]
    away = np.linalg.norm((places - goal).reshape(-1, 2, 3), axis=2)
    expected = (away <= 0.04).sum(axis=1)
    assert set(expected) == {0, 1, 2}
    np.testing.assert_array_equal(cubes.reached(obs, goal), expected)
    torched = cubes.reached(torch.as_tensor(obs), goal)
    np.testing.assert_array_equal(torched.numpy(), expected)
    assert WORLDS["pointmaze-large"].reached(np.array([[1.0, 0.0], [1.01, 0.0]]), (0, 0))[1] == 0


@needs_ogbench
@each_world
def test_physics_and_observations_are_ogbenchs_own(world: str) -> None:
    env = make(world)
    env.reset(seed=3)
    kind, _, size = world.partition("-")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if env.world.is_maze:
            maze = module("ogbench.locomaze.maze").make_maze_env
            theirs = maze(kind.removesuffix("maze"), "maze", maze_type=size)
        else:
            theirs = module("ogbench.manipspace.envs.cube_env").CubeEnv(size)
        theirs.reset(seed=0)
    ours = env.simulator.theirs.data
    for _ in range(2):  # the first one leaves what a warm start remembers
        module("mujoco").mj_resetData(theirs.model, theirs.data)
        theirs.set_state(ours.qpos.copy(), ours.qvel.copy())
    rng = np.random.default_rng(0)
    for _ in range(40):
        action = env.random_action(rng)
        obs = env.step(action)[0]
        expected = theirs.step(action)[0]
        np.testing.assert_allclose(obs, expected, rtol=1e-4, atol=1e-4)


@needs_ogbench
@pytest.mark.parametrize("number", range(1, 6))
def test_rewards_and_ends_are_those_of_ogbenchs_single_task_versions(number: int) -> None:
    env = make(task=f"task{number}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module("ogbench")
        theirs = gym.make(f"pointmaze-medium-singletask-task{number}-v0", disable_env_checker=True)
        env.reset(seed=number)
        theirs.reset(seed=0)
        state = env.simulator.theirs.data
        theirs.unwrapped.set_state(state.qpos.copy(), state.qvel.copy())
    rng, steps, over = np.random.default_rng(number), 0, False
    while not over:
        # Without noise the point stops exactly 1 m off, where float32 and float64 may differ.
        noise = rng.normal(0.0, 0.1, 2).astype(np.float32)
        action = np.clip(env.oracle_action() + noise, -1.0, 1.0)
        _, reward, terminated, truncated, info = env.step(action)
        expected = theirs.step(action)
        assert (reward, terminated) == expected[1:3]
        assert float(info["success"]) == expected[4]["success"]
        over, steps = terminated or truncated, steps + 1
    assert terminated and info["success"] and reward == 0.0 and 50 < steps < 1000


@needs_ogbench
def test_the_straight_line_fails_where_the_oracle_arrives() -> None:
    env, arrived = make("pointmaze-large", horizon=600), {"oracle": 0, "straight": 0}
    for policy in arrived:
        for name in env.tasks:
            env.reset(seed=0, options={"task": name})
            over = False
            while not over:
                action = (
                    env.oracle_action()
                    if policy == "oracle"
                    else env.straight_line_action(np.random.default_rng(0))
                )
                *_, terminated, truncated, info = env.step(action)
                over = terminated or truncated
            arrived[policy] += info["success"]
    assert arrived["oracle"] == 5 and arrived["straight"] <= 1


@needs_ogbench
@each_world
def test_stored_transitions_have_the_rewards_of_live_ones_and_of_ogbench(world: str) -> None:
    env = make(world)
    name = list(env.tasks)[1]
    env = make(world, task=name, ends_at_goal=False, horizon=80)
    rows, states, rng = [], [], np.random.default_rng(0)
    goal = env.simulator.goals[name]
    for seed in range(3):  # the second begins at the goal, so that there is a reward
        options = {"start": goal} if seed == 1 else {}
        obs, _ = env.reset(seed=seed, options=options)
        truncated = False
        while not truncated:
            states.append(env.simulator.theirs.data.qpos.copy())
            action = env.random_action(rng)
            after, reward, _, truncated, _ = env.step(action)
            rows.append((obs, action, after, reward))
            obs = after
    obs, action, after, rewards = (np.array(column) for column in zip(*rows, strict=True))
    task = env.tasks[name]
    np.testing.assert_array_equal(task.relabel(obs, action, after), rewards)
    assert len(np.unique(rewards)) >= 2
    qpos = np.array(states)
    places = qpos[:, :2] if env.world.is_maze else qpos[:, 14:].reshape(len(qpos), -1, 7)[:, :, :3]
    away = np.linalg.norm(places.reshape(len(qpos), env.world.things, -1) - goal.reshape(
        env.world.things, -1), axis=2)  # fmt: skip
    clear = (np.abs(away - env.world.tolerance) > 1e-5).all(axis=1)
    expected = (away <= env.world.tolerance).sum(axis=1) - env.world.things
    np.testing.assert_array_equal(rewards[clear], expected[clear])


@needs_ogbench
@each_world
def test_all_chance_comes_from_the_seed(world: str) -> None:
    def episode(noise: int) -> list[np.ndarray]:
        np.random.seed(noise)  # noqa: NPY002 (what OGBench draws from)
        env, rng = make(world), np.random.default_rng(0)
        obs = [env.reset(seed=5)[0], env.get_state()["physics"]["state"]]
        obs += [env.step(env.random_action(rng))[0] for _ in range(5)]
        obs.append(env.reset()[0])
        assert np.random.get_state()[1][0] == noise, "the global generator is as it was"  # noqa: NPY002
        return obs

    first, second = episode(1), episode(2)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not np.array_equal(first[0], first[-1])


@needs_ogbench
def test_goals_are_observations_and_anything_may_be_a_task() -> None:
    for world in ("antmaze-medium", "cube-single"):
        env = make(world)
        for name, task in env.tasks.items():
            goal = task.goal[None]
            assert task.goal in env.observation_space and task.text.endswith(".")
            assert task.relabel(goal, np.zeros(1), goal)[0] == 0.0, name
        first = next(iter(env.tasks))
        place = env.simulator.goals[first]
        for given in (place, env.tasks[first].goal):
            _, info = env.reset(seed=0, options={"task": given, "start": place})
            assert info["category"] == "goal"
            assert env.step(np.zeros(env.world.actions))[1] == 0.0
    obs = make("antmaze-medium").reset(seed=0, options={"start": (20, 20)})[0]
    assert obs[:2].tolist() == [20, 20]
    rewards = make(task=lambda features, action: features["x"] - features["y"])
    rewards.reset(seed=0)
    after, reward, *_ = rewards.step([0.0, 0.0])
    assert reward == pytest.approx(float(after[0]) - float(after[1]))
    assert set(make("cube-double").features(np.zeros((3, 37)))) == {
        "x_1", "y_1", "z_1", "x_2", "y_2", "z_2",
    }  # fmt: skip


@needs_ogbench
def test_starts_of_reward_free_episodes_are_those_of_the_five_tasks() -> None:
    env = make()
    begun = {tuple(np.round(env.reset(seed=seed)[0] / 4).astype(int)) for seed in range(60)}
    infos = env.simulator.theirs.task_infos
    assert begun == {tuple(np.round(np.array(i["init_xy"]) / 4).astype(int)) for i in infos}


@needs_ogbench
def test_bad_input_is_refused_in_words() -> None:
    env = make("cube-single")
    env.reset(seed=0)
    for action in ([0, 0], [np.nan] * 5, "up", None):
        with pytest.raises(ValueError, match=r"action must be an array \(5,\)"):
            env.step(action)
    for goal in ((0.4, 0.1), (0.4, 0.9, 0.02), (np.nan, 0, 0), [0.0] * 28):
        with pytest.raises(
            ValueError, match=r"goal must be \(x, y, z\) on the table for each of 1"
        ):
            env.reset(options={"task": goal})
    maze = make()
    for place in ((8.0, 0.0), (-50, 0), (0, 1e9), (0, np.inf), (1, 2, 3), "here"):
        with pytest.raises(ValueError, match="start must be a free point"):
            maze.reset(options={"start": place})
    with pytest.raises(UnknownName, match="Did you mean 'task"):
        make(task="taks1")
    with pytest.raises(NoOracle, match="point mazes"):
        env.oracle_action()
