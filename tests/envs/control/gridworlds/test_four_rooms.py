"""Grid worlds: the oracle against brute force, the text view, episodes, pictures."""

import functools
import sys
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from helpers.control.transitions import play
from zerogym.envs.control.core.discrete_actions import parse_move
from zerogym.envs.control.tabular.dynamic_programming import policy_matrix
from zerogym.envs.control.tabular.layouts import ACTION_NAMES, greedy_policy
from zerogym.errors import MissingExtra

STEPS = {"stay": (0, 0), "up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}


def make(id: str = "zerogym/FourRooms-v0", **kwargs: Any) -> Any:
    return gym.make(id, **{"task": None, **kwargs}).unwrapped


def best_return(env: Any, task: str, start: tuple[int, int], horizon: int) -> float:
    """The best return of an episode, by exhaustive recursion on the drawing."""
    reward_of = dict(zip(env.layout.cells, env.tasks[task].reward.values, strict=True))

    @functools.cache
    def best(cell: tuple[int, int], left: int) -> float:
        if left == 0:
            return 0.0
        nexts = {(cell[0] + dr, cell[1] + dc) for dr, dc in STEPS.values()} & set(reward_of)
        return max(reward_of[after] + best(after, left - 1) for after in nexts)

    return best(start, horizon)


@pytest.mark.parametrize("id", ["zerogym/FourRooms-v0", "zerogym/UMap-v0"])
def test_the_oracle_is_optimal_on_every_kind_of_task(id: str) -> None:
    env, rng = make(id), np.random.default_rng(0)
    kinds = ("goal_1_1", "goal_7_7", "goal_4_2", "multi_goal_", "goal_penalty_", "smooth_")
    names = [name for name in env.tasks if name.startswith(kinds)]
    assert len(names) > 60
    for name in names:
        start = env.layout.cells[rng.integers(env.num_states)]
        total = play(env, "oracle", task=name, start=start).total
        assert total == pytest.approx(best_return(env, name, start, env.horizon)), name


def test_the_straight_line_fails_on_the_u_map_as_often_as_its_chain_says() -> None:
    env = make("zerogym/UMap-v0", task="goal_1_1")
    reached = [play(env, "straight_line", seed).info["success"] for seed in range(200)]
    goal = env.layout.index[1, 1]
    chain = policy_matrix(env.next_state, greedy_policy(env.layout, goal))
    expected = np.linalg.matrix_power(chain, env.horizon)[:, goal].mean()
    assert np.mean(reached) == pytest.approx(expected, abs=0.11)  # three standard errors
    assert np.mean(reached) < 0.6
    assert all(play(env, "oracle", seed).info["success"] for seed in range(30))


def test_states_and_observations_are_each_other_s_inverse() -> None:
    env = make("zerogym/UMap-v0")
    states = np.arange(45)
    observations = env.observation_of(states)
    assert observations.shape == (45, 45)
    np.testing.assert_array_equal(env.state_of(observations), states)
    obs, _ = env.reset(options={"start": (1, 4)})
    assert env.layout.cells[int(env.state_of(obs))] == (1, 4)
    for action in range(5):
        before = int(env.state_of(obs))
        obs = env.step(action)[0]
        assert int(env.state_of(obs)) == env.next_state[before, action]
    obs[:] = 7.0
    np.testing.assert_array_equal(
        env.observation_of(states), observations, "an observation is the caller's own"
    )


def test_a_goal_task_rewards_each_step_that_ends_on_it() -> None:
    env = make(task="goal_1_2")
    env.reset(options={"start": (1, 1)})
    steps = [env.step(action) for action in (0, 2, 0, 1, 2)]  # stay, right, stay, up: wall, right
    assert [step[1] for step in steps] == [0.0, 1.0, 1.0, 1.0, 0.0]
    assert [step[4]["success"] for step in steps] == [False, True, True, True, True]
    assert [step[2] for step in steps] == [False] * 5
    for _ in range(44):
        assert not env.step(0)[3]
    assert env.step(0)[3], "truncated at 50"


def test_an_episode_may_end_at_the_goal() -> None:
    env = make(task="goal_1_2", ends_at_goal=True)
    env.reset(options={"start": (1, 1)})
    _, reward, terminated, truncated, info = env.step(2)
    assert (reward, terminated, truncated, info["success"]) == (1.0, True, False, True)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(2)


def test_starts_and_random_goals_cover_every_cell() -> None:
    env = make(task="random_goal", view="text")
    starts, goals = set(), set()
    for seed in range(600):
        text, info = env.reset(seed=seed)
        starts.add(text.split("\n")[1].partition(". ")[0])
        goals.add(info["category"])
        row, column = info["category"].removeprefix("goal_").split("_")
        assert text.startswith(f"Go to row {row}, column {column} and")
    assert len(starts) == len(goals) == env.num_states


def test_pinning_the_task_leaves_the_start_as_the_seed_drew_it() -> None:
    env = make()
    first = env.reset(seed=3)[0]
    np.testing.assert_array_equal(env.reset(seed=3, options={"task": "goal_1_1"})[0], first)


def test_the_text_view_says_the_place_and_plays_the_same_world() -> None:
    text, numeric = make(task="goal_7_7", view="text"), make(task="goal_7_7")
    start = {"start": (2, 3)}
    said, _ = text.reset(options=start)
    numeric.reset(options=start)
    assert said.split("\n") == [
        "Go to row 7, column 7 and stay there.",
        "You are at row 2, column 3. Open: up, right, down, left.",
        "Answer with one move: stay, up, right, down or left.",
    ]
    while True:
        action = numeric.oracle_action()
        reply = text.oracle_action()
        assert reply == f"<answer>{list(STEPS)[action]}</answer>"
        obs, *rewards = numeric.step(action)
        said, *text_rewards = text.step(reply)
        row, column = numeric.layout.cells[int(numeric.state_of(obs))]
        assert said.startswith(f"You are at row {row}, column {column}. Open: ")
        assert text_rewards[:3] == rewards[:3]
        if rewards[2]:
            return


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        ("<answer>up</answer>", "up"),
        ("up is a wall, so <answer> Right </answer>, then down", "right"),
        ("I think\n\nleft.\n", "left"),
        ("DOWN", "down"),
        ("**stay**", "stay"),
        ("go up", None),
        ("up or down", None),
        ("<answer>1</answer>", None),
        ("", None),
        ("up" + " " * 100 + "x", None),
    ],
)
def test_a_reply_is_read_as_one_move_or_as_none(reply: str, move: str | None) -> None:
    action, _ = parse_move(reply, ACTION_NAMES)
    assert (None if action is None else list(STEPS)[action]) == move


