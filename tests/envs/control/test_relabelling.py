"""Relabelled rewards of a hundred thousand transitions equal those of single steps, for all tasks.

The MuJoCo bodies are in `mujoco/test_rewards.py`. Left out: ids of a class that is here,
and the worlds of OGBench, which are not always installed.
"""

import gymnasium as gym
import numpy as np
import pytest

from helpers.control.worlds import bare

WORLDS, TURNS = 1000, 100  # stepped together, and how often
FINITE = ("FourRooms", "SlipperyGrid", "DarkRoom", "Chain", "RiverSwim", "TMaze", "Office")
TOGETHER = ("PointMaze", "PointMazeLarge", "TwoRooms", "CognitiveRadio", "Trading")
VEHICLES = ("Quadrotor", "RacingRing", "QuadrotorSwarm")
ALONE = ("CartPole", "Pendulum", "Acrobot", "MountainCar", "MiniGrid", "Letters", "PointMazeSTL")

pytestmark = pytest.mark.proof


@pytest.mark.parametrize("name", FINITE)
def test_finite_worlds(name: str) -> None:
    env, first, stored = bare(name), None, ()
    for task in env.tasks.values():
        worlds, rows = bare(name, task=task.name).batched(WORLDS), []
        worlds.reset(seed=0)
        for _ in range(TURNS):
            before, actions = worlds.states, worlds.random_actions()
            rows.append((before, actions, *worlds.step(actions)[:2]))
        before, actions, entered, rewards = (
            np.concatenate(part) for part in zip(*rows, strict=True)
        )
        if first is None:  # the task touches nothing, so observations are gathered once
            first = entered
            stored = env.observation_of(before), actions, env.observation_of(entered)
        np.testing.assert_array_equal(first, entered)
        np.testing.assert_array_equal(task.relabel(*stored), rewards, err_msg=task.name)
        assert len(rewards) == WORLDS * TURNS


@pytest.mark.parametrize("name", (*TOGETHER, *VEHICLES))
def test_worlds_of_batches(name: str) -> None:
    rng, space = np.random.default_rng(0), bare(name).action_space
    if isinstance(space, gym.spaces.Discrete):
        draws = rng.integers(space.n, size=(TURNS, WORLDS))
    else:
        draws = rng.uniform(-1, 1, (TURNS, WORLDS, *space.shape)).astype(np.float32)
    for task in bare(name).tasks.values():
        worlds, rows = bare(name, task=task.name).batched(WORLDS), []
        before = worlds.reset(seed=0)
        for actions in draws:
            after, rewards, *rest = worlds.step(actions)
            rows.append((before, actions, after, rewards))
            # Vehicles whose episode is over begin anew, and are then observed at their starts.
            before = worlds._before if name in VEHICLES else after
            if name not in VEHICLES and rest[0]:
                before = worlds.reset()
        obs, actions, after, rewards = (np.concatenate(part) for part in zip(*rows, strict=True))
        np.testing.assert_array_equal(task.relabel(obs, actions, after), rewards, err_msg=task.name)
        assert len(rewards) == WORLDS * TURNS


@pytest.mark.parametrize("name", ALONE)
def test_worlds_of_single_steps(name: str) -> None:
    env, rng, rows = bare(name), np.random.default_rng(0), []
    tasks, count = list(env.tasks.values()), WORLDS * TURNS
    kept: list[list[float]] = []
    obs, _ = env.reset(seed=0)
    for _ in range(count):
        action = env.random_action(rng)
        after, _, terminated, truncated, _ = env.step(action)
        one = obs, np.asarray(action), after
        kept.append([task.reward_of(*one) for task in tasks])
        rows.append(one)
        obs = env.reset()[0] if terminated or truncated else after
    stored = [np.array(part) for part in zip(*rows, strict=True)]
    for index, task in enumerate(tasks):
        rewards = [each[index] for each in kept]
        np.testing.assert_array_equal(task.relabel(*stored), rewards, err_msg=task.name)
