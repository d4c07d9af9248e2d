"""Episodes that end: nothing is visited after, in data, in losses, and in trained models."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.datasets.dataset import Dataset, collect
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.training.train import train

GAMMA = 0.8
EYE = np.eye(4, dtype=np.float32)
CONFIG = FBConfig(
    data_steps=10, updates=1_000, batch_size=32, dim=4, hidden=32, gamma=GAMMA, heads=1
)


def _way(terminated: Any = None, times: int = 10) -> Dataset:
    """Episodes 0, 1, 2, 3 of the only action."""
    rows = np.tile(np.arange(3), times)
    ends = None if terminated is None else np.tile(np.array(terminated), times)
    return Dataset(EYE[rows], np.zeros(len(rows), np.int64), EYE[rows + 1], terminated=ends)


@pytest.mark.proof
@pytest.mark.parametrize("features", ["fb", "identity"])
def test_a_trained_agent_counts_no_visits_after_the_end(features: str) -> None:
    config = FBConfig(**{**vars(CONFIG), "features": features})
    data = _way([False, False, True])
    agent = DiscreteFB.create(config, data, actions=1)
    agent.learn(data, config.updates)
    z = torch.ones(3, 4)
    with torch.no_grad():
        forward = agent.model.forward_net(torch.as_tensor(EYE[:3]), z)[0, :, 0]  # (3, d)
        places = agent.model.backward_net(torch.as_tensor(EYE[1:]))  # (3, d)
    # A density of the visits from the next state on; of data in which each state is a third.
    visits = (forward @ places.T).numpy() / (3 if features == "fb" else 1)
    expected = [[1, GAMMA, GAMMA**2], [0, 1, GAMMA], [0, 0, 1]]
    np.testing.assert_allclose(visits, expected, atol=0.05)


@pytest.mark.parametrize("changes", [{}, {"exact": False}, {"features": "identity"}])
def test_the_loss_is_that_of_a_successor_measure_of_zero_after_the_end(changes: Any) -> None:
    config = FBConfig(**{**vars(CONFIG), **changes})
    plain, ends = _way(), _way([False, False, True])
    agent = DiscreteFB.create(config, plain, actions=1)
    drawn = agent.draw(len(plain))

    def loss(data: Dataset) -> float:
        tensors = agent.to_tensors(data)
        batch, z = agent.sample(tensors, drawn), agent.sample_z(tensors, drawn)
        return float(agent.critic_loss(tensors, batch, z, drawn)[0].detach())

    with_ends, without = loss(ends), loss(plain)
    follow = agent.following

    def nothing_after_three(batch: Any, z: Any, drawn: Any) -> Any:
        found = follow(batch, z, drawn)
        for row, entered in enumerate(batch.next_features):
            if entered[3] == 1:
                found[:, row] = 0
        return found

    agent.following = nothing_after_three  # type: ignore[method-assign]
    assert with_ends == loss(plain)
    assert with_ends != pytest.approx(without, rel=1e-3)


def test_steps_that_end_nothing_change_nothing() -> None:
    states = []
    for terminated in (None, [False, False, False], [False, False, True]):
        agent = DiscreteFB.create(CONFIG, _way(terminated), actions=1)
        agent.learn(_way(terminated), 5)
        states.append(agent.tensors())
    plain, none_ends, ends = states
    assert all(torch.equal(plain[name], none_ends[name]) for name in plain)
    assert any(not torch.equal(plain[name], ends[name]) for name in plain)


def test_walks_break_where_an_episode_ends() -> None:
    same = np.ones((4, 2), np.float32)  # every reset leads to the state that was entered
    data = Dataset(same, np.zeros(4, np.int64), same)
    assert data.ends().tolist() == [3] * 4
    ended = Dataset(
        same, np.zeros(4, np.int64), same, terminated=np.array([False, True, False, False])
    )
    assert ended.ends().tolist() == [1, 1, 3, 3]


def test_a_world_with_ends_is_collected_and_trained_on(tmp_path: Any) -> None:
    env = gym.make("zerogym/FourRooms-v0", task="goal_1_2", ends_at_goal=True)
    data = collect(env, 600, seed=1)
    assert data.terminated is not None and data.starts is not None
    goal = (data.next_observations == env.unwrapped.tasks["goal_1_2"].goal).all(1)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(data.terminated, goal)
    assert data.terminated.any() and data.starts[1:][data.terminated[:-1]].all()
    data.save(tmp_path / "data.npz")
    np.testing.assert_array_equal(Dataset.load(tmp_path / "data.npz").terminated, data.terminated)
    assert collect(gym.make("zerogym/UMap-v0", task=None), 60).terminated is None
    config = FBConfig(
        env="zerogym/TMaze-v0", data_steps=500, batch_size=16, dim=4, hidden=8, updates=3
    )
    assert train(config, tmp_path / "run").metrics
