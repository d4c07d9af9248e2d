"""Gymnasium's own wrappers around control worlds, one by one: what README.md says to use, works."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium import wrappers as theirs

import zerogym  # noqa: F401 (registers the ids)
from zerogym import wrappers as ours

Wrap = Callable[[Any], Any]
NAMES = ("PointMaze", "CartPole", "Walker")
WRAPPERS: dict[str, Wrap] = {
    "stack": lambda env: theirs.FlattenObservation(theirs.FrameStackObservation(env, 4)),
    "delay": lambda env: theirs.DelayObservation(env, 2),
    "skip": lambda env: theirs.MaxAndSkipObservation(env, 2),
    "sticky": lambda env: theirs.StickyAction(env, 0.25, (1, 3)),
    "discrete": lambda env: theirs.DiscretizeAction(env, 3),
    "clip": theirs.ClipAction,
    "rescale actions": lambda env: theirs.RescaleAction(env, np.float32(0.0), np.float32(1.0)),
    "rescale": lambda env: theirs.RescaleObservation(env, np.float32(-1.0), np.float32(1.0)),
    "normalize": theirs.NormalizeObservation,
    "normalize pay": theirs.NormalizeReward,
    "clip pay": lambda env: theirs.ClipReward(env, 0.0, 0.5),
    "pay": lambda env: theirs.TransformReward(env, lambda reward: 2.0 * reward),
    "time": lambda env: theirs.TimeAwareObservation(theirs.TimeLimit(env, 30), normalize_time=True),
    "limit": lambda env: theirs.TimeLimit(env, 5),
    "statistics": theirs.RecordEpisodeStatistics,
    "picture": lambda env: theirs.AddRenderObservation(env, render_only=False),
}
REPEAT = getattr(gym.wrappers, "RepeatAction", None)  # Gymnasium 1.4 has it
if REPEAT is not None:
    WRAPPERS["repeat"] = lambda env: REPEAT(env, 3)


def make(name: str) -> Any:
    task = {"PointMaze": "goal_left", "CartPole": "balance", "Walker": "stand"}[name]
    return gym.make(f"zerogym/{name}-v0", task=task, render_mode="rgb_array", horizon=30)


def flat(obs: Any) -> list[float]:
    parts = [obs[key] for key in sorted(obs)] if isinstance(obs, dict) else [obs]
    return [float(number) for part in parts for number in np.ravel(part)]


def steps(env: Any, count: int) -> list[Any]:
    """Observations and rewards; actions are the same whenever it is called."""
    env.action_space.seed(0)
    rows = []
    for _ in range(count):
        obs, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        assert env.observation_space.contains(obs)
        rows.append([*flat(obs), float(reward), terminated, truncated])
    return rows


CASES = [
    pytest.param(name, wrap, id=f"{kind}-{name}")
    for name in NAMES
    for kind, wrap in WRAPPERS.items()
    if (kind, name) != ("picture", "Walker")  # what OpenGL draws is tested with the bodies
]


@pytest.mark.parametrize(("name", "wrap"), CASES)
def test_it_works_from_its_seed_and_with_exact_snapshots(name: str, wrap: Wrap) -> None:
    env = wrap(make(name))
    assert env.observation_space.contains(env.reset(seed=3)[0])
    first = steps(env, 3)
    state = ours.get_state(env)
    expected = steps(env, 2)
    env.reset(seed=9)
    ours.set_state(env, state)
    assert steps(env, 2) == expected
    other = wrap(make(name))
    other.reset(seed=3)
    assert steps(other, 3) == first
    ours.set_state(other, state)
    assert steps(other, 2) == expected


def test_gymnasiums_get_state_in_the_middle_is_not_lost() -> None:
    """`get_wrapper_attr` alone would skip what lies between ours and the world."""
    env = ours.NoisyObservation(
        theirs.StickyAction(theirs.DelayObservation(make("CartPole"), 2), 0.5), 0.1
    )
    env.reset(seed=0)
    steps(env, 4)
    state = env.get_state()
    expected = steps(env, 6)
    env.reset(seed=1)
    env.set_state(state)
    assert steps(env, 6) == expected


def test_what_they_do_is_what_the_table_says() -> None:
    delayed, plain = theirs.DelayObservation(make("PointMaze"), 2), make("PointMaze")
    delayed.reset(seed=0)
    rows = [plain.reset(seed=0)[0], *(plain.step([0.3, 0.1])[0] for _ in range(4))]
    for turn in range(1, 5):
        obs = delayed.step([0.3, 0.1])[0]
        np.testing.assert_array_equal(obs, rows[turn - 2] if turn >= 2 else np.zeros(2))
    if REPEAT is not None:
        repeated = REPEAT(make("PointMaze"), 3)
        repeated.reset(seed=0)
        np.testing.assert_array_equal(repeated.step([0.3, 0.1])[0], rows[3])
    stacked = theirs.FrameStackObservation(make("PointMaze"), 2)
    stacked.reset(seed=0)
    np.testing.assert_array_equal(stacked.step([0.3, 0.1])[0], rows[:2])
    few = theirs.DiscretizeAction(make("CartPole"), 5)
    assert few.action_space == spaces.Discrete(5)
    assert theirs.DiscretizeAction(make("Walker"), 3).action_space == spaces.Discrete(3**6)
    timed = theirs.TimeAwareObservation(
        theirs.TimeLimit(make("PointMaze"), 30), normalize_time=True
    )
    assert timed.reset(seed=0)[0].tolist() == [*rows[0].tolist(), 0.0]
    assert [round(float(few.action(index)[0]), 6) for index in range(5)] == [
        -0.8,
        -0.4,
        0,
        0.4,
        0.8,
    ]
    for choice, push in ((0, -1.0), (1, 1.0)):
        classic = theirs.TransformAction(
            make("CartPole"), lambda a: [2.0 * a - 1.0], spaces.Discrete(2)
        )
        classic.reset(seed=0)
        bare = make("CartPole")
        bare.reset(seed=0)
        np.testing.assert_array_equal(classic.step(choice)[0], bare.step([push])[0])
    halves = theirs.DiscretizeObservation(gym.make("zerogym/TwoRooms-v0", task=None), 4)
    assert halves.observation_space.contains(halves.reset(seed=0)[0])


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_stacks_of_both_kinds_in_vector_environments(mode: str) -> None:
    wrappers = [
        lambda env: ours.NoisyObservation(env, 0.1),
        lambda env: theirs.DelayObservation(env, 1),
        lambda env: theirs.FlattenObservation(theirs.FrameStackObservation(env, 3)),
    ]
    envs = gym.make_vec(
        "zerogym/Pendulum-v0", 2, vectorization_mode=mode, wrappers=wrappers, task="upright"
    )
    try:
        batch, _ = envs.reset(seed=4)
        singles = []
        for index in range(2):
            env = gym.make("zerogym/Pendulum-v0", task="upright")
            for wrap in wrappers:
                env = wrap(env)
            np.testing.assert_array_equal(batch[index], env.reset(seed=4 + index)[0])
            singles.append(env)
        actions = np.array([[0.5], [-0.5]], dtype=np.float32)
        for _ in range(3):
            batch, rewards, *_ = envs.step(actions)
            for index, env in enumerate(singles):
                obs, reward, *_ = env.step(actions[index])
                np.testing.assert_array_equal(batch[index], obs)
                assert rewards[index] == reward
    finally:
        envs.close()
