"""Mazes of points in words: what is said of a place, which replies are steps; both are one."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Text

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.control.mazes.layouts import LAYOUTS
from zerogym.envs.control.mazes.physics import is_free, move
from zerogym.envs.control.mazes.tasks import draw_free
from zerogym.envs.control.mazes.text_view import (
    free_distances,
    parse_step,
    place_text,
    step_reply,
)
from zerogym.envs.control.mazes.two_rooms import two_rooms
from zerogym.errors import UnknownName


def make(name: str = "TwoRooms", **kwargs: Any) -> Any:
    return gym.make(f"zerogym/{name}-v0", **{"task": None, **kwargs}).unwrapped


def test_an_episode_reads_like_this() -> None:
    env = make(view="text", task="goal_right", context={"door": 40})
    said, info = env.reset(seed=0, options={"start": (29, 20)})
    assert said == (
        "Go to the point (52.00, 31.50) and stay there.\n"
        "You are at (29.00, 20.00). Free: left 24.50, right 1.50, up 38.50, down 15.50.\n"
        "Answer with two numbers from -1 to 1: how far to go along x (to the right) and along y "
        "(up), in units of 2.45."
    )
    assert info["position"].tolist() == [29.0, 20.0]
    said, reward, terminated, truncated, info = env.step("I go right.\n<answer>1 0.5</answer>")
    assert said == (
        "You are at (30.50, 21.23). Free: left 26.00, right 0.00, up 37.27, down 16.73."
    )
    assert (reward, terminated, truncated) == (pytest.approx(0.0, abs=1e-6), False, False)
    assert (info["void_turn"], info["answer_format"], info["success"]) == (False, "tag", False)
    said, *_, info = env.step("to the door!")
    assert said.startswith("Those are not two numbers, so you stay. You are at (30.50, 21.23).")
    assert info["void_turn"] and info["answer_format"] == "line" and info["turn"] == 2
    assert make(view="text").reset(seed=0)[0].startswith("Explore.\n")


@pytest.mark.parametrize(
    ("reply", "step"),
    [
        ("<answer>0.5 -1</answer>", (0.5, -1.0)),
        ("<answer>(0.5, -1)</answer>", (0.5, -1.0)),
        ("So:\n[ +.25 ,0. ].", (0.25, 0.0)),
        ("\\boxed{7, -9}", (1.0, -1.0)),
        ("The answer is 0 0", (0.0, 0.0)),
        ("<answer>0.5</answer>", None),
        ("<answer>0.5 1 0</answer>", None),
        ("<answer>nan inf</answer>", None),
        ("<answer>1e3 0</answer>", None),
        ("<answer>\u0661 \u0662</answer>", None),
        ("<answer>0.5-1</answer>", None),
        ("<answer>" + "0" * 200 + " 1</answer>", None),
        ("", None),
    ],
)
def test_two_numbers_are_a_step(reply: str, step: Any) -> None:
    assert parse_step(reply)[0] == step


def test_what_is_said_is_read_to_the_last_bit() -> None:
    rng = np.random.default_rng(0)
    steps = rng.uniform(-1, 1, (300, 2)).astype(np.float32)
    small = (steps * np.float32(10.0) ** rng.integers(-30, 0, steps.shape)).astype(np.float32)
    for action in [*steps, *small, np.float32([-1, 1]), np.float32([0, -0.0])]:
        step, found = parse_step(step_reply(action))
        assert found == "tag"
        np.testing.assert_array_equal(np.float32(step), action)


@pytest.mark.parametrize("name", ["two rooms", *LAYOUTS])
def test_it_is_free_as_far_as_is_said_and_no_farther(name: str) -> None:
    maze = two_rooms(23.0, 30.0) if name == "two rooms" else LAYOUTS[name].maze
    rng = np.random.default_rng(0)
    ways = {"left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1)}
    for place in [draw_free(rng, maze) for _ in range(60)]:
        free = free_distances(maze, *place.tolist())
        assert list(free) == list(ways)
        for direction, far in free.items():
            way = np.array([ways[direction]], dtype=np.float64)
            end = move(maze, place[None], way * 1e3)[0]
            assert np.abs(end - place).sum() == pytest.approx(far, abs=1e-5)
            assert is_free(maze, end[None]).all()
    assert place_text(maze, place).count(f"{free['up']:.2f}") >= 1


def test_point_mazes_read_like_this() -> None:
    env = make("PointMaze", view="text", task="goal_right_top")
    assert env.reset(seed=0, options={"start": (0.5, 0.5)})[0] == (
        "Go to the point (2.56, 2.62) and stay there.\n"
        "You are at (0.50, 0.50). Free: left 0.50, right 0.38, up 2.50, down 0.50.\n"
        "Answer with two numbers from -1 to 1: how far to go along x (to the right) and along y "
        "(up), in units of 0.2."
    )
    assert env.step("1 0.5")[0].startswith("You are at (0.70, 0.60).")
    assert isinstance(env.observation_space, Text) and env.action_space.contains("1 0.5")
    numeric = make("PointMaze")
    assert numeric.reset(seed=0)[0].shape == (2,) and "position" not in numeric.step((0, 0))[4]
    with pytest.raises(UnknownName, match="no view 'image'"):
        make("PointMazeLarge", view="image")


@pytest.mark.parametrize(
    ("name", "task"),
    [("TwoRooms", "cross"), ("PointMaze", "peak_1"), ("PointMazeLarge", "goal_3")],
)
def test_text_and_numbers_are_one_world(name: str, task: str) -> None:
    for seed in range(3):
        text, numeric = make(name, view="text", task=task), make(name, task=task)
        text.reset(seed=seed)
        numeric.reset(seed=seed)
        for turn in range(40):
            actor = "oracle_action" if turn % 2 else "straight_line_action"
            arguments = () if turn % 2 else (np.random.default_rng(0),)
            said = text.step(getattr(text, actor)(*arguments))
            observed = numeric.step(getattr(numeric, actor)(*arguments))
            np.testing.assert_array_equal(said[4]["position"], observed[0])
            assert said[1:4] == observed[1:4]
            assert said[4].get("success") == observed[4].get("success")


def test_info_cannot_be_changed_from_outside() -> None:
    env = make(view="text")
    _, info = env.reset(seed=0)
    info["position"][:] = 0.0
    assert env.step("0 0")[4]["position"].all()
