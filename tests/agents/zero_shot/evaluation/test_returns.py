"""Exact scores in tabular environments, stochastic and episodic, against hand-written sums."""

import itertools
import math
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.baselines.random_and_oracle import RandomPolicy
from zerogym.agents.zero_shot.evaluation.returns import evaluate_tabular, returns_beside
from zerogym.envs.control.tabular.dynamic_programming import finite_horizon_values, value_iteration
from zerogym.envs.control.tabular.episodic import with_terminal_state

GAMMA = 0.9


class Fixed:
    """Stands for a model: one action for each state, whatever the task."""

    def __init__(self, actions: Any) -> None:
        self.actions = np.asarray(actions)

    def infer(self, task: Any) -> Any:
        return np.zeros(1)

    recurrent = False

    def predict(self, observations: Any, prompt: Any) -> Any:
        assert len(observations) == len(self.actions)
        return self.actions, None


def score(id: str, actions: Any, task: str, gamma: float = GAMMA, **kwargs: Any) -> float:
    env = gym.make(id, **kwargs)
    tasks = [env.unwrapped.tasks[task]]  # type: ignore[attr-defined]
    return evaluate_tabular(Fixed(actions), env, tasks, gamma)[task]  # type: ignore[arg-type]


def river() -> tuple[np.ndarray, np.ndarray]:
    """Return RiverSwim as published: transitions (S, A, S) and rewards (S, A)."""
    p = np.zeros((6, 2, 6))
    for s in range(6):
        p[s, 0, max(s - 1, 0)] = 1
    p[0, 1, 0], p[0, 1, 1] = 0.4, 0.6
    for s in range(1, 5):
        p[s, 1, s - 1], p[s, 1, s], p[s, 1, s + 1] = 0.05, 0.6, 0.35
    p[5, 1, 4], p[5, 1, 5] = 0.4, 0.6
    r = np.zeros((6, 2))
    r[0, 0], r[5, 1] = 0.005, 1.0
    return p, r


def worth(p: np.ndarray, r: np.ndarray, shares: np.ndarray) -> float:
    """Discounted value of the first state for shares (S, A) of the actions."""
    p_pi, r_pi = np.einsum("sa,sat->st", shares, p), (shares * r).sum(axis=1)
    return float(np.linalg.solve(np.eye(len(p)) - GAMMA * p_pi, r_pi)[0])


@pytest.mark.parametrize("actions", [(1,) * 6, (0,) * 6, (1, 1, 0, 1, 0, 1)])
def test_a_river_by_hand_and_by_trying_every_policy(actions: tuple[int, ...]) -> None:
    p, r = river()
    values = {
        policy: worth(p, r, np.eye(2)[list(policy)])
        for policy in itertools.product((0, 1), repeat=6)
    }
    chance, best = worth(p, r, np.full((6, 2), 0.5)), max(values.values())
    expected = (values[actions] - chance) / (best - chance)
    assert score("zerogym/RiverSwim-v0", actions, "far_end") == pytest.approx(expected, abs=1e-8)


def test_a_slippery_floor_agrees_with_playing_on_it() -> None:
    """The score of a policy, with the three values sampled by episodes from every start."""
    env = gym.make("zerogym/SlipperyGrid-v0", task="goal_7_7", horizon=50)
    world: Any = env.unwrapped
    dry: Any = gym.make("zerogym/FourRooms-v0", task=None).unwrapped  # how to go where nobody slips
    fixed = value_iteration(dry.next_state, dry.reward_of(dry.tasks["goal_7_7"]), 0.5)[1]
    fixed[::7] = 0
    rng = np.random.default_rng(0)
    acts = {
        "fixed": lambda obs: fixed[world.state_of(obs)],
        "random": lambda obs: int(rng.integers(5)),
        "oracle": lambda obs: world.oracle_action(),
    }
    means = {name: played(env, act, 300) for name, act in acts.items()}
    sampled = (means["fixed"] - means["random"]) / (means["oracle"] - means["random"])
    found = score("zerogym/SlipperyGrid-v0", fixed, "goal_7_7")
    assert found == pytest.approx(sampled, abs=0.03)
    assert 0.2 < found < 0.9


