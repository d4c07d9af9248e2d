"""The losses of a large batch, by Gram matrices: those of the n x n matrices to the last digits."""

from collections.abc import Callable
from itertools import permutations, product

import pytest
import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.representations.fb_losses import (
    FEW,
    Contrast,
    batch_contrast,
    mean_square_of_others,
    orthonormality_loss,
)
from zerogym.agents.zero_shot.representations.representations import Measure, Step

N, D = 40, 5


def _double(contrast: Contrast) -> Contrast:
    """The batch's contrast with weights in float64, as all else here."""
    n = len(contrast.frequency)
    others = (1 - torch.eye(n, dtype=torch.float64)) / (n - 1)
    even = torch.full((n,), 1 / n, dtype=torch.float64)
    return contrast._replace(density=others, frequency=even, pairs=others)


@pytest.fixture
def step() -> Callable[..., Step]:
    torch.manual_seed(0)
    empty = torch.zeros(N, 0)
    nets = [nn.Linear(3, D).double() for _ in range(2)]
    points = torch.randn(N, 3, dtype=torch.float64)
    forward = torch.randn(2, N, D, dtype=torch.float64, requires_grad=True)
    following = torch.randn(2, N, D, dtype=torch.float64)
    z = torch.randn(N, D, dtype=torch.float64)

    def made(contrast: Contrast, **changes: float) -> Step:
        config = FBConfig(batch_size=N, dim=D, exact=False, orthonormality=0.7, **changes)
        states = (empty, points, empty, empty)
        return Step(
            config, z, *states, forward, following, points, contrast, *nets, torch.ones(len(z))
        )

    return made


def _loss_and_gradients(step: Step) -> list[Tensor]:
    loss, metrics = Measure().loss(step)
    parameters = [step.forward, *step.backward.parameters()]
    return [loss, *metrics.values(), *torch.autograd.grad(loss, parameters)]


@pytest.mark.parametrize("changes", [{}, {"q_loss": 0.3}, {"pessimism": 0.5}])
def test_loss_metrics_and_gradients_are_those_of_all_pairs(
    step: Callable[..., Step], changes: dict[str, float]
) -> None:
    quick = _double(batch_contrast(N))
    assert quick.many(D)
    found = _loss_and_gradients(step(quick, **changes))
    expected = _loss_and_gradients(step(quick._replace(in_batch=False), **changes))
    assert len(found) == len(expected)
    for ours, enumerated in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, enumerated, rtol=1e-11, atol=1e-11)


def test_no_matrix_of_all_pairs_is_multiplied(step: Callable[..., Step]) -> None:
    counts = []
    for in_batch in (True, False):
        with FlopCounterMode(display=False) as counter:
            _loss_and_gradients(step(_double(batch_contrast(N))._replace(in_batch=in_batch)))
        counts.append(counter.get_total_flops())
    assert counts[0] < 0.6 * counts[1]  # N = 8 D; the larger N / D, the less


def test_mean_square_of_others_is_the_double_loop() -> None:
    torch.manual_seed(1)
    left, right = torch.randn(2, 4, 3), torch.randn(4, 3)
    expected = torch.zeros(2)
    for h, (i, j) in product(range(2), permutations(range(4), 2)):
        expected[h] += (left[h, i] @ right[j]) ** 2 / 12
    torch.testing.assert_close(mean_square_of_others(left, right), expected)


def test_few_points_keep_the_matrix_of_all_pairs() -> None:
    assert not batch_contrast(FEW * D).many(D)
    assert batch_contrast(FEW * D + 1).many(D)
    backward = torch.randn(FEW * D + 1, D, dtype=torch.float64)
    contrast = _double(batch_contrast(len(backward)))
    quick, _ = orthonormality_loss(backward, contrast)
    enumerated, _ = orthonormality_loss(backward, contrast._replace(in_batch=False))
    torch.testing.assert_close(quick, enumerated, rtol=1e-12, atol=1e-12)
