"""Chains and dark rooms: the published numbers, closed forms, and what makes them hard."""

import numpy as np
import pytest

from helpers.control.transitions import play
from helpers.control.worlds import bare
from zerogym.envs.control.gridworlds.dark_room import HIDDEN
from zerogym.envs.control.tabular.dynamic_programming import (
    evaluate_policy,
    finite_horizon_values,
    policy_matrix,
    value_iteration,
)

LEFT, RIGHT = 0, 1


@pytest.mark.parametrize("length", [3, 5, 10, 50])
def test_the_best_return_of_the_deep_chain_is_twelve(length: int) -> None:
    env = bare("Chain", length=length, task="far_end")
    assert env.horizon == length + 9
    # length - 2 moves right, the last of which has a reward already.
    rewards = env.reward_of(env.tasks["far_end"])
    assert finite_horizon_values(env.next_state, rewards, env.horizon)[-1, 1] == 12.0
    assert play(env, "oracle").total == 12.0


def test_random_play_hardly_ever_sees_the_end_of_a_deep_chain() -> None:
    def observed(length: int) -> float:
        env = bare("Chain", length=length)
        walk = policy_matrix(env.next_state, np.full((length, 2), 0.5))
        walk[-1] = np.eye(length)[-1]  # absorbing
        return float(np.linalg.matrix_power(walk, env.horizon)[1, -1])

    assert 0.05 < observed(10) < 0.15
    assert observed(50) < 1e-6


def test_going_left_at_once_is_the_trap_of_the_chain() -> None:
    env = bare("Chain", task="far_end")
    rewards = env.reward_of(env.tasks["far_end"])
    left = finite_horizon_values(env.next_state, rewards, env.horizon, np.zeros(10, dtype=int))
    assert left[-1, 1] == pytest.approx(0.019)


def test_the_river_has_the_published_chances_and_rewards() -> None:
    env = bare("RiverSwim", task="far_end")
    assert (env.num_states, env.horizon, env.mdp.starts) == (6, 20, (0,))
    np.testing.assert_array_equal(env.P[:, LEFT], np.eye(6)[[0, 0, 1, 2, 3, 4]])
    assert env.P[0, RIGHT].tolist() == [0.4, 0.6, 0, 0, 0, 0]
    assert env.P[2, RIGHT].tolist() == [0, 0.05, 0.6, 0.35, 0, 0]
    assert env.P[5, RIGHT].tolist() == [0, 0, 0, 0, 0.4, 0.6]
    rewards = env.reward_of(env.tasks["far_end"])
    assert rewards[0, LEFT] == 0.005 and rewards[5, RIGHT] == 1.0
    assert np.count_nonzero(rewards) == 2


def test_the_river_has_the_average_reward_of_its_balance() -> None:
    """Always right: a birth-death chain, whose long-run shares follow from detailed balance."""
    env = bare("RiverSwim")
    up, down = np.array([0.6, 0.35, 0.35, 0.35, 0.35]), np.array([0.05, 0.05, 0.05, 0.05, 0.4])
    shares = np.cumprod(np.concatenate([[1.0], up / down]))
    shares /= shares.sum()
    gamma, rewards = 0.99999, env.reward_of(env.tasks["far_end"])
    right = np.ones(6, dtype=int)
    values = evaluate_policy(env.P, right, rewards, gamma)
    np.testing.assert_allclose((1 - gamma) * values, shares[-1], atol=1e-3)
    best, policy = value_iteration(env.P, rewards, 0.99)
    assert policy.tolist() == [RIGHT] * 6
    np.testing.assert_allclose(best, evaluate_policy(env.P, right, rewards, 0.99), atol=1e-8)


def test_drifting_is_what_a_short_sighted_swimmer_does() -> None:
    env = bare("RiverSwim")
    rewards = env.reward_of(env.tasks["far_end"])
    values, policy = value_iteration(env.P, rewards, 0.5)
    assert policy[0] == LEFT
    assert values[0] == pytest.approx(0.005 / (1 - 0.5))


def test_a_chain_in_words() -> None:
    env = bare("RiverSwim", view="text", task="goal_2")
    text, _ = env.reset(seed=0)
    assert text.split("\n") == [
        "Go to state 2 and stay there.",
        "You are in state 1 of 6.",
        "Answer with one move: left or right.",
    ]
    text, _, _, _, info = env.step("up")
    assert text == "That is not a move, so you go left. You are in state 1 of 6."
    assert info["void_turn"]


def test_goals_of_a_chain_are_numbers_or_observations() -> None:
    for task in (3, "goal_3", np.eye(10)[2], np.int64(3)):
        env = bare("Chain", task=task)
        env.reset(seed=0)
        _, reward, terminated, _, info = env.step(RIGHT)
        assert (reward, terminated, info["success"]) == (1.0, False, True)
        assert info["category"] == "goal_3"
    assert bare("Chain", task=3, ends_at_goal=True).reset(seed=0) is not None
    drawn = bare("Chain", task="random_goal")
    assert len({drawn.reset(seed=seed)[1]["category"] for seed in range(200)}) == 10


@pytest.mark.parametrize(("name", "size"), [("DarkRoom", 9), ("DarkRoomHard", 17)])
def test_a_dark_room_begins_in_the_middle_and_hides_its_goal(name: str, size: int) -> None:
    middle, observed, goals = (size + 1) // 2, set(), set()
    env = bare(name, task="random_goal", view="text")
    for seed in range(60):
        text, info = env.reset(seed=seed)
        observed.add(text)
        goals.add(info["category"])
    assert env.horizon == 20 and len(goals) > 30
    assert observed == {
        f"{HIDDEN}\nYou are at row {middle}, column {middle}. Open: up, right, down, left.\n"
        "Answer with one move: stay, up, right, down or left."
    }
    numeric = bare(name, task="random_goal")
    observations = {numeric.reset(seed=seed)[0].tobytes() for seed in range(20)}
    assert len(observations) == 1


def test_the_dark_room_rewards_the_goal_and_the_hard_one_once() -> None:
    for name, size in (("DarkRoom", 9), ("DarkRoomHard", 17)):
        env = bare(name)
        for goal in ((1, 1), (size, 2), ((size + 1) // 2, size)):
            away = sum(abs(at - (size + 1) // 2) for at in goal)
            episode, hard = play(env, "oracle", task=goal), name == "DarkRoomHard"
            expected = (1.0, away) if hard else (21.0 - away, 20)
            assert (episode.total, len(episode.rewards)) == expected
            assert episode.info["success"] and episode.terminated == hard


def test_a_dark_goal_stays_if_it_is_given() -> None:
    env = bare("DarkRoom", task=(2, 7))
    assert {env.reset(seed=seed)[1]["category"] for seed in range(5)} == {"goal_2_7"}


def test_the_oracle_minds_how_many_steps_are_left() -> None:
    env = bare("Chain", task="far_end", horizon=12)
    env.reset(options={"start": 3})
    assert env.oracle_action() == RIGHT
    for move in (RIGHT, LEFT) * 5:
        env.step(move)
    assert env.oracle_action() == LEFT, "two steps are left: the near end is all that can be had"
