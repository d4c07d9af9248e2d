"""The wide networks against a plain rebuild of the published ones, and agents that use them."""

import dataclasses

import numpy as np
import pytest
import torch
from torch import nn

from helpers.zero_shot.small_runs import random_data
from zerogym.agents.zero_shot.algorithms.fb_continuous import ContinuousFB
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.models.torsos import Torso, WideBackward, WideContinuousForward

WIDE = FBConfig(
    net="wide", hidden=16, hidden_backward=12, dim=6, batch_size=32, updates=20, exact=False
)


def test_two_heads_together_are_two_published_networks() -> None:
    """Linear, LayerNorm, tanh, Linear, ReLU on each input; side by side; hidden, ReLU, out."""
    torch.manual_seed(0)
    torso = Torso(2, 3, 5, 16, 4)
    for parameter in torso.parameters():  # else scales of 1 and shifts of 0 prove nothing
        nn.init.normal_(parameter)
    first, second = torch.randn(7, 3), torch.randn(7, 5)
    found = torso(first, second)
    weights = {name: value.detach() for name, value in torso.named_parameters()}
    for head in range(2):

        def linear(x: torch.Tensor, name: str, head: int = head) -> torch.Tensor:
            return x @ weights[f"{name}.weight"][head] + weights[f"{name}.bias"][head]

        def embed(x: torch.Tensor, name: str, head: int = head) -> torch.Tensor:
            x = linear(x, f"{name}.0")
            x = (x - x.mean(-1, keepdim=True)) / (x.var(-1, False, keepdim=True) + 1e-5).sqrt()
            x = x * weights[f"{name}.1.scale"][head] + weights[f"{name}.1.shift"][head]
            return linear(torch.tanh(x), f"{name}.3").relu()

        both = torch.cat([embed(first, "first"), embed(second, "second")], -1)
        expected = linear(linear(both, "hidden").relu(), "out")
        torch.testing.assert_close(found[head], expected, rtol=1e-4, atol=1e-4)


def test_sizes_are_the_published_ones() -> None:
    """Walker: 24 observations, 6 actions, d = 100, F of 1024 with two heads, B of 256."""
    forward = WideContinuousForward(2, 24, 6, 100, 1024)
    one = (30 * 1024 + 1024) + 2 * 1024 + (1024 * 512 + 512)  # [s, a]
    one += (124 * 1024 + 1024) + 2 * 1024 + (1024 * 512 + 512)  # [s, z]
    one += (1024 * 1024 + 1024) + (1024 * 100 + 100)
    assert sum(p.numel() for p in forward.parameters()) == 2 * one
    assert 2 * one == pytest.approx(4.73e6, rel=0.01)
    backward = WideBackward(24, 100, 256)
    assert sum(p.numel() for p in backward.parameters()) == pytest.approx(0.10e6, rel=0.05)
    length = backward(torch.randn(5, 24)).norm(dim=-1)
    torch.testing.assert_close(length, torch.full((5,), 10.0))


def test_many_actions_at_once_are_those_one_by_one() -> None:
    torch.manual_seed(1)
    config = dataclasses.replace(WIDE, temperature=0.0)
    for net in (WideContinuousForward(2, 3, 2, 6, 16), None):
        agent = ContinuousFB.create(config, random_data(False, 300), 2)
        forward = net or agent.model.forward_net
        features, z, actions = torch.randn(4, 3), torch.randn(4, 6), torch.randn(4, 5, 2)
        found = forward.of_many(features, actions, z)  # type: ignore[operator]
        for place in range(5):
            torch.testing.assert_close(found[:, :, place], forward(features, actions[:, place], z))


@pytest.mark.parametrize("discrete", [True, False])
@pytest.mark.parametrize("conservative", ["none", "measure"])
def test_agents_learn_with_wide_networks(
    discrete: bool, conservative: str, tmp_path: object
) -> None:
    data = random_data(discrete, 300)
    config = dataclasses.replace(WIDE, conservative=conservative, temperature=0.0)
    agent = (DiscreteFB if discrete else ContinuousFB).create(config, data, actions=2)
    first = float(agent.learn(data, 1)["forward/loss"])
    last = float(agent.learn(data, 19)["forward/loss"])
    assert np.isfinite(last) and last < first
    agent.model.save(str(tmp_path))
    again = FBModel.load(str(tmp_path))
    z = agent.model.infer_goal(data.observations[0])
    np.testing.assert_array_equal(
        agent.model.act(data.observations[:9], z), again.act(data.observations[:9], z)
    )


def test_wide_networks_cannot_soften_continuous_actions() -> None:
    with pytest.raises(ValueError, match="temperature must be 0"):
        ContinuousFB.create(WIDE, random_data(False, 300), 2)
