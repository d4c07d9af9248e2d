"""An ensemble equals its networks one by one."""

import pytest
import torch
from torch.nn import functional

from zerogym.agents.explore.networks import Ensemble, normed


@pytest.mark.parametrize("is_normed", [False, True])
def test_an_ensemble_equals_its_members(is_normed: bool) -> None:
    torch.manual_seed(0)
    ensemble, given = Ensemble(3, 4, 16, 2, is_normed), torch.randn(7, 4)
    outputs = ensemble(given)
    assert outputs.shape == (3, 7, 2)
    for one in range(3):
        (first, second, third), (a, b, c) = (
            [each[one] for each in part] for part in (ensemble.weights, ensemble.biases)
        )
        inner = given @ first + a
        if is_normed:
            spread = inner.var(dim=1, correction=0, keepdim=True)
            inner = ((inner - inner.mean(dim=1, keepdim=True)) / (spread + 1e-5).sqrt()).tanh()
        else:
            inner = inner.clamp_min(0)
        torch.testing.assert_close(outputs[one], (inner @ second + b).clamp_min(0) @ third + c)
    assert not torch.equal(outputs[0], outputs[1])
    outputs[0].sum().backward()
    grown = [weights.grad for weights in ensemble.weights]
    assert all(grad is not None and grad[0].any() and not grad[1:].any() for grad in grown)


def test_weights_are_drawn_as_those_of_a_linear_layer() -> None:
    torch.manual_seed(0)
    for weights, inputs in zip(Ensemble(5, 9, 64, 64).weights, (9, 64, 64), strict=True):
        assert weights.abs().max() <= inputs**-0.5
        assert weights.var().item() == pytest.approx(1 / (3 * inputs), rel=0.1)


def test_a_normed_layer_does_not_grow_with_its_input() -> None:
    torch.manual_seed(0)
    network, given = normed(3, 32, 1), torch.randn(20, 3)
    inner = functional.layer_norm(network[0](given), (32,)).tanh()
    torch.testing.assert_close(network[:3](given), inner)
    assert network(1e6 * given).abs().max() < 10
