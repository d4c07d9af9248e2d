"""MiniGrid worlds: the package's physics and missions, our views, rewards, events and oracle."""

import random
from collections import deque
from copy import deepcopy
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from minigrid.core import constants
from stable_baselines3.common.env_checker import check_env as sb3_check_env
from test_control_tasks import by_action, transitions

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.control.machines import in_order
from zerogym.envs.control.minigrid_env import MiniGridEnv
from zerogym.envs.control.minigrid_levels import LEVELS, package_id
from zerogym.envs.control.minigrid_state import COLORS, DOOR_STATES, KINDS, MOST_DOORS
from zerogym.envs.control.minigrid_text import ACTION_NAMES, listed, read_action, say_action, seen
from zerogym.envs.control.tasks import Task
from zerogym.errors import NoTruth, UnknownName
from zerogym.wrappers.follow_machine import FollowMachine

IDS = ("MiniGrid", "KeyCorridor", "BabyAI", "MiniGridMaze")
each_id = pytest.mark.parametrize("id", IDS)
each_level = pytest.mark.parametrize("level", LEVELS)


def make(id: str = "MiniGrid", **kwargs: Any) -> Any:
    return gym.make(f"zerogym/{id}-v0", **kwargs).unwrapped


def play(env: Any, seed: int | None = None, lead: int = 0) -> tuple[float, int, dict[str, Any]]:
    """An episode of the oracle, after some random steps: return, steps, last info."""
    if seed is not None:
        env.reset(seed=seed)
    rng, total, steps, over = np.random.default_rng(0), 0.0, 0, False
    info: dict[str, Any] = {}
    while not over:
        action = careful(env, rng) if steps < lead else env.oracle_action()
        _, reward, terminated, truncated, info = env.step(action)
        total, steps, over = total + reward, steps + 1, terminated or truncated
    return total, steps, info


def careful(env: Any, rng: np.random.Generator) -> Any:
    """A random action, but no box is opened: what is meant may be gone with it."""
    at_box = env.features(env._episode.state[None])["front"][0] == KINDS.index("box")
    return np.int64(rng.choice([0, 1, 2, 3, 4, 6] if at_box else 7))


def package(level: str, max_steps: int) -> Any:
    return gym.make(package_id(level), disable_env_checker=True, max_steps=max_steps).unwrapped


# The world is the package's.


def test_names_are_the_packages() -> None:
    assert {name: i for i, name in enumerate(KINDS)} == constants.OBJECT_TO_IDX
    assert {name: i for i, name in enumerate(COLORS)} == constants.COLOR_TO_IDX
    assert {name: i for i, name in enumerate(DOOR_STATES)} == constants.STATE_TO_IDX


@each_level
def test_a_level_is_played_and_paid_as_by_the_package(level: str) -> None:
    ours, theirs = make(level=level, task="mission", view="partial"), package(level, 200)
    rng = np.random.default_rng(0)
    for seed in range(3):
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
            raw, paid, *other_ends, _ = theirs.step(int(action))
            assert reward == pytest.approx(float(paid), abs=1e-6)
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
        world, seen_as = episode.world, {k: float(v[0]) for k, v in env.features(obs[None]).items()}
        np.testing.assert_array_equal(episode.grid, world.grid.encode())
        assert obs in env.observation_space
        assert (seen_as["x"], seen_as["y"]) == tuple(world.agent_pos)
        front = world.grid.get(*world.front_pos)
        assert seen_as["front"] == (1 if front is None else KINDS.index(front.type))
        assert seen_as["carried"] == (KINDS.index(world.carrying.type) if world.carrying else 0)
        doors = [thing for thing in world.grid.grid if thing is not None and thing.type == "door"]
        assert len(doors) <= MOST_DOORS
        assert seen_as["open_doors"] == sum(door.is_open for door in doors)
        assert seen_as["locked_doors"] == sum(door.is_locked for door in doors)
        assert seen_as["time"] == pytest.approx(episode.turn / 100)
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