def played(env: Any, act: Any, episodes: int) -> float:
    """Mean discounted return."""
    total = 0.0
    for seed in range(episodes):
        obs, over, weight = env.reset(seed=seed)[0], False, 1.0
        while not over:
            obs, reward, terminated, truncated, _ = env.step(act(obs))
            total, weight, over = total + weight * reward, weight * GAMMA, terminated or truncated
    return total / episodes


def test_an_episode_that_ends_at_its_goal_is_rewarded_once() -> None:
    """In an open room four steps to the right have the optimal return gamma ** 3."""
    world: Any = gym.make("zerogym/DarkRoomHard-v0", task=None).unwrapped
    right = world.action_names.index("right")
    centre = world.mdp.starts[0]
    state = centre
    for _ in range(4):
        state = int(world.next_state[state, right])
    names = {int(world.state_of(task.goal)): name for name, task in world.tasks.items()
             if task.goal is not None}  # fmt: skip
    always = np.full(world.num_states, right)
    assert score("zerogym/DarkRoomHard-v0", always, names[state]) == pytest.approx(1)
    # A detour of two steps has the return gamma ** 5; random play is summed forward here.
    detour = always.copy()
    up, down = world.action_names.index("up"), world.action_names.index("down")
    detour[centre] = up
    last = int(world.next_state[world.next_state[centre, up], right])
    detour[last] = down
    chance, here = 0.0, np.eye(world.num_states)[centre]
    for step in range(400):
        entered = np.zeros(world.num_states)
        for action in range(5):
            np.add.at(entered, world.next_state[:, action], here / 5)
        chance += GAMMA**step * entered[state]
        entered[state] = 0.0
        here = entered
    expected = (GAMMA**5 - chance) / (GAMMA**3 - chance)
    assert score("zerogym/DarkRoomHard-v0", detour, names[state]) == pytest.approx(expected)


def test_the_end_is_the_same_in_both_kinds_of_dynamics() -> None:
    rng = np.random.default_rng(0)
    certain, reward = rng.integers(6, size=(6, 3)), rng.random((6, 3))
    final = np.array([False, True, False, False, True, False])
    table = np.eye(6)[certain]
    first = finite_horizon_values(*with_terminal_state(certain, reward, final), 9)
    assert finite_horizon_values(*with_terminal_state(table, reward, final), 9) == pytest.approx(
        first
    )
    assert (first[:, -1] == 0).all()
    same = finite_horizon_values(certain, reward, 9, final=final)
    assert first[:, :-1] == pytest.approx(same)  # the other way to say so
    for state in range(6):  # two steps, by trying both actions
        best = max(
            reward[state, a] + (0 if final[certain[state, a]] else reward[certain[state, a]].max())
            for a in range(3)
        )
        assert first[2, state] == pytest.approx(best)


def test_a_task_with_equal_returns_has_no_score() -> None:
    env = gym.make("zerogym/UMap-v0", task=lambda obs, action, next_obs: np.ones(len(obs)))
    task = env.unwrapped._task  # type: ignore[attr-defined]
    found = evaluate_tabular(Fixed(np.zeros(45, int)), env, [task])  # type: ignore[arg-type]
    assert math.isnan(found[task.name])


def test_episodes_without_a_possible_reward_have_return_0() -> None:
    """The oracle holds the key early where there is one, and has return 0 where there is none."""
    env: Any = gym.make("zerogym/KeyCorridor-v0", task="hold_red_key", horizon=50)
    world, there = env.unwrapped, []
    for seed in range(10):
        env.reset(seed=seed)
        keys = [one for one in world._episode.world.grid.grid if one and one.type == "key"]
        there.append(any(one.color == "red" for one in keys))
    assert 0 < sum(there) < 10
    row = returns_beside(RandomPolicy([env]), env, world.tasks["hold_red_key"], 10, seed=0)
    assert 10 * row["oracle"] / sum(there) > 30
    assert "score" in row
    hopeless = there.index(False)
    alone = returns_beside(RandomPolicy([env]), env, world.tasks["hold_red_key"], 1, hopeless)
    assert alone == {"model": 0.0, "random": 0.0, "oracle": 0.0}


def test_an_oracle_without_a_plan_is_left_out() -> None:
    env: Any = gym.make("zerogym/KeyCorridor-v0", task="x", horizon=5)
    row = returns_beside(RandomPolicy([env]), env, env.unwrapped.task_of("x"), 1, seed=0)
    assert set(row) == {"model", "random"}
