"""Agents with a memory: what it reads, that it reads the same when it acts, and that it helps."""

import dataclasses
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import DummyVecEnv

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.datasets.dataset import Dataset, collect
from zerogym.agents.datasets.environments import make_wrapped_env
from zerogym.agents.zero_shot.algorithms.fb_continuous import ContinuousFB
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.evaluation.returns import evaluate_returns, evaluate_tabular
from zerogym.agents.zero_shot.models.encoders import LastObservation
from zerogym.agents.zero_shot.models.policy import FixedTask

LENGTH = 3
SMALL = FBConfig(
    data_steps=300, batch_size=16, dim=4, hidden=8, history=LENGTH, encoded=6, updates=12
)
HALF = {"FlickeringObservation": {"probability": 0.5}}
Agent = DiscreteFB | ContinuousFB


def _walks() -> Dataset:
    """Two walks of four steps and one; observations count up, actions tell their row."""
    here = np.array([0, 1, 2, 3, 10, 11, 12, 13, 20], dtype=np.float32)[:, None]
    starts = np.array([1, 0, 0, 0, 1, 0, 0, 0, 1], dtype=bool)
    actions = (np.arange(9, dtype=np.float32)[:, None] + 1) / 10
    return Dataset(here, actions, here + 1, starts)


def _agent(data: Dataset, discrete: bool = False) -> Agent:
    if discrete:
        return DiscreteFB.create(SMALL, data, actions=5)
    return ContinuousFB.create(dataclasses.replace(SMALL, exact=False), data, actions=1)


def test_what_b_reads_of_a_history_is_its_last_observation() -> None:
    read = LastObservation(torch.nn.Identity(), 2)
    history = torch.arange(24.0).reshape(2, 4, 3)  # two histories of four observations and actions
    torch.testing.assert_close(read(history), torch.tensor([[9.0, 10.0], [21.0, 22.0]]))
    torch.testing.assert_close(read(history[0]), history[0, :, :2])


def test_histories_are_rows_of_one_walk_and_begin_with_copies() -> None:
    agent = _agent(_walks())
    batch = agent.gather(agent.to_tensors(_walks()), torch.tensor([0, 2, 3, 4, 8]))
    here = [
        [[0, 0], [0, 0], [0, 0]],
        [[0, 0], [1, 0.1], [2, 0.2]],
        [[1, 0.1], [2, 0.2], [3, 0.3]],
        [[10, 0], [10, 0], [10, 0]],  # nothing of the walk before
        [[20, 0], [20, 0], [20, 0]],
    ]
    after = [[1, 0.1], [3, 0.3], [4, 0.4], [11, 0.5], [21, 0.9]]
    torch.testing.assert_close(batch.features, torch.tensor(here))
    expected = [[*rows[1:], row] for rows, row in zip(here, after, strict=True)]
    torch.testing.assert_close(batch.next_features, torch.tensor(expected))


def test_a_history_knows_nothing_of_what_comes() -> None:
    data = _walks()
    later = data.observations.copy(), data.actions.copy(), data.next_observations.copy()
    for column in later:
        column[3:] += 50
    changed = Dataset(*later, data.starts)
    agent, rows = _agent(data), torch.tensor([0, 1, 2])
    one, other = (agent.gather(agent.to_tensors(each), rows) for each in (data, changed))
    assert torch.equal(one.features, other.features)
    assert torch.equal(one.next_features, other.next_features)


def test_a_reset_to_the_state_just_entered_ends_a_walk_all_the_same() -> None:
    states = np.zeros((4, 1), dtype=np.float32)
    actions = np.array([[0.1], [0.2], [0.3], [0.4]], dtype=np.float32)
    data = Dataset(states, actions, states, np.array([True, False, True, False]))
    agent = _agent(_walks())
    batch = agent.gather(agent.to_tensors(data), torch.tensor([3]))
    assert batch.features[0, :, 1].tolist() == pytest.approx([0, 0, 0.3])


@pytest.mark.parametrize("discrete", [True, False])
def test_acting_reads_what_training_reads(discrete: bool) -> None:
    """A policy that is led along recorded walks carries their histories."""
    env_id = "zerogym/UMap-v0" if discrete else "zerogym/PointMaze-v0"
    data = collect(make_wrapped_env(env_id, {"horizon": 7}, HALF), 40)
    count = 5 if discrete else 2
    maker = DiscreteFB if discrete else ContinuousFB
    agent = maker.create(dataclasses.replace(SMALL, exact=False), data, actions=count)
    tensors, model = agent.to_tensors(data), agent.model
    batch = agent.gather(tensors, torch.arange(40))
    carried, z = None, np.ones(4, np.float32)
    assert data.starts is not None
    for row in range(40):
        states, begins = data.observations[row : row + 1], data.starts[row : row + 1]
        histories = model.recall(states, carried, begins)
        np.testing.assert_array_equal(histories[0], batch.features[row].numpy())
        acted = model.act(histories, z)
        assert acted.shape == ((1,) if discrete else (1, count))
        carried = model.history_state(histories, data.actions[row : row + 1])


def test_a_policy_carries_the_histories_of_many_episodes() -> None:
    data = collect(gym.make("zerogym/UMap-v0", task=None), 60)
    model = _agent(data, discrete=True).model
    policy = FixedTask(model, np.ones(4))
    states = data.observations[:3]
    first, state = policy.predict(states)
    fresh = model.recall(states)
    np.testing.assert_array_equal(state.histories, fresh)
    np.testing.assert_array_equal(state.actions.argmax(1), first)
    second, after = policy.predict(data.observations[3:6], state, np.array([False, True, False]))
    assert second.shape == (3,)
    begun = model.recall(data.observations[3:6])
    np.testing.assert_array_equal(after.histories[1], begun[1])
    np.testing.assert_array_equal(after.histories[0, :-1], fresh[0, 1:])
    assert after.histories[0, -1, -5:].argmax() == first[0]
    again, _ = policy.predict(data.observations[3:6], state)  # nothing begins
    assert again.shape == (3,)
    alone = [policy.predict(states[row : row + 1])[0][0] for row in range(3)]
    assert first.tolist() == alone
    with pytest.raises(ValueError, match="3 episodes, but 2 observations"):
        policy.predict(states[:2], state)


def test_a_policy_with_a_memory_plays_for_stable_baselines() -> None:
    def make() -> gym.Env[Any, Any]:
        return make_wrapped_env("zerogym/UMap-v0", {"horizon": 9}, HALF, "goal_1_1")

    data = collect(make_wrapped_env("zerogym/UMap-v0", {}, HALF), 200)
    model = _agent(data, discrete=True).model
    policy = FixedTask(model, model.infer(data.own_observations[0]))  # type: ignore[index]
    several = DummyVecEnv([make, make])
    _, lengths = evaluate_policy(
        policy,  # type: ignore[arg-type]
        several, n_eval_episodes=4, warn=False, return_episode_rewards=True,
    )  # fmt: skip
    assert lengths == [9] * 4
    assert evaluate_returns(policy, make(), episodes=2, seed=0) >= 0


def test_exact_scores_need_a_tabular_environment_and_no_memory() -> None:
    env = gym.make("zerogym/UMap-v0", task=None)
    model = _agent(collect(env, 100), discrete=True).model
    with pytest.raises(TypeError, match="memoryless"):
        evaluate_tabular(model, env, [])
    with pytest.raises(TypeError, match="a tabular environment"):
        evaluate_tabular(model, gym.make("zerogym/Pendulum-v0", task=None), [])
