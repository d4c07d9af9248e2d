"""MiniGrid worlds in words: events, views, replies, and what is refused."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from helpers.control.minigrid_play import make
from zerogym.envs.control.minigrid.text_view import (
    ACTION_NAMES,
    admissible_text,
    parse_reply,
    view_text,
)
from zerogym.envs.control.temporal.reward_machines import in_order
from zerogym.wrappers.rewards.reward_machine import RewardMachineWrapper

# Events.


def test_events_agree_with_sentences() -> None:
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
    env = RewardMachineWrapper(world, machine, events)
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
    assert view_text(image, "blue ball") == (
        "You see a red key 2 steps left and 1 step forward. "
        "You see a locked yellow door 3 steps forward. You see a wall 6 steps forward. "
        "You see a wall 3 steps right. You carry a blue ball."
    )
    image[:, :, 0] = 1
    assert view_text(image, "") == "You see nothing. You carry nothing."


@pytest.mark.parametrize("id", ["MiniGrid", "BabyAI"])
def test_listed_actions_are_those_that_change_something(id: str) -> None:
    rng = np.random.default_rng(2)
    env = make(id, view="text", **({"level": "BabyAI-ActionObjDoor"} if id == "BabyAI" else {}))
    for seed in range(4):
        text, _ = env.reset(seed=seed)
        for _ in range(60):
            can = env._episode.admissible()
            assert admissible_text(can) in text
            move = int(rng.choice([*range(7), *can]))
            before = env._episode.state[:-1].copy(), env._episode.world.hash()
            text = env.step(f"<answer>{ACTION_NAMES[move]}</answer>")[0]
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
    assert parse_reply(reply)[0] == action


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


@pytest.mark.parametrize("level", [-1, 1.5, "3", True, None.__class__])
def test_a_bad_seed_of_a_level_is_refused(level: Any) -> None:
    with pytest.raises(ValueError, match="level must be a seed"):
        make().reset(options={"level": level})
