"""The z of training against loops: goals that come later, and random rewards."""

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.data.reward_prior import Rewards
from zerogym.agents.zero_shot.models.networks import to_sphere

SMALL = FBConfig(batch_size=20, dim=3, hidden=8, gamma=0.8, goal_share=0.5, seed=2)


def _walks() -> Dataset:
    """Walks of 8 steps among 7 states, some of them much more frequent than others."""
    rng = np.random.default_rng(4)
    places = rng.normal(size=(7, 3)).astype(np.float32)
    visits = np.minimum(rng.geometric(0.4, size=81) - 1, 6)
    states = places[visits]
    starts = np.arange(80) % 8 == 0
    return Dataset(states[:-1], rng.integers(3, size=80), states[1:], starts)


def _agent(data: Any, **changes: Any) -> Any:
    return DiscreteFB.create(dataclasses.replace(SMALL, **changes), data, actions=3)


def test_some_goals_come_later_in_the_walk_of_their_transition() -> None:
    data = _walks()
    agent = _agent(data, later_share=0.6, exact=False)
    tensors, drawn = agent.to_tensors(data), agent.draw(len(data))
    drawn["goals_ahead"][:3] = 10_000  # beyond every end
    z = agent.sample_z(tensors, drawn)
    ends = data.ends()
    assert len(set(ends)) == 10
    assert len(drawn["goals_ahead"]) == 6 and len(drawn["goals"]) == 10
    for n in range(10):
        row = int(drawn["goals"][n])
        if n < 6:
            start = int(drawn["rows"][n])
            row = min(start + int(drawn["goals_ahead"][n]) - 1, int(ends[start]))
            assert n >= 3 or row == ends[start]
        np.testing.assert_allclose(z[n], agent.model.infer_goal(data.next_observations[row]),
                                   atol=1e-5)  # fmt: skip
    np.testing.assert_allclose(z[10:], to_sphere(drawn["z"][10:]), atol=1e-6)
    # Distances are geometric: their mean is 1 / (1 - gamma) = 5.
    many = _agent(data, later_share=1.0, goal_share=1.0, batch_size=4_000).draw(9)["goals_ahead"]
    assert many.min() == 1 and abs(many.float().mean() - 5) < 6 * np.sqrt(20 / 4_000)


@pytest.mark.parametrize("features", ["fb", "random"])
@pytest.mark.parametrize("exact", [True, False])
def test_the_z_of_random_rewards_is_that_of_their_inference(features: str, exact: bool) -> None:
    data = _walks()
    agent = _agent(data, features=features, exact=exact, reward_share=0.3)
    tensors, drawn = agent.to_tensors(data), agent.draw(len(data))
    drawn["rows"] = torch.arange(len(data))  # the batch is the data
    z = agent.sample_z(tensors, drawn)
    assert z.shape == (20, 3) and len(drawn["rewards_kind"]) == 6
    assert set(drawn["rewards_kind"].tolist()) <= {1, 2}  # goals have a share of their own
    rewards = Rewards(**{k.removeprefix("rewards_"): v for k, v in drawn.items() if "rewards" in k})
    states = torch.as_tensor(data.next_observations)
    values = rewards(states.expand(6, -1, -1)).numpy()
    for n in range(6):
        found = agent.model.infer_labelled(data.next_observations, values[n])
        np.testing.assert_allclose(z[14 + n], found, rtol=2e-2, atol=2e-3)
    uniform = to_sphere(drawn["z"][10:14])
    np.testing.assert_allclose(z[10:14], uniform, atol=1e-6)


def test_without_them_the_random_numbers_are_as_before() -> None:
    data = _walks()
    plain, other = _agent(data), _agent(data, reward_share=0.2)
    one, two = plain.draw(len(data)), other.draw(len(data))
    assert set(one) < set(two)
    for name in ("rows", "z", "goals"):
        assert torch.equal(one[name], two[name])


def test_shares_are_parts_of_one_batch() -> None:
    with pytest.raises(ValueError, match="must not exceed 1 together"):
        FBConfig(goal_share=0.8, reward_share=0.3)
    with pytest.raises(ValueError, match="later_share"):
        FBConfig(later_share=1.5)
