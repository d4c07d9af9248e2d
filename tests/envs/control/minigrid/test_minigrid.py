"""MiniGrid worlds: the package's physics and missions, our views and rewards."""

import random
import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from minigrid.core import constants

import zerogym  # noqa: F401 (registers the ids)
from helpers.control.minigrid_play import careful, each_level, make, package, play
from zerogym.envs.control.minigrid.state import COLORS, DOOR_STATES, KINDS, MAX_DOORS

# The world is the package's.
from zerogym.errors import MissingExtra


def test_names_are_the_packages() -> None:
    assert {name: i for i, name in enumerate(KINDS)} == constants.OBJECT_TO_IDX
    assert {name: i for i, name in enumerate(COLORS)} == constants.COLOR_TO_IDX
    assert {name: i for i, name in enumerate(DOOR_STATES)} == constants.STATE_TO_IDX


@pytest.mark.proof
@pytest.mark.parametrize("seeds", [1, pytest.param(3, marks=pytest.mark.proof)])
@each_level
def test_a_level_has_the_transitions_and_rewards_of_the_package(level: str, seeds: int) -> None:
    ours, theirs = make(level=level, task="mission", view="partial"), package(level, 200)
    rng = np.random.default_rng(0)
    for seed in range(seeds):
        obs, info = ours.reset(options={"level": seed})
        raw, _ = theirs.reset(seed=seed)
        over = False
        while not over:
            np.testing.assert_array_equal(
                obs[:-4].reshape(7, 7, 3), (raw["image"] / (10, 5, 2)).astype(np.float32)
            )
            assert int(obs[-4:].argmax()) == raw["direction"]
            assert info["mission"] == raw["mission"]
            plan = rng.random() < 0.7  # mostly sensible play, so that missions end both ways
            action = ours.oracle_action() if plan else careful(ours, rng)
            obs, reward, *ends, info = ours.step(action)
            raw, received, *other_ends, _ = theirs.step(int(action))
            assert reward == pytest.approx(float(received), abs=1e-6)
            assert ends[0] == other_ends[0]
            over = any(ends)


@each_level
def test_what_is_kept_of_the_world_is_its_state(level: str) -> None:
    env, rng = make(level=level, horizon=100), np.random.default_rng(1)
    obs, _ = env.reset(seed=0)
    over = False
    while not over:
        obs, _, terminated, over, _ = env.step(env.random_action(rng))
        episode = env._episode
        world, read = episode.world, {k: float(v[0]) for k, v in env.features(obs[None]).items()}
        np.testing.assert_array_equal(episode.grid, world.grid.encode())
        assert obs in env.observation_space
        assert (read["x"], read["y"]) == tuple(world.agent_pos)
        front = world.grid.get(*world.front_pos)
        assert read["front"] == (1 if front is None else KINDS.index(front.type))
        assert read["carried"] == (KINDS.index(world.carrying.type) if world.carrying else 0)
        doors = [thing for thing in world.grid.grid if thing is not None and thing.type == "door"]
        assert len(doors) <= MAX_DOORS
        assert read["open_doors"] == sum(door.is_open for door in doors)
        assert read["locked_doors"] == sum(door.is_locked for door in doors)
        assert read["time"] == pytest.approx(episode.turn / 100)
        over = over or terminated


def test_what_else_happens_in_the_process_changes_nothing(capsys: Any) -> None:
    def episode() -> list[Any]:
        env = make("BabyAI", level="BabyAI-PutNextLocal", task="mission", view="text")
        texts = [env.reset(seed=5)]
        texts += [env.step(env.oracle_action()) for _ in range(4)]
        return texts

    first = str(episode())
    np.random.seed(1)  # noqa: NPY002
    random.seed(1)
    package("BabyAI-PutNextLocal", 10).reset(seed=9)
    capsys.readouterr()
    assert str(episode()) == first
    for seed in range(40):
        make(level="BabyAI-PutNextLocal").reset(seed=seed)
    assert capsys.readouterr().out == "", "the package prints when a draw fails"


# Rewards.


@each_level
def test_the_mission_is_relabelled_as_it_is_streamed(level: str) -> None:
    env = make(level=level, task="mission", view="partial")
    rows, received = [], []
    for seed in range(3):
        env.reset(seed=seed)
        before, over = env.state, False
        while not over:
            action = env.oracle_action()
            _, reward, terminated, truncated, _ = env.step(action)
            rows.append((before, action, env.state))
            received.append(reward)
            before, over = env.state, terminated or truncated
    batch = [np.array(column) for column in zip(*rows, strict=True)]
    relabelled = env._episode.task.relabel(*batch)
    np.testing.assert_array_equal(relabelled, received)
    assert (relabelled > 0).sum() == 3


def test_the_mission_does_not_end_an_episode_of_another_task() -> None:
    env = make(level="Empty-5x5", task="reach_goal", horizon=30)
    total, steps, info = play(env, seed=0)
    assert (total, steps, info["success"]) == (26.0, 30, True), "it goes on paying on the square"
    total, steps, info = play(make(level="Empty-5x5", task="mission", horizon=30), seed=0)
    assert (total, steps) == (pytest.approx(1 - 0.9 * 5 / 30), 5)


def test_lava_ends_every_episode() -> None:
    env = make(level="LavaGapS5", horizon=300)
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    terminated = truncated = False
    while not (terminated or truncated):
        _, _, terminated, truncated, info = env.step(env.random_action(rng))
    assert terminated and not truncated
    assert info["event"] == "You step into lava. You have failed."
    with pytest.raises(RuntimeError, match="over"):
        env.step(0)


@pytest.mark.parametrize("name", ["MiniGrid", "KeyCorridor", "BabyAI", "MiniGridMaze"])
def test_a_missing_package_is_named_with_the_id_that_needs_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "minigrid", None)
    with pytest.raises(MissingExtra, match=rf"^zerogym/{name}-v0 needs minigrid: pip install"):
        gym.make(f"zerogym/{name}-v0")
