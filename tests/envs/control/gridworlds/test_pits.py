"""Pits: where they are, that they end an episode, and that goals behind them need planning."""

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.control.gridworlds.pits import PitsEnv
from zerogym.envs.control.tabular.effective_horizon import effective_horizon_of
from zerogym.errors import UnknownName


def test_a_fall_ends_the_episode_and_costs_the_rest_of_it():
    env = PitsEnv("cliff", task="goal_4_12", slip=0.0)
    env.reset(options={"start": (4, 1)})
    obs, reward, terminated, truncated, info = env.step(2)
    assert (reward, terminated, truncated, info["success"]) == (0.0, True, False, False)
    assert env.layout.cells[int(obs.argmax())] == (4, 2)
    with pytest.raises(RuntimeError):
        env.step(1)


def test_the_model_by_hand():
    env = PitsEnv("cliff", slip=0.2)
    env.reset(seed=0)
    corner, above = env.layout.index[4, 1], env.layout.index[3, 1]
    pit, beside = env.layout.index[4, 2], env.layout.index[3, 2]
    assert env.P[corner, 1, [above, corner, pit]] == pytest.approx([0.8, 0.1, 0.1])
    assert env.P[beside, 2, pit] == pytest.approx(0.1)
    assert (env.P[pit, :, pit] == 1).all() and (env.R[pit] == 0).all()
    assert len(env.pits) == 10 and not set(env.mdp.starts) & set(env.pits)


def test_the_oracle_takes_the_safe_way_on_a_slippery_floor():
    """Beside the cliff each step falls with chance 0.1; without slips the edge is the way."""

    def least_row(slip: float) -> int:
        env = PitsEnv("cliff", task="goal_4_12", slip=slip, horizon=60)
        env.reset(seed=1, options={"start": (4, 1)})
        rows, over = [], False
        while not over:
            action = env.oracle_action()
            env._episode.state = int(env.layout.next_state[env._episode.state, action])
            env._episode.turn += 1
            rows.append(env.layout.cells[env._episode.state][0])
            over = env._episode.turn == env.horizon
        return min(rows)

    assert least_row(0.0) == 3
    assert least_row(0.2) < 3


def test_goals_need_more_than_one_step_of_improvement_over_random_actions():
    env = PitsEnv(slip=0.0)
    goals = [task for task in env.tasks.values() if task.goal is not None]
    assert len(goals) == env.num_states - len(env.pits)
    found = [effective_horizon_of(env, task) for task in goals]
    assert np.median(found) > 3
    open_grid = gym.make("zerogym/OpenGrid-v0").unwrapped
    assert effective_horizon_of(open_grid, open_grid.tasks["goal_5_5"]) == 1


def test_the_batch_ends_where_one_does():
    env = PitsEnv("cliff", slip=0.0, task=None)
    copies = env.batched(2)
    copies.reset(seed=0, starts=np.array([env.layout.index[4, 1], env.layout.index[1, 1]]))
    steps = copies.step(np.array([2, 2]))
    assert steps.terminated.tolist() == [True, False]


def test_unknown_layouts_are_named():
    with pytest.raises(UnknownName, match="cliff"):
        PitsEnv("clif")
