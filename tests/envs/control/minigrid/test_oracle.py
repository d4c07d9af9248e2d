"""The oracle of MiniGrid worlds: every mission and task, by the shortest way."""

from collections import deque
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

import zerogym  # noqa: F401 (registers the ids)
from helpers.control.minigrid_play import each_id, each_level, make, package, play
from zerogym.agents.baselines.random_and_oracle import OraclePolicy
from zerogym.benchmarks.suites.episodes import play as play_episodes
from zerogym.errors import NoOracle, NoRewardPossible


@each_level
def test_the_oracle_accomplishes_every_mission(level: str) -> None:
    env = make(level=level, task="mission")
    for seed in range(6):
        total, steps, info = play(env, seed=seed)
        assert info["success"], (seed, info["mission"])
        assert total == pytest.approx(1 - 0.9 * steps / 200)


@each_level
def test_the_oracle_finds_back_from_anywhere(level: str) -> None:
    env = make(level=level, task="mission")
    for seed in range(3):
        info = play(env, seed=seed, lead=25)[2]
        lost = env._episode.failed  # random steps may have gone into lava
        assert info["success"] or lost, (seed, info["mission"])


@pytest.mark.parametrize(
    ("level", "seeds"),
    [("DoorKey-5x5", 2), ("KeyCorridorS3R1", 1), ("BabyAI-GoToObj", 2), ("MultiRoom-N2-S4", 1)],
)
def test_a_plan_is_as_short_as_can_be(level: str, seeds: int) -> None:
    env = make(level=level, task="mission")
    for seed in range(seeds):
        env.reset(options={"level": seed})
        assert play(env)[1] == shortest(level, seed)


@pytest.mark.proof
@pytest.mark.parametrize(
    ("level", "name", "seeds"),
    [
        ("KeyCorridorS3R1", "hold_ball", 2),
        ("KeyCorridorS3R1", "hold_key", 4),
        ("KeyCorridorS3R2", "hold_red_key", 20),
        ("BabyAI-GoToLocal", "hold_green_box", 6),
    ],
)
def test_nobody_holds_a_thing_sooner(level: str, name: str, seeds: int) -> None:
    env = make(level=level, task=name)
    kind, *color = name.removeprefix("hold_").split("_")[::-1]
    done = 0
    for seed in range(seeds):
        env.reset(options={"level": seed})
        if not any(is_such(thing, kind, color) for thing in env._episode.world.grid.grid):
            with pytest.raises(NoRewardPossible, match="nothing to pick up"):
                env.oracle_action()
            continue
        steps = shortest(level, seed, lambda world, _: is_such(world.carrying, kind, color))
        assert play(env)[0] == env.horizon - steps + 1
        done += 1
    assert done >= 2


def is_such(thing: Any, kind: str, color: list[str]) -> bool:
    return thing is not None and thing.type == kind and (not color or [thing.color] == color)


@each_level
def test_no_box_hides_a_thing(level: str) -> None:
    """No object is hidden, so a missing object means that no reward is possible."""
    env = make(level=level)
    for seed in range(6):
        env.reset(seed=seed)
        for thing in env._episode.world.grid.grid:
            assert thing is None or thing.contains is None


def test_a_task_without_reward_has_no_plan() -> None:
    env = make("KeyCorridor", task="hold_red_key", horizon=50)
    returns, hopeless = [], 0
    for seed in range(30):
        env.reset(seed=seed)
        hopeless += not any(is_such(one, "key", ["red"]) for one in env._episode.world.grid.grid)
        (episode,) = play_episodes([env], OraclePolicy([env]), [seed])
        returns.append(episode.value)
    assert 0 < hopeless < 30
    assert returns.count(0.0) == hopeless and max(returns) > 30


def shortest(
    level: str, seed: int, is_done: Callable[[Any, float], bool] = lambda world, reward: reward > 0
) -> int:
    """Steps to the end of a task, by trying everything in the package's own environment."""
    start = package(level, 10**6)
    start.reset(seed=seed)
    start.gen_obs = dict  # it is slow
    known, queue = set(), deque([(start, 0)])
    while queue:
        world, steps = queue.popleft()
        for action in range(6):
            after = deepcopy(world)
            _, reward, terminated, _, _ = after.step(action)
            if is_done(after, reward):
                return steps + 1
            thing = after.carrying
            state = (after.hash(), None if thing is None else thing.encode())
            if state not in known and not terminated:
                known.add(state)
                queue.append((after, steps + 1))
    raise AssertionError("the level cannot be solved")


@each_id
def test_the_oracle_does_every_task_that_can_be_done(id: str) -> None:
    done = 0
    for name in make(id).tasks:
        env = make(id, task=name, horizon=60)
        env.reset(seed=3)
        try:
            env.oracle_action()
        except NoRewardPossible:
            assert name.count("_") == 2, "only a colour can be missing"
            continue
        total, _, info = play(env)
        done += 1
        assert info["success"] and total > 5, name
    assert done >= 1


def test_a_door_that_is_open_is_closed_to_be_opened() -> None:
    env = make(level="BabyAI-OpenTwoDoors", task="mission")
    env.reset(seed=0)
    for thing in env._episode.world.grid.grid:
        if thing is not None and thing.type == "door":
            thing.is_open = True
    assert play(env)[2]["success"]


def test_a_mission_is_rewarded_once_if_the_episode_goes_on() -> None:
    env = make(level="Empty-5x5", task="mission", horizon=30)
    env.reset(seed=0)
    plan = [2, 2, 1, 2, 2, 0, 0, 2, 0, 0, 2]  # onto the goal, off, and on again
    env.reset(seed=0, options={"task": 2.0 * env._episode.task})
    rewards = [env.step(action)[1] for action in plan]
    assert [round(each, 3) for each in rewards if each] == [round(2 * (1 - 0.9 * 5 / 30), 3)]


def test_where_there_is_no_plan_the_oracle_says_so() -> None:
    env = make()
    env.reset(seed=0)
    with pytest.raises(NoOracle, match="reward-free"):
        env.oracle_action()
    env.reset(options={"task": lambda obs, action, next_obs: next_obs[:, 0]})
    with pytest.raises(NoOracle, match="no plan"):
        env.oracle_action()


def test_a_snapshot_keeps_the_memory_of_a_mission() -> None:
    env = make(level="BabyAI-GoToSeqS5R2", task="mission")
    for seed in range(40):
        env.reset(seed=seed)
        if ", then " in info_of(env):
            break
    for _ in range(3):
        env.step(env.oracle_action())
    snapshot = env.get_state()
    first = play(env)
    for other in (env, make(level="BabyAI-GoToSeqS5R2", task="mission")):
        other.reset(seed=99)
        other.set_state(snapshot)
        assert str(play(other)) == str(first)


def info_of(env: Any) -> str:
    return str(env._episode.world.mission)
