"""The conservative penalties by hand, and that without weight they change nothing."""

import dataclasses
import math
from itertools import product

import numpy as np
import pytest
import torch

from helpers.zero_shot.small_runs import random_data
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.algorithms.fb_continuous import ContinuousFB
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.representations.conservative import (
    Alpha,
    measure_penalty,
    value_penalty,
)
from zerogym.agents.zero_shot.representations.fb_losses import near_data_loss, value_loss

SMALL = FBConfig(updates=20, batch_size=32, dim=4, hidden=16)


def _narrow() -> Dataset:
    """A ring of 5 states in which the data only ever go on: action 1 of 3."""
    eye = np.eye(5, dtype=np.float32)
    return Dataset(eye, np.ones(5, dtype=np.int64), np.roll(eye, -1, 0))


def test_penalties_are_those_of_plain_loops() -> None:
    torch.manual_seed(0)
    values, own = torch.randn(2, 3, 4), torch.randn(2, 3)
    expected = 0.0
    for head, i in product(range(2), range(3)):
        total = sum(math.exp(float(values[head, i, a])) for a in range(4))
        expected += (math.log(total) - float(own[head, i])) / 3
    assert float(value_penalty(values, own)) == pytest.approx(expected, rel=1e-5)

    measures, own = torch.randn(2, 3, 4, 5), torch.randn(2, 3, 5)
    frequency = torch.tensor([0.1, 0.2, 0.3, 0.3, 0.1])
    expected = 0.0
    for head, i, x in product(range(2), range(3), range(5)):
        total = sum(math.exp(float(measures[head, i, a, x])) for a in range(4))
        expected += float(frequency[x]) * (math.log(total) - float(own[head, i, x])) / 3
    assert float(measure_penalty(measures, own, frequency)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kind", ["value", "measure"])
def test_alpha_of_0_is_plain_fb(kind: str) -> None:
    data = _narrow()
    plain = DiscreteFB.create(SMALL, data, actions=3)
    settings = dataclasses.replace(SMALL, conservative=kind, alpha=0.0)
    other = DiscreteFB.create(settings, data, actions=3)
    plain.learn(data, 10)
    other.learn(data, 10)
    for a, b in zip(plain.model.parameters(), other.model.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-6)
    assert float(other.alpha().detach()) == 0


@pytest.mark.proof
@pytest.mark.parametrize("kind", ["value", "measure"])
def test_actions_without_data_are_valued_below_those_with(kind: str) -> None:
    """Plain FB knows nothing of the two other actions; the penalty pushes them down."""
    data, eye = _narrow(), torch.eye(5)

    def margin(kind: str, seed: int) -> float:
        """By how much the data's action is valued above the best other, at least."""
        penalty = {"conservative": kind, "alpha": 1.0, "penalty_target": 0.0}
        config = dataclasses.replace(SMALL, temperature=0.0, updates=200, seed=seed, **penalty)
        agent = DiscreteFB.create(config, data, actions=3)
        agent.learn(data, config.updates)
        found = []
        for goal in eye:
            z = torch.as_tensor(agent.model.infer_goal(goal)).expand(5, -1)
            with torch.no_grad():
                values = agent.model.values(eye, z)  # (S, A)
            found.append((values[:, 1] - values[:, [0, 2]].max(1).values).min())
        return float(min(found))

    assert min(margin(kind, seed) for seed in (0, 1, 2)) > 0
    assert min(margin("none", seed) for seed in (0, 1, 2)) < 0


def test_alpha_rises_while_the_penalty_is_above_its_target() -> None:
    for penalty, sign in ((7.0, 1), (3.0, -1), (5.0, 0)):
        alpha = Alpha(0.5, target=5.0)
        alpha.loss(torch.tensor(penalty)).backward()
        # d/dlog alpha of -alpha (penalty - target) / 2, and gradient descent goes against it.
        assert alpha.log.grad is not None
        assert -float(alpha.log.grad) == pytest.approx(0.5 * 0.5 * (penalty - 5.0))
        assert np.sign(-float(alpha.log.grad)) == sign


def test_continuous_candidates_are_twelve_judged_in_one_state() -> None:
    data = random_data(discrete=False, size=100)
    config = dataclasses.replace(SMALL, conservative="measure", exact=False, noise=0.0)
    agent = ContinuousFB.create(config, data, 2)
    tensors = agent.to_tensors(data)
    drawn = agent.draw(len(data))
    batch, z = agent.sample(tensors, drawn), agent.sample_z(tensors, drawn)
    with torch.no_grad():
        candidates = agent.candidates_of(batch, z, drawn)  # (H, n, C, d)
        own = agent.forward_of(batch, z)
        assert agent.model.actor is not None
        places = (batch.features, batch.features, batch.next_features, batch.next_features)
        chosen = [  # all of them at s
            agent.model.forward_net(batch.features, agent.model.actor(place, z), z)
            for place in places
        ]
    assert candidates.shape == (2, 32, 12, 4)
    for place in (10, 11):
        torch.testing.assert_close(candidates[:, :, place], own, rtol=1e-4, atol=1e-4)
    for place, forward in enumerate(chosen, 6):
        torch.testing.assert_close(candidates[:, :, place], forward, rtol=1e-4, atol=1e-4)
    assert (chosen[0] - chosen[2]).abs().max() > 0.1  # the actor does something else at s'
    metrics = agent.learn(data, 3)
    assert metrics["penalty/alpha"] > 0


def test_staying_near_the_data_is_a_scaled_squared_distance() -> None:
    action = torch.tensor([[0.5, 0.0]], requires_grad=True)
    loss, metrics = near_data_loss(-4.0 * action.sum(), action, torch.zeros(1, 2), weight=3.0)
    assert loss.item() == pytest.approx(-1.0 + 3.0 * 0.125)
    loss.backward()
    assert action.grad is not None
    assert action.grad[0].tolist() == pytest.approx([-2.0 + 1.5, -2.0])
    assert metrics["actor/from_data"] == pytest.approx(0.125)


def test_the_value_loss_by_hand() -> None:
    forward = torch.tensor([[[1.0, 2.0]], [[0.0, 1.0]]])  # (H, n, d)
    following = torch.tensor([[[2.0, 0.0]], [[4.0, 2.0]]])
    z, config = torch.tensor([[1.0, 1.0]]), FBConfig(gamma=0.5)
    loss, _ = value_loss(forward, following, torch.tensor([0.5]), z, config)
    target = 0.5 + 0.5 * (2.0 + 6.0) / 2
    assert loss.item() == pytest.approx(0.5 * ((3 - target) ** 2 + (1 - target) ** 2))
