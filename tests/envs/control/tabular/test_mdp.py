"""Finite worlds: slips against their chances, the exact model against play, what is refused."""

import itertools

import numpy as np
import pytest

from helpers.control.transitions import play
from helpers.control.worlds import bare
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.dynamic_programming import finite_horizon_values
from zerogym.envs.control.tabular.episodic import episode_model
from zerogym.envs.control.tabular.layouts import ACTION_NAMES, find_layout
from zerogym.envs.control.tabular.mdp import TabularMDP
from zerogym.envs.control.tabular.slippery import grid_world

IDS = ("OpenGrid", "SlipperyGrid", "DarkRoom", "DarkRoomHard", "Chain", "RiverSwim", "TMaze")


def test_slips_go_to_the_sides_as_often_as_they_should() -> None:
    env, tries = bare("OpenGrid", slip=0.3), 4000
    middle = (5, 5)
    sides = {"up": "left right", "right": "up down", "down": "left right", "left": "up down"}
    for action, name in enumerate(ACTION_NAMES):
        counts: dict[str, int] = dict.fromkeys(ACTION_NAMES, 0)
        env.reset(seed=action, options={"start": middle})
        for _ in range(tries):
            env._episode.state, env._episode.over = env.layout.index[middle], False
            env.step(action)
            to = env.layout.cells[env._episode.state]
            step = (to[0] - middle[0], to[1] - middle[1])
            found = {(0, 0): "stay", (-1, 0): "up", (1, 0): "down", (0, 1): "right"}
            counts[found.get(step, "left")] += 1
        expected = dict.fromkeys(ACTION_NAMES, 0.0) | {name: 1.0 if name == "stay" else 0.7}
        expected |= dict.fromkeys(sides.get(name, "").split(), 0.15)
        for way, chance in expected.items():
            allowed = 4 * np.sqrt(chance * (1 - chance) / tries)
            assert counts[way] / tries == pytest.approx(chance, abs=allowed), (name, way)


@pytest.mark.parametrize("name", IDS)
def test_play_follows_the_chances_of_the_model(name: str) -> None:
    env, rng = bare(name), np.random.default_rng(0)
    states, actions, _ = env.P.shape
    np.testing.assert_allclose(env.P.sum(axis=2), 1)
    tries = 400
    env.reset(seed=0)
    for _ in range(20):
        state, action = int(rng.integers(states)), int(rng.integers(actions))
        if state in env.mdp.terminal:
            continue
        counts = np.zeros(states)
        for _ in range(tries):
            env._episode.state, env._episode.over, env._episode.turn = state, False, 0
            env.step(action)
            counts[env._episode.state] += 1
        chances = env.P[state, action]
        assert (counts[chances == 0] == 0).all()
        allowed = 4.5 * np.sqrt(chances * (1 - chances) / tries) + 1e-9
        assert (np.abs(counts / tries - chances) <= allowed).all()


@pytest.mark.parametrize("name", [name for name in IDS if name != "DarkRoomHard"])
def test_the_oracle_has_the_return_of_the_model(name: str) -> None:
    task = list(bare(name).tasks)[-1 if name == "Chain" else 0]
    env = bare(name, task=task)
    runs = 100 if not env.mdp.is_deterministic else 30
    returns = [play(env, "oracle", seed).total for seed in range(runs)]
    best = finite_horizon_values(env.P, env.reward_of(env.tasks[task]), env.horizon)[-1]
    starts = list(env.mdp.starts)
    slack = 4 * best[starts].std() / np.sqrt(runs) + 4 * np.std(returns) / np.sqrt(runs)
    assert np.mean(returns) == pytest.approx(best[starts].mean(), abs=slack + 1e-9)
    chance = [play(env, "random", seed).total for seed in range(runs)]
    assert np.mean(chance) < 0.7 * np.mean(returns)


def test_the_oracle_knows_that_the_goal_ends_the_episode() -> None:
    goal = bare("SlipperyGrid").tasks["goal_1_7"].goal
    hurry = Task("hurry", "Be quick.", lambda obs, action, after: -np.ones(len(after)), goal)
    env = bare("SlipperyGrid", task=hurry, ends_at_goal=True, horizon=25)
    returns = np.array([play(env, "oracle", seed).total for seed in range(200)])
    best = finite_horizon_values(*episode_model(env, hurry), 25)[25, : env.num_states]
    slack = 4 * (returns.std() + best.std()) / np.sqrt(len(returns))
    assert best.mean() > -15 and returns.mean() == pytest.approx(best.mean(), abs=slack)