def test_a_reply_that_is_no_move_is_a_void_turn() -> None:
    env = make(task="goal_1_1", view="text")
    env.reset(options={"start": (1, 1)})
    said, reward, _, _, info = env.step("hm")
    assert said == "That is not a move, so you stay. You are at row 1, column 1. Open: right, down."
    assert (reward, info["void_turn"], info["answer_format"]) == (1.0, True, "line")
    _, _, _, _, info = env.step("<answer>right</answer>")
    assert (info["void_turn"], info["answer_format"], info["turn"]) == (False, "tag", 2)


def test_the_evaluation_families_are_the_same_everywhere() -> None:
    env = make("zerogym/UMap-v0")
    named = [name for name in env.tasks if not name.startswith(("goal_1", "goal_2"))]
    assert len(env.tasks) == 45 + 3 * 20 and len(named) > 60
    assert env.tasks["multi_goal_0"].text == (
        "Go to row 5, column 4; row 1, column 7 or row 2, column 8, and stay there."
    )
    values = env.tasks["goal_penalty_3"].reward.values
    assert sorted(values[values != 0]) == [-1, -1, -1, -1, 1]
    smooth = env.tasks["smooth_7"].reward.values
    assert (smooth.min(), smooth.max()) == (0.0, 1.0)
    assert smooth.sum() == pytest.approx(21.674190602901536)


def test_the_picture_shows_walls_goal_penalties_and_mover() -> None:
    env = make(render_mode="rgb_array")
    assert env.render() is None
    env.reset(options={"start": (1, 1), "task": "goal_7_7"})
    image = env.render()
    assert (image.shape, image.dtype) == ((216, 216, 3), np.uint8)
    middle = image[12::24, 12::24]  # one pixel a cell
    assert {tuple(middle[0, 0]), tuple(middle[4, 4])} == {(100, 100, 100)}
    assert tuple(middle[7, 7]) == (0, 255, 0)
    assert tuple(middle[1, 1]) == (255, 0, 0)
    env.reset(options={"start": (1, 1), "task": "goal_1_2"})
    assert tuple(env.render()[12::24, 12::24][7, 7]) == (0, 0, 0), "the last goal is gone"


def test_the_map_in_characters() -> None:
    env = make("zerogym/UMap-v0", render_mode="ansi", task="goal_1_8")
    env.reset(options={"start": (1, 1)})
    lines = env.render().split("\n")
    assert lines[1] == "#@ #    G#"
    assert [line.replace("@", " ").replace("G", " ") for line in lines] == list(env.layout.rows)


def test_it_opens_no_display_and_a_missing_minigrid_is_named(
    run_python: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code = """
import gymnasium as gym, zerogym, sys
assert "minigrid" not in sys.modules
env = gym.make("zerogym/FourRooms-v0", task=None, render_mode="rgb_array")
env.reset(seed=0); env.render()
pygame = sys.modules.get("pygame")
print("closed" if pygame is None or not pygame.display.get_init() else "open")
"""
    assert run_python(code, DISPLAY="").strip() == "closed"
    monkeypatch.setitem(sys.modules, "minigrid.core.grid", None)
    env = make("zerogym/DarkRoom-v0", render_mode="rgb_array")
    env.reset(seed=0)
    with pytest.raises(MissingExtra, match=r"zerogym/DarkRoom-v0 needs minigrid: pip install"):
        env.render()