@each_id
def test_relabelled_rewards_equal_streamed_ones_exactly(id: str) -> None:
    free = transitions(make(id, horizon=60))
    assert not free[3].any(), "the world itself is reward-free"

    def by_features(features: Any, action: Any) -> Any:
        return features["carried"] - features["front"] + 0.5 * features["x"] * features["time"]

    tasks = [*make(id).tasks.values(), Task("by_action", "Move.", by_action)]
    for task in [*tasks, make(id, task=by_features)._task, make(id, task=(2, 3))._task]:
        stored = transitions(make(id, task=task, horizon=60))
        for one, other in zip(free[:3], stored, strict=False):
            np.testing.assert_array_equal(one, other)  # the task does not touch the physics
        np.testing.assert_array_equal(task.relabel(*free[:3]), stored[3])


@each_level
def test_the_mission_is_relabelled_as_it_is_streamed(level: str) -> None:
    env = make(level=level, task="mission", view="partial")
    rows, paid = [], []
    for seed in range(3):
        env.reset(seed=seed)
        before, over = env.state, False
        while not over:
            action = env.oracle_action()
            _, reward, terminated, truncated, _ = env.step(action)
            rows.append((before, action, env.state))
            paid.append(reward)
            before, over = env.state, terminated or truncated
    batch = [np.array(column) for column in zip(*rows, strict=True)]
    relabelled = env._episode.task.relabel(*batch)
    np.testing.assert_array_equal(relabelled, paid)
    assert (relabelled > 0).sum() == 3


@each_id
def test_tasks_and_events_are_the_same_in_torch(id: str) -> None:
    env = make(id)
    obs, action, next_obs, _ = transitions(env, 2)
    tensors = [torch.from_numpy(array) for array in (obs, action, next_obs)]
    for task in env.tasks.values():
        in_torch = task.relabel(*tensors)
        assert isinstance(in_torch, torch.Tensor)
        np.testing.assert_array_equal(in_torch.numpy(), task.relabel(obs, action, next_obs))
    for event in env.events.values():
        np.testing.assert_array_equal(event(*tensors).numpy(), event(obs, action, next_obs))


@each_id
def test_named_tasks_are_sentences(id: str) -> None:
    env = make(id)
    assert all(task.name == name and task.text.endswith(".") for name, task in env.tasks.items())
    assert len({task.text for task in env.tasks.values()}) == len(env.tasks)


@each_id
def test_a_task_of_another_world_is_refused(id: str) -> None:
    size = make(id)._pristine.width
    for goal in ((0, 1), (1, size - 1), (1.5, 1), (-1, 0), (np.nan, 1), (1, 2, 3), (99, 1)):
        with pytest.raises(ValueError, match="goal must be a cell"):
            make(id, task=goal)
    with pytest.raises(UnknownName, match="no task"):
        make(id, task="hold_elephant")


@pytest.mark.parametrize("view", ["numeric", "partial"])
@each_id
def test_stable_baselines3_accepts_the_numeric_views(id: str, view: str) -> None:
    sb3_check_env(make(id, task="mission", view=view))


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


# The oracle.


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
    [("DoorKey-5x5", 4), ("KeyCorridorS3R1", 2), ("BabyAI-GoToObj", 2), ("MultiRoom-N2-S4", 2)],
)
def test_a_plan_is_as_short_as_can_be(level: str, seeds: int) -> None:
    env = make(level=level, task="mission")
    for seed in range(seeds):
        env.reset(options={"level": seed})
        assert play(env)[1] == shortest(level, seed)


def shortest(level: str, seed: int) -> int:
    """Steps to the end of a mission, by trying everything in the package's own environment."""
    start = package(level, 10**6)
    start.reset(seed=seed)
    start.gen_obs = dict  # it is slow
    known, queue = set(), deque([(start, 0)])
    while queue:
        world, steps = queue.popleft()
        for action in range(6):
            after = deepcopy(world)
            _, reward, terminated, _, _ = after.step(action)
            if reward > 0:
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
        except NoTruth as error:
            assert "no plan" in str(error)
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


