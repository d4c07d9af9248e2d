"""Flow behaviour cloning: against known actions, by hand, and at both ends of its weight."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.stats import ks_2samp
from torch import Tensor, nn

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.algorithms.flow_bc import (
    Flow,
    FlowFB,
    flow_matching_loss,
    near_flow_loss,
)
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.models.model import NOISES, FBModel
from zerogym.agents.zero_shot.training.train import train

SMALL = FBConfig(
    exact=False, batch_size=64, dim=4, hidden=16, updates=40, temperature=0, flow_bc=1.0
)


def _two_ways(state: Tensor, generator: torch.Generator) -> Tensor:
    """Actions near -0.6 or near 0.5, oftener the first where the state is 1; (n, 1)."""
    first = torch.rand(state.shape, generator=generator) < 0.3 + 0.4 * state
    spread = 0.1 * torch.randn(state.shape, generator=generator)
    return torch.where(first, -0.6, 0.5) + spread


@pytest.mark.proof
def test_the_flow_recovers_both_ways_and_how_often_each_is_taken() -> None:
    """Kolmogorov-Smirnov distance to fresh actions; a normal fit of the same ones fails it."""
    torch.manual_seed(0)
    draws, flow = torch.Generator().manual_seed(0), Flow(1, 1, 64)
    adam = torch.optim.Adam(flow.parameters(), 3e-3)
    for _ in range(1_500):
        state = torch.randint(0, 2, (256, 1), generator=draws).float()
        noise, time = torch.randn(256, 1, generator=draws), torch.rand(256, 1, generator=draws)
        loss = flow_matching_loss(flow, state, _two_ways(state, draws), noise, time)
        adam.zero_grad()
        loss.backward()
        adam.step()
    for place in (0.0, 1.0):
        state = torch.full((4_000, 1), place)
        noise = torch.randn(4_000, 1, generator=draws)
        made, true = flow.action_of(state, noise)[:, 0], _two_ways(state, draws)[:, 0]
        normal = true.mean() + true.std() * noise[:, 0]
        assert ks_2samp(made, true).statistic < 0.18 < ks_2samp(normal, true).statistic
        assert (made.abs() < 0.2).float().mean() < 0.06  # nobody goes between
        assert (made < 0).float().mean() == pytest.approx(0.3 + 0.4 * place, abs=0.05)


class Towards(nn.Module):
    """A velocity field known in closed form."""

    def forward(self, features: Tensor, action: Tensor, time: Tensor) -> Tensor:
        return features - action + time


def test_the_losses_by_hand() -> None:
    features, action = torch.tensor([[0.2], [0.4]]), torch.tensor([[1.0], [-1.0]])
    noise, time = torch.tensor([[0.0], [2.0]]), torch.tensor([[0.25], [0.5]])
    # Between: 0.25 and 0.5; velocities 0.2 - 0.25 + 0.25 and 0.4 - 0.5 + 0.5; target 1 and -3.
    expected = ((0.2 - 1) ** 2 + (0.4 + 3) ** 2) / 2
    found = flow_matching_loss(Towards(), features, action, noise, time)
    assert found.item() == pytest.approx(expected)

    forward = torch.tensor([[[1.0, 2.0], [3.0, 0.0]], [[0.0, -1.0], [4.0, 1.0]]])  # (H, n, d)
    z = torch.tensor([[1.0, 1.0], [1.0, -1.0]])
    chosen, target = torch.tensor([[0.5], [0.0]]), torch.tensor([[0.0], [0.2]])
    loss, metrics = near_flow_loss(forward, z, chosen, target, 3.0)
    # Values: 3 and 3 by one head, -1 and 3 by the other.
    value, size = (-1 + 3) / 2, (3 + 3 + 1 + 3) / 4
    assert loss.item() == pytest.approx(-value / size + 3.0 * (0.25 + 0.04) / 2)
    assert metrics["actor/value"].item() == pytest.approx(value)
    near_flow_loss(forward.requires_grad_(), z, chosen, target, 3.0)[0].backward()
    assert forward.grad is not None  # the lower head of the first transition; the size is no aim
    assert forward.grad[:, 0].tolist() == [[0.0, 0.0], pytest.approx([-0.5 / size] * 2)]


def test_ten_euler_steps_by_hand() -> None:
    flow = Flow(1, 2, 8)
    features, noise = torch.tensor([[0.3]]), torch.tensor([[0.1, -3.0]])
    action = noise.clone()
    with torch.no_grad():
        for step in range(10):
            action = action + 0.1 * flow(features, action, torch.tensor([[step / 10]]))
    expected = action.clamp(-1, 1)
    torch.testing.assert_close(flow.action_of(features, noise), expected)
    assert expected[0, 1] == -1


def _data(actions: Any) -> Dataset:
    """Places on a line that drift along the action; the data do what `actions` says."""
    rng = np.random.default_rng(0)
    here = rng.uniform(-1, 1, (400, 1)).astype(np.float32)
    done = actions(here, rng).astype(np.float32)
    return Dataset(here, done, np.clip(here + 0.2 * done, -1, 1).astype(np.float32))


def test_actor_and_flow_are_trained_apart_and_by_the_same_noise() -> None:
    data = _data(lambda here, rng: rng.uniform(-1, 1, here.shape))
    agent = FlowFB.create(dataclasses.replace(SMALL, flow_bc=2.0), data, actions=1)
    drawn = agent.draw(len(data))
    assert 0 <= drawn["time"].min() < 0.2 < 0.8 < drawn["time"].max() < 1
    tensors = agent.to_tensors(data)
    batch, z = agent.sample(tensors, drawn), agent.sample_z(tensors, drawn)
    loss, _ = agent.actor_loss(batch, z, drawn)
    found = torch.autograd.grad(loss, list(agent.flow.parameters()))
    action = agent.noisy_action(batch.features, z, drawn["actor"])
    forward = agent.model.forward_net(batch.features, action, z)
    target = agent.flow.action_of(batch.features, drawn["actor"])
    near, _ = near_flow_loss(forward, z, action, target, 2.0)
    matching = flow_matching_loss(
        agent.flow, batch.features, batch.actions, drawn["flow"], drawn["time"]
    )
    torch.testing.assert_close(loss, near + matching)
    expected = torch.autograd.grad(matching, list(agent.flow.parameters()))
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)


def test_the_first_flow_follows_the_seed_and_leaves_other_draws_alone() -> None:
    data = _data(lambda here, rng: rng.uniform(-1, 1, here.shape))
    torch.manual_seed(3)
    before = torch.get_rng_state()
    flows = [
        FlowFB.create(dataclasses.replace(SMALL, seed=seed), data, actions=1).flow
        for seed in (0, 0, 1)
    ]
    assert torch.equal(torch.get_rng_state(), before)
    first, same, other = (nn.utils.parameters_to_vector(flow.parameters()) for flow in flows)
    assert torch.equal(first, same) and not torch.equal(first, other)


@pytest.mark.proof
def test_a_large_weight_gives_the_actions_of_the_data() -> None:
    """The data always do the same in a place; a light actor leaves them for the goal."""
    data = _data(lambda here, rng: 0.5 * np.sin(3 * here))
    apart = {}
    for weight in (0.01, 1_000.0):
        config = dataclasses.replace(SMALL, hidden=64, updates=400, flow_bc=weight, lr_actor=1e-2)
        agent = FlowFB.create(config, data, actions=1)
        tensors = agent.to_tensors(data)
        for agent.updates in range(config.updates):
            drawn = agent.draw(len(data))
            batch = agent.sample(tensors, drawn)
            agent.update_actor(batch, agent.sample_z(tensors, drawn), drawn)
        done = agent.model.act(data.observations, agent.model.infer_goal([1.0]))
        apart[weight] = float(np.abs(done - data.actions).mean())
    assert apart[1_000.0] < 0.1
    assert apart[0.01] > 3 * apart[1_000.0]


def test_acting_is_the_best_of_a_few_fixed_noises() -> None:
    data = _data(lambda here, rng: rng.uniform(-1, 1, here.shape))
    agent = FlowFB.create(SMALL, data, actions=1)
    agent.learn(data, 20)
    model, states = agent.model, torch.as_tensor(data.observations[:5])
    z = torch.as_tensor(model.infer_goal([1.0])).expand(5, -1)
    drawn = torch.randn(NOISES, 1, 1, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        found = model.action(states, z)
        every = torch.stack([agent.noisy_action(states, z, one.expand(5, 1)) for one in drawn])
        values = torch.stack([(model.forward_net(states, a, z).mean(0) * z).sum(-1) for a in every])
    best = every[values.argmax(0), torch.arange(5)]
    torch.testing.assert_close(found, best)
    assert every.std(0).min() > 0  # the noise matters
    np.testing.assert_array_equal(model.act(data.observations[:5], z[0]), found.numpy())


def test_it_trains_stops_goes_on_and_loads(tmp_path: Path) -> None:
    config = dataclasses.replace(
        SMALL, env="zerogym/PointMaze-v0", data_steps=200, anchors=9, updates=12, hold=4
    )
    done = train(config, tmp_path)
    assert {"actor/from_flow", "flow/loss"} <= set(done.metrics)
    model = FBModel.load(done.path)
    assert model.shape.noisy and model.act(np.ones((3, 2)), np.ones(4)).shape == (3, 2)


def test_the_flow_is_part_of_a_checkpoint() -> None:
    data = _data(lambda here, rng: rng.uniform(-1, 1, here.shape))
    straight, parts = (FlowFB.create(SMALL, data, actions=1) for _ in range(2))
    straight.learn(data, 20)
    parts.learn(data, 10)
    saved = {name: value.clone() for name, value in parts.tensors().items()}
    other = FlowFB.create(dataclasses.replace(SMALL, seed=5), data, actions=1)
    other.load_tensors(saved)
    other.learn(data, 10)
    for name, value in straight.flow.state_dict().items():
        assert torch.equal(value, other.flow.state_dict()[name])


@pytest.mark.parametrize("name", ["bc", "flow_bc"])
def test_discrete_actions_have_no_actor_to_keep_near_the_data(name: str) -> None:
    states = np.eye(3, dtype=np.float32)
    data = Dataset(states, np.array([0, 1, 1]), np.roll(states, 1, 0))
    config = dataclasses.replace(SMALL, **({"flow_bc": 0.0} | {name: 1.0}))
    with pytest.raises(ValueError, match=rf"FBConfig\.{name} needs an actor"):
        DiscreteFB.create(config, data, actions=2)
