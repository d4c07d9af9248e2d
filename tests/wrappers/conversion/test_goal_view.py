"""`GoalView`: rewards of any goal are the world's own, and HER of another library learns by it."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.errors import UnknownName
from zerogym.wrappers import GoalView, get_state, set_state

WITH_GOALS = [
    *("FourRooms", "UMap", "OpenGrid", "SlipperyGrid", "DarkRoom", "Chain", "RiverSwim"),
    *("PointMaze", "PointMazeLarge", "TwoRooms", "PointMassMaze", "Reacher"),
]


def view(name: str, **arguments: Any) -> GoalView:
    return GoalView(gym.make(f"zerogym/{name}-v0", task=None), **arguments)


@pytest.mark.parametrize("name", WITH_GOALS)
def test_computed_rewards_are_those_of_the_world(name: str) -> None:
    env = view(name)
    world: Any = env.unwrapped
    rows: list[tuple[Any, Any, Any]] = []
    env.action_space.seed(0)
    for seed in range(2):
        obs, _ = env.reset(seed=seed)
        for _ in range(20):
            action = env.action_space.sample()
            after, reward, terminated, truncated, info = env.step(action)
            assert env.observation_space.contains(after)
            assert env.compute_reward(after["achieved_goal"], after["desired_goal"], info) == reward
            rows.append((obs["observation"], action, after["observation"]))
            obs = after
            if terminated or truncated:
                break
    before, actions, arrived = (np.array(column) for column in zip(*rows, strict=True))
    # Relabelled by other goals: as the tasks of these goals reward the whole transition.
    goals = [task for task in world.tasks.values() if task.goal is not None]
    drawn = [
        goals[index] for index in np.random.default_rng(0).integers(len(goals), size=len(rows))
    ]
    desired = np.array([task.goal for task in drawn])
    expected = [
        task.relabel(before[i : i + 1], actions[i : i + 1], arrived[i : i + 1])[0]
        for i, task in enumerate(drawn)
    ]
    found = env.compute_reward(arrived, desired, {})
    assert found == pytest.approx(np.array(expected), rel=1e-9, abs=1e-12)


def test_each_goal_is_drawn_and_one_can_be_pinned() -> None:
    env = view("PointMaze")
    world: Any = env.unwrapped
    goals = {task.goal.tobytes() for task in world.tasks.values() if task.goal is not None}
    assert {env.reset(seed=seed)[0]["desired_goal"].tobytes() for seed in range(80)} == goals
    first = [env.reset(seed=seed)[0]["desired_goal"].tolist() for seed in range(5)]
    assert first == [env.reset(seed=seed)[0]["desired_goal"].tolist() for seed in range(5)]
    name, task = next((n, t) for n, t in world.tasks.items() if t.goal is not None)
    for given in (name, task):
        obs, _ = env.reset(options={"task": given})
        assert np.array_equal(obs["desired_goal"], task.goal)
    few = view("PointMaze", goals=[name])
    assert all(np.array_equal(few.reset(seed=s)[0]["desired_goal"], task.goal) for s in range(4))


def test_snapshots_have_the_goal() -> None:
    env = view("FourRooms")
    obs, _ = env.reset(seed=1)
    kept = get_state(env)
    env.reset(seed=2)
    set_state(env, kept)
    assert np.array_equal(env.step(0)[0]["desired_goal"], obs["desired_goal"])


def test_misuse_is_one_line() -> None:
    with pytest.raises(TypeError, match="needs a world with goals"):
        view("CartPole")
    with pytest.raises(TypeError, match="GoalView needs vectors as observations"):
        GoalView(gym.wrappers.FrameStackObservation(gym.make("zerogym/PointMaze-v0"), 1))
    with pytest.raises(TypeError, match="depend on more than where one arrives"):
        view("TMaze")
    with pytest.raises(UnknownName, match="goal 'nowhere'"):
        view("PointMaze", goals=["nowhere"])
    env = view("PointMaze")
    with pytest.raises(UnknownName):
        env.reset(options={"task": "peak_0"})
    with pytest.raises(ValueError, match="achieved and"):
        env.compute_reward(np.zeros(2), np.zeros((1, 2)), {})
    with pytest.raises(ValueError, match=r"not in|outside|wall|free"):
        env.compute_reward(np.ones(2), np.full(2, 99.0), {})


@pytest.mark.proof
def test_her_of_another_library_learns_four_rooms() -> None:
    """Random actions are at the goal in about 0.02 of the steps, hindsight replay in most."""
    from stable_baselines3 import DQN, HerReplayBuffer

    env = view("FourRooms")
    model = DQN(
        "MultiInputPolicy",
        env,
        replay_buffer_class=HerReplayBuffer,
        gamma=0.95,
        learning_rate=1e-3,
        learning_starts=1_000,
        train_freq=2,
        seed=0,
    )
    returns = []
    for stage in range(2):
        returns.append(_mean_return(model, env))
        if stage == 0:
            model.learn(12_000)
    assert returns[1] > 3 * max(returns[0], 1.0)


def _mean_return(model: Any, env: GoalView) -> float:
    total = 0.0
    for seed in range(20):
        obs, _ = env.reset(seed=1_000 + seed)
        over = False
        while not over:
            obs, reward, terminated, truncated, _ = env.step(
                int(model.predict(obs, deterministic=True)[0])
            )
            total, over = total + reward, terminated or truncated
    return total / 20