def test_a_mission_is_paid_once_where_the_episode_goes_on() -> None:
    env = make(level="Empty-5x5", task="mission", horizon=30)
    env.reset(seed=0)
    plan = [2, 2, 1, 2, 2, 0, 0, 2, 0, 0, 2]  # onto the goal, off, and on again
    env.reset(seed=0, options={"task": 2.0 * env._episode.task})
    paid = [env.step(action)[1] for action in plan]
    assert [round(each, 3) for each in paid if each] == [round(2 * (1 - 0.9 * 5 / 30), 3)]


def test_where_there_is_no_plan_the_oracle_says_so() -> None:
    env = make()
    env.reset(seed=0)
    with pytest.raises(NoTruth, match="reward-free"):
        env.oracle_action()
    env.reset(options={"task": lambda obs, action, next_obs: next_obs[:, 0]})
    with pytest.raises(NoTruth, match="no plan"):
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


# Events.


def test_what_happens_is_said_and_is_an_event() -> None:
    env = make(level="DoorKey-6x6", task="mission")
    before, _ = env.reset(seed=0)
    said, held = [], []
    for action in [6, 2, *[None] * 14]:
        move = env.oracle_action() if action is None else action
        after, _, over, _, info = env.step(move)
        said.append(info["event"])
        held.append([name for name, event in env.events.items()
                     if event(before[None], np.array([move]), after[None])[0]])  # fmt: skip
        before = after
        if over:
            break
    assert over
    assert said[:2] == ["Nothing happens.", "You bump into the wall."]
    assert held[1] == ["bump", "bump_wall"]
    happened = dict(zip(said, held, strict=True))
    assert happened["You pick up the yellow key."] == [
        "pick_up",
        "pick_up_key",
        "pick_up_yellow_key",
    ]
    assert set(happened["You unlock the yellow door and open it."]) == {
        "open_door", "open_yellow_door", "unlock_door", "unlock_yellow_door",
    }  # fmt: skip
    assert happened["You step on the goal. The mission is accomplished."] == ["enter_goal", "solve"]
    assert happened["You turn left."] == []


def test_things_that_are_opened_closed_and_dropped_are_events() -> None:
    env = make("BabyAI", level="BabyAI-ActionObjDoor", horizon=399)
    rng, found = np.random.default_rng(0), set()
    for seed in range(6):
        before, _ = env.reset(seed=seed)
        truncated = False
        while not truncated:
            can = env._episode.admissible()
            move = int(rng.choice([*can, *[a for a in can if a > 2] * 3]))
            after, _, _, truncated, info = env.step(move)
            verb = " ".join(info["event"].split()[1:3])
            for name in ("drop", "unbox", "close_door", "open_door", "pick_up"):
                if env.events[name](before[None], np.array([move]), after[None])[0]:
                    found.add((name, verb))
            before = after
    assert found == {
        ("drop", "drop the"), ("unbox", "open the"), ("close_door", "close the"),
        ("open_door", "open the"), ("pick_up", "pick up"),
    }  # fmt: skip


def test_events_drive_a_reward_machine() -> None:
    world = gym.make("zerogym/MiniGrid-v0", task="mission")
    machine = in_order("pick_up_key", "unlock_door", "enter_goal")
    events = {name: world.unwrapped.events[name] for name in machine.events}  # type: ignore[attr-defined]
    env = FollowMachine(world, machine, events)
    env.reset(seed=1)
    total, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, info = env.step(world.unwrapped.oracle_action())  # type: ignore[attr-defined]
        total, over = total + reward, terminated or truncated
    assert (total, info["success"]) == (1.0, True)


# Text.


def test_the_view_is_said_in_steps() -> None:
    image = np.zeros((7, 7, 3), dtype=np.uint8)
    image[:, :, 0] = 1
    image[1, 5] = (5, 0, 0)  # a red key
    image[3, 3] = (4, 4, 2)  # a locked yellow door
    image[3, 0] = (2, 5, 0)  # walls
    image[6, 6] = (2, 5, 0)
    image[3, 6] = (6, 2, 0)  # what is carried
    assert seen(image, "blue ball") == (
        "You see a red key 2 steps left and 1 step forward. "
        "You see a locked yellow door 3 steps forward. You see a wall 6 steps forward. "
        "You see a wall 3 steps right. You carry a blue ball."
    )
    image[:, :, 0] = 1
    assert seen(image, "") == "You see nothing. You carry nothing."


