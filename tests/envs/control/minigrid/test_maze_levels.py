"""Mazes as vectors: reading, drawing, changing and measuring levels, and playing them."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

from helpers.control.worlds import bare
from zerogym.envs.control.minigrid.maze_levels import (
    MazeLevel,
    level_of,
    mutate,
    random_level,
)

OPEN = [0, 0, 8, *[0] * 9]


make = partial(bare, "MiniGridMaze")


def reachable(level: MazeLevel) -> int | None:
    """The path length by repeated spreading over the whole grid: another way to the same number."""
    wave = np.zeros((level.size + 2,) * 2, dtype=bool)
    free = np.pad(~level.walls, 1)
    at = [(1 + cell // level.size, 1 + cell % level.size) for cell in (level.start, level.goal)]
    wave[at[0]] = True
    for steps in range(level.size**2):
        if wave[at[1]]:
            return steps
        spread = wave.copy()
        for axis in (0, 1):
            spread |= np.roll(wave, 1, axis) | np.roll(wave, -1, axis)
        wave = spread & free
    return None


def test_a_vector_says_all_of_a_level() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        level = random_level(rng, 6, 10)
        again = level_of(level.vector())
        assert again.vector().tolist() == level.vector().tolist()
        assert level.vector().shape == (39,)
        assert (again.num_walls, again.path_length) == (10, level.path_length)


def test_complexity_is_the_shortest_way_or_none() -> None:
    rng, observed = np.random.default_rng(1), set()
    for _ in range(300):
        level = mutate(rng, random_level(rng, 5, 8), 6)
        assert level.path_length == reachable(level)
        assert level.solvable == (level.path_length is not None)
        observed.add(level.solvable)
    assert observed == {True, False}
    assert level_of(OPEN).path_length == 4


def test_a_drawn_level_is_solvable_and_spread_evenly() -> None:
    rng = np.random.default_rng(2)
    levels = [random_level(rng, 5, 9) for _ in range(400)]
    assert all(level.solvable and level.num_walls == 9 for level in levels)
    assert {level.facing for level in levels} == {0, 1, 2, 3}
    assert {level.start for level in levels} == {level.goal for level in levels} == set(range(25))
    assert np.mean([level.walls for level in levels], axis=0).min() > 0.2


def test_a_change_is_small_and_leaves_a_level() -> None:
    rng, kinds = np.random.default_rng(3), set()
    for _ in range(300):
        level = random_level(rng, 5, 8)
        kept = level.vector()
        vector = mutate(rng, level).vector()
        level_of(vector)  # it is one
        differs = np.flatnonzero(vector != kept)
        assert len(differs) == 1
        kinds.add(min(int(differs[0]), 3))
        np.testing.assert_array_equal(level.vector(), kept, err_msg="the parent is as it was")
    assert kinds == {0, 2, 3}, "starts, goals and walls, but not the direction"
    far = mutate(rng, level, 20).vector()
    assert (far != kept).sum() > 3
    assert mutate(rng, level, 0).vector().tolist() == kept.tolist()


def test_edits_of_a_full_level_move_nothing_into_walls() -> None:
    full = level_of([0, 0, 1, 0, 0, *[1] * 7])
    rng, moved = np.random.default_rng(0), 0
    for _ in range(50):
        once, edited = mutate(rng, full), mutate(rng, full, 3)
        assert (once.start, once.goal) == (0, 1), "there is no other free cell"
        assert edited.start != edited.goal
        assert not edited.walls.ravel()[[edited.start, edited.goal]].any()
        moved += (edited.start, edited.goal) != (0, 1)
    assert moved > 0, "an edit may free a cell, and another one move there"


@pytest.mark.parametrize(
    ("vector", "match"),
    [
        (OPEN[:-1], "3 \\+ n \\* n numbers"),
        ([], "3 \\+ n \\* n numbers"),
        ([0, 0, 1, 0, 0, 0, 0], "3 \\+ n \\* n numbers"),
        ([OPEN], "3 \\+ n \\* n numbers"),
        ("maze", "vector of numbers"),
        ([0, 0, "x"], "vector of numbers"),
        ([9, *OPEN[1:]], "two of the cells 0 to 8, got 9 and 8"),
        ([8, *OPEN[1:]], "two of the cells"),
        ([np.nan, *OPEN[1:]], "two of the cells"),
        ([0, 4, *OPEN[2:]], "direction must be 0, 1, 2 or 3, got 4"),
        ([0, 0.5, *OPEN[2:]], "direction"),
        ([*OPEN[:4], 0.5, *OPEN[5:]], "walls must be 0 or 1, got 0.5"),
        ([*OPEN[:4], np.nan, *OPEN[5:]], "walls must be 0 or 1"),
        ([*OPEN[:3], 1, *OPEN[4:]], "start or goal is in a wall"),
        ([*OPEN[:11], 1], "start or goal is in a wall"),
    ],
)
def test_a_bad_vector_is_refused(vector: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        level_of(vector)
    with pytest.raises(ValueError, match=match):
        make(size=3, walls=0).reset(options={"level": vector})


@pytest.mark.parametrize(
    ("walls", "start", "goal", "match"),
    [
        (np.eye(3) == 1, 0, 2, "start or goal is in a wall"),
        (np.eye(3) == 1, 1, 99, "two of the cells 0 to 8"),
        (np.eye(3) == 1, 1, 1, "two of the cells"),
        (np.eye(3)[:2] == 1, 1, 2, "3 \\+ n \\* n numbers"),
    ],
)
def test_a_level_made_by_hand_is_looked_at_before_it_is_played(
    walls: Any, start: int, goal: int, match: str
) -> None:
    with pytest.raises(ValueError, match=match):
        make(size=3, walls=0).reset(options={"level": MazeLevel(walls, start, 0, goal)})


@pytest.mark.parametrize(
    ("size", "walls", "match"),
    [
        (2, 0, "size must be"), (26, 0, "size must be"), (4, 15, "num_walls must be"),
        (4, -1, "num_walls must be"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused(size: int, walls: int, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        random_level(np.random.default_rng(0), size, walls)
    with pytest.raises(ValueError, match=r"must be an integer from|num_walls"):
        make(size=size, walls=walls)


def test_a_pinned_level_is_what_is_played() -> None:
    level = random_level(np.random.default_rng(5), 7, 20)
    env = make(task="mission", render_mode="ansi")
    for given in (level, level.vector(), level.vector().tolist(), level.vector().astype(float)):
        obs, info = env.reset(seed=1, options={"level": given})
        assert info["level"].tolist() == level.vector().tolist()
        assert env.level.path_length == level.path_length
        grid = obs[-3 * 81 :].reshape(9, 9, 3)[1:-1, 1:-1]  # x first
        np.testing.assert_array_equal(np.float32(0.2) == grid[:, :, 0].T, level.walls)
        assert np.flatnonzero(np.float32(0.8) == grid[:, :, 0].T).tolist() == [level.goal]
        observed = {name: float(value[0]) for name, value in env.features(obs[None]).items()}
        assert (observed["y"] - 1) * 7 + observed["x"] - 1 == level.start
        assert [observed[f"faces_{way}"] for way in ("right", "down", "left", "up")][
            level.facing
        ] == 1
    with pytest.raises(ValueError, match="must be of size 7, as the environment, got 3"):
        env.reset(options={"level": OPEN})
    free = env.reset(seed=1)[1]["level"].tolist()
    env.reset(seed=1, options={"level": level})
    after = env.reset()[1]["level"].tolist()
    env.reset(seed=1)
    assert env.level.vector().tolist() == free, "a pinned level is for one episode"
    assert env.reset()[1]["level"].tolist() == after, "and shifts no later draw"


def test_the_oracle_needs_at_least_the_path_and_solves_each_level() -> None:
    env, rng = make(task="mission", walls=20), np.random.default_rng(0)
    for seed in range(20):
        env.reset(seed=seed)
        level, steps, over = env.level, 0, False
        while not over:
            _, reward, terminated, truncated, info = env.step(env.oracle_action())
            steps, over = steps + 1, terminated or truncated
        assert info["success"]
        assert level.path_length is not None
        assert level.path_length <= steps <= 3 * level.path_length + 2, "with the turns"
        assert reward == pytest.approx(1 - 0.9 * steps / 150)
    full = level_of([0, 0, 8, 0, 1, 0, 1, 1, 0, 0, 0, 0])
    assert not full.solvable
    closed = make(size=3, walls=0, task="mission")
    closed.reset(options={"level": full})
    for _ in range(150):
        info = closed.step(closed.random_action(rng))[4]
    assert not info["success"], "what cannot be solved can be played"


def test_the_same_level_gives_the_same_episode_whatever_the_seed() -> None:
    level = random_level(np.random.default_rng(1), 7, 14)
    texts = []
    for seed in (1, 2):
        env = make(view="text", task="reach_goal")
        said = [env.reset(seed=seed, options={"level": level})[0]]
        said += [env.step(f"<answer>{word}</answer>")[0]
                 for word in ("go forward", "turn left", "go forward", "drop")]  # fmt: skip
        texts.append(said)
    assert texts[0] == texts[1]


def test_size_and_walls_are_of_the_drawn_levels() -> None:
    for size, walls in ((3, 0), (5, 12), (13, 60)):
        env = make(size=size, walls=walls)
        levels = {tuple(env.reset(seed=seed)[1]["level"]) for seed in range(5)}
        assert len(levels) == 5
        assert all(sum(level[3:]) == walls for level in levels)
        assert env.observation_space.shape == (17 + 3 * (size + 2) ** 2,)


@pytest.mark.proof
def test_ppo_learns_to_find_the_goal_in_new_mazes() -> None:
    arguments = {"task": "mission", "view": "partial", "size": 5, "walls": 4, "horizon": 60}
    envs = make_vec_env("zerogym/MiniGridMaze-v0", 4, seed=0, env_kwargs=arguments)
    agent = PPO("MlpPolicy", envs, 1e-3, n_steps=128, batch_size=128, ent_coef=0.01, seed=0)
    before = mean_return(agent, arguments)
    agent.learn(40_000)
    after = mean_return(agent, arguments)
    assert before < 0.25
    assert after > 0.5, "0.73 where it was measured; a shortest plan earns about 0.9"


def mean_return(agent: PPO, arguments: dict[str, Any]) -> float:
    """Over 60 drawn mazes."""
    env, total = make(**arguments), 0.0
    for seed in range(1000, 1060):
        obs, over = env.reset(seed=seed)[0], False
        while not over:
            obs, reward, terminated, truncated, _ = env.step(int(agent.predict(obs)[0]))
            total, over = total + reward, terminated or truncated
    return total / 60