def test_the_oracle_takes_the_shortest_path_to_a_goal_that_ends_the_episode() -> None:
    env = bare("FourRooms", task="goal_1_7", ends_at_goal=True)
    env.reset(options={"start": (1, 1)})
    steps = [env.step(env.oracle_action())[1:3] for _ in range(8)]
    assert steps == [(0.0, False)] * 7 + [(1.0, True)]


def test_the_oracle_beats_the_straight_line_where_the_floor_is_slippery() -> None:
    env = bare("SlipperyGrid", task="goal_penalty_3")
    goal = int(env.tasks["goal_penalty_3"].reward.values.argmax())
    there = bare("SlipperyGrid", task=env.layout.cells[goal])
    rng, straight, oracle = np.random.default_rng(0), [], []
    for seed in range(60):
        oracle.append(play(env, "oracle", seed).total)
        env.reset(seed=seed)
        there.reset(seed=seed)
        total = 0.0
        for _ in range(env.horizon):
            there._episode.state = env._episode.state
            total += env.step(there.straight_line_action(rng))[1]
        straight.append(total)
    assert np.mean(oracle) > np.mean(straight) + 2


def test_no_slip_is_deterministic_and_draws_nothing() -> None:
    layout = find_layout("four_rooms")
    assert grid_world(layout).is_deterministic
    np.testing.assert_array_equal(grid_world(layout).dynamics, layout.next_state)
    env, other = bare("FourRooms"), bare("FourRooms", slip=0.5)
    env.reset(seed=3)
    other.reset(seed=3)
    before = env.np_random.bit_generator.state
    env.step(1)
    other.step(1)
    assert env.np_random.bit_generator.state == before != other.np_random.bit_generator.state
    with pytest.raises(ValueError, match="stochastic, use P"):
        _ = other.next_state
    np.testing.assert_array_equal(env.P.argmax(axis=2), env.next_state)


def test_a_full_slip_always_goes_sideways() -> None:
    layout = find_layout("open_3")
    chances = grid_world(layout, 1.0).probabilities[layout.index[2, 2], 1]  # up
    assert {layout.cells[s]: p for s, p in enumerate(chances) if p} == {(2, 1): 0.5, (2, 3): 0.5}


def test_rewards_are_of_what_happened_and_r_is_their_mean() -> None:
    env = bare("OpenGrid", slip=0.4, task=(5, 6))
    env.reset(options={"start": (5, 5)})
    here = env.layout.index[5, 5]
    assert env.R[here].tolist() == pytest.approx([0.0, 0.2, 0.6, 0.2, 0.0])
    np.testing.assert_allclose(env.R, env.P @ env.tasks["goal_5_6"].goal)
    rewards = []
    for _ in range(50):
        env._episode.state = here
        _, reward, *_ = env.step(2)
        rewards.append(reward)
        assert reward == (env._episode.state == env.layout.index[5, 6])
        env._episode.over = False
    assert 0 < sum(rewards) < 50


@pytest.mark.parametrize("name", ["SlipperyGrid", "DarkRoom", "Chain"])
def test_tabulated_rewards_equal_relabelled_ones(name: str) -> None:
    env = bare(name)
    for task in env.tasks.values():
        rewards = task.relabel(*env.mdp.transitions())
        np.testing.assert_array_equal(env.mdp.reward_table(task).ravel(), rewards)


def test_open_layouts_are_open() -> None:
    layout = find_layout("open_5")
    assert len(layout.cells) == 25 and layout is find_layout("open_5")
    inside = itertools.product(range(1, 6), repeat=2)
    assert set(layout.cells) == set(inside)


def test_the_text_says_that_it_slips() -> None:
    env = bare("SlipperyGrid", view="text", task="goal_1_1")
    lines = env.reset(options={"start": (2, 2)})[0].split("\n")
    assert lines[1] == "The floor is slippery: 20% of steps go to one side."
    for slip, said in ((0.004, "0.4%"), (0.996, "99.6%"), (1.0, "100%")):
        text = bare("SlipperyGrid", view="text", slip=slip).reset(seed=0)[0]
        assert f"slippery: {said} of steps" in text


def test_impossible_outcomes_are_never_drawn() -> None:
    class Top:
        def random(self) -> float:
            return np.nextafter(1.0, 0.0)

    chances = np.array([[[0.1] * 10 + [0.0]]])  # sums to 1 but for rounding
    outcomes = np.zeros((1, 1, 11), dtype=np.int64)
    world = TabularMDP(outcomes, chances, np.ones((1, 1), dtype=np.float32), (0,))
    assert world.draw(0, 0, Top()) == 9  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="sum to 1"):
        TabularMDP(outcomes, chances / 2, np.ones((1, 1), dtype=np.float32), (0,))
    with pytest.raises(ValueError, match="same shape"):
        TabularMDP(outcomes[:, :, 1:], chances, np.ones((1, 1), dtype=np.float32), (0,))