@pytest.mark.parametrize("id", ["MiniGrid", "BabyAI"])
def test_listed_actions_are_those_that_change_something(id: str) -> None:
    rng = np.random.default_rng(2)
    env = make(id, view="text", **({"level": "BabyAI-ActionObjDoor"} if id == "BabyAI" else {}))
    for seed in range(4):
        text, _ = env.reset(seed=seed)
        for _ in range(60):
            can = env._episode.admissible()
            assert listed(can) in text
            move = int(rng.choice([*range(7), *can]))
            before = env._episode.state[:-1].copy(), env._episode.world.hash()
            text = env.step(say_action(move))[0]
            clock = list(env.measures).index("time")
            changed = (
                np.delete(before[0], clock).tolist()
                != np.delete(env._episode.state[:-1], clock).tolist()
            )
            assert changed == (move in can), ACTION_NAMES[move]


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ("<answer>turn left</answer>", 0), ("I think\nGo forward.", 2), ("**Pick up**", 3),
        ("<answer> TOGGLE </answer>", 5), ("\\boxed{drop}", 4), ("pick_up", 3), ("forward", 2),
        ("open", 5), ("wait", 6), ("go forward and then left", None), ("", None), ("jump", None),
        ("<answer>turn left, turn left</answer>", None), ("turn  left" + " " * 99, 0),
    ],
)  # fmt: skip
def test_replies_are_read_with_tolerance(reply: str, action: int | None) -> None:
    assert read_action(reply)[0] == action


def test_a_reply_that_is_no_action_is_waiting() -> None:
    env = make(view="text", task="mission")
    env.reset(seed=0)
    place = env._episode.state[:-1].copy()
    text, _, _, _, info = env.step("Pick up the key, please!")
    assert info["void_turn"]
    assert info["event"] == "Nothing happens."
    assert text.startswith("That is not an action, so you wait. You see")
    assert env._episode.turn == 1
    assert (env._episode.state[:3] == place[:3]).all()


# Bad input, pictures.


@pytest.mark.parametrize(
    ("kwargs", "match"),
    [
        ({"level": "DoorKey-66"}, "no level 'DoorKey-66'. Did you mean 'DoorKey-6x6'"),
        ({"view": "pixels"}, "no view"),
        ({"render_mode": "svg"}, "no render mode"),
        ({"horizon": 0}, "horizon must be"),
        ({"task": "open_dor"}, "Did you mean 'open_door'"),
    ],
)
def test_bad_arguments_are_named(kwargs: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        MiniGridEnv(**kwargs)


@pytest.mark.parametrize("level", [-1, 1.5, "3", True, None.__class__])
def test_a_bad_seed_of_a_level_is_refused(level: Any) -> None:
    with pytest.raises(ValueError, match="level must be a seed"):
        make().reset(options={"level": level})


@pytest.mark.parametrize("action", [-1, 7, 2.0, "2", None, np.nan, [2]])
def test_a_bad_action_is_refused_and_nothing_happens(action: Any) -> None:
    env = make()
    env.reset(seed=0)
    with pytest.raises(ValueError, match="action must be an integer from 0 to 6"):
        env.step(action)
    assert env._episode.turn == 0


@each_id
def test_a_world_is_drawn_in_pixels_and_in_characters(id: str) -> None:
    env = make(id, render_mode="rgb_array")
    assert env.render() is None
    env.reset(seed=0)
    height, width = env._pristine.height, env._pristine.width
    assert env.render().shape == (24 * height, 24 * width, 3)
    env = make(id, render_mode="ansi")
    env.reset(seed=0)
    assert len(env.render().splitlines()) == height
