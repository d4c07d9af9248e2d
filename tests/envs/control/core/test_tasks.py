"""Tasks as data: what the argument `task` accepts and refuses, and the tolerance of rewards."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from helpers.control.transitions import by_action
from zerogym.envs.control.core.tasks import MAX_TEXT, Goal, Task, tolerance
from zerogym.errors import UnknownName

IDS = ("zerogym/FourRooms-v0", "zerogym/UMap-v0", "zerogym/PointMaze-v0")


def make(id: str, **kwargs: Any) -> Any:
    return gym.make(id, **kwargs).unwrapped


def test_a_task_may_be_a_name_a_task_a_function_or_a_goal() -> None:
    env = make("zerogym/FourRooms-v0")
    goal = env.tasks["goal_1_2"]
    for task in ("goal_1_2", goal, (1, 2), Goal((1, 2)), Goal(goal.goal), goal.goal, goal.reward):
        _, info = env.reset(options={"start": (1, 1), "task": task})
        assert env.step(2)[1] == 1.0
        assert info["category"] == ("StateReward" if task is goal.reward else "goal_1_2")
    env.reset(options={"start": (1, 1)})
    assert env.step(2)[1] == 0.0, "a pinned task is for one episode"


def test_a_function_names_and_describes_its_task() -> None:
    env = make("zerogym/FourRooms-v0", task=by_action, view="text")
    text, info = env.reset(seed=0)
    assert info["category"] == "by_action"
    assert text.startswith("Reward the change of the observation, and the action.\n")


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize(
    ("task", "error", "match"),
    [
        ("goal_1_", UnknownName, "no task 'goal_1_'. Did you mean 'goal_"),
        (lambda o, a, n: 1.0, ValueError, r"shape \(B,\) = \(\d+,\) .* got \(\)"),
        (lambda o, a, n: n, ValueError, r"shape \(B,\)"),
        (lambda o, a, n: np.full(len(o), np.nan), ValueError, "is nan for a transition"),
        (lambda o, a, n: ["?"] * len(o), ValueError, "is not a number"),
        ((-1, 0), ValueError, "goal must be"),
        ((0.5, 99.0), ValueError, "goal must be"),
        ((np.nan, 1.0), ValueError, "goal must be"),
        ((1, 2, 3), ValueError, "goal must be"),
        (Goal((1, 2, 3)), ValueError, "goal must be"),
        (Goal((0.5, 99.0)), ValueError, "goal must be"),
        (Goal("far away"), TypeError, "Goal: place must be numbers, got 'far away'"),
        ({"goal": 1}, TypeError, "got dict"),
        (["far", "away"], TypeError, "got list"),
    ],
)
def test_a_bad_task_is_refused_in_words(id: str, task: Any, error: type, match: str) -> None:
    if id == "zerogym/PointMaze-v0" and task == "goal_1_":
        match = "no task"
    with pytest.raises(error, match=match):
        make(id, task=task)
    env = make(id)
    with pytest.raises(error, match=match):
        env.reset(options={"task": task})


def test_a_reward_that_turns_nan_in_the_episode_names_its_task() -> None:
    def broken(obs: np.ndarray, action: np.ndarray, next_obs: np.ndarray) -> np.ndarray:
        return np.where(action[:, 0] > 0.5, np.inf, 0.0)

    env = make("zerogym/PointMaze-v0", task=broken)
    env.reset(seed=0)
    env.step([0.0, 0.0])
    with pytest.raises(ValueError, match="'broken' is inf"):
        env.step([1.0, 0.0])


def test_a_goal_task_of_another_world_is_refused() -> None:
    for id, other in (IDS[:2], IDS[1::-1], IDS[1:3], IDS[2:0:-1]):
        with pytest.raises(ValueError, match="goal must be"):
            make(id, task=next(iter(make(other).tasks.values())))


def test_a_task_text_is_bounded() -> None:
    with pytest.raises(ValueError, match="characters"):
        Task("long", "x" * (MAX_TEXT + 1), by_action)


def test_tolerance_is_the_gaussian_of_the_control_suite() -> None:
    x = np.linspace(-3, 4, 29)
    away = np.maximum(np.maximum(0 - x, x - 1), 0) / 0.5
    expected = np.exp(-0.5 * (away * np.sqrt(-2 * np.log(0.1))) ** 2)
    np.testing.assert_allclose(tolerance(x, (0, 1), 0.5), expected, atol=1e-15)
    assert tolerance([-0.5, 0, 1, 1.5], (0, 1), 0.5).tolist() == [0.1, 1, 1, 0.1]
    assert tolerance([-0.001, 0, 1, 1.001], (0, 1)).tolist() == [0, 1, 1, 0]
    assert tolerance([4.0, 5.0, 1e9], (5, np.inf), 1).tolist() == [0.1, 1, 1]


def test_tolerance_falls_in_a_line_or_a_parabola_as_chosen() -> None:
    x = [4.0, 3.0, 2.0, 0.0]
    assert tolerance(x, (4, np.inf), 2, "linear", 0.5).tolist() == [1, 0.75, 0.5, 0]
    assert tolerance(x, (4, np.inf), 2, "quadratic", 0).tolist() == [1, 0.75, 0, 0]
    assert tolerance([3.0], (4, np.inf), 1, at_margin=0.3)[0] == pytest.approx(0.3)
    for decay, at_margin in (("gaussian", 0.0), ("linear", 1.0), ("linear", -0.1)):
        with pytest.raises(ValueError, match="at_margin"):
            tolerance(x, (4, 5), 1, decay, at_margin)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="Did you mean 'linear'"):
        tolerance(x, (4, 5), 1, "liner")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("bounds", "margin"),
    [((1, 0), 0), ((0, np.nan), 0), ((0, 1), -1), ((0, 1), np.nan), ((0, 1), np.inf)],
)
def test_tolerance_refuses_impossible_bounds(bounds: tuple[float, float], margin: float) -> None:
    with pytest.raises(ValueError, match="tolerance"):
        tolerance(0.0, bounds, margin)


@pytest.mark.parametrize("id", ["PointMaze", "CartPole", "FourRooms", "MiniGrid"])
def test_a_reward_that_writes_into_its_arguments_is_refused(id: str) -> None:
    def in_place(obs: Any, action: Any, next_obs: Any) -> Any:
        next_obs -= 1.0
        return -abs(next_obs).sum(-1)

    with pytest.raises(ValueError, match="'in_place' writes into its arguments"):
        gym.make(f"zerogym/{id}-v0", task=in_place)
