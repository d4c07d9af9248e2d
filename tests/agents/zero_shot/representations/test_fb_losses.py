"""The forward-backward losses against loops, hand-derived gradients and the exact measure."""

from itertools import product

import numpy as np
import pytest
import torch

from zerogym.agents.zero_shot.representations.fb_losses import (
    across_heads,
    actor_loss,
    batch_contrast,
    exact_contrast,
    measure_loss,
    orthonormality_loss,
)
from zerogym.envs.control.tabular.dynamic_programming import policy_matrix, successor_measure

GAMMA = 0.9
# Three states, two actions, and data in which state 2 is entered more often than the others.
NEXT_STATE = np.array([[1, 2], [2, 0], [2, 1]])
TRANSITIONS = [(s, a) for s in range(3) for a in range(2)]
ENTERED = np.array([NEXT_STATE[s, a] for s, a in TRANSITIONS])
RHO = np.bincount(ENTERED) / len(ENTERED)


def _random(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def test_exact_loss_and_gradients_equal_the_enumeration() -> None:
    forward, backward, target = _random(0, 2, 6, 4), _random(1, 3, 4), _random(2, 6, 3)
    expected, grad_f, grad_b = 0.0, np.zeros_like(forward), np.zeros_like(backward)
    for h, i in product(range(2), range(6)):
        for s in range(3):
            error = forward[h, i] @ backward[s] - GAMMA * target[i, s]
            expected += 0.5 * RHO[s] * error**2 / 6
            grad_f[h, i] += RHO[s] * error * backward[s] / 6
            grad_b[s] += RHO[s] * error * forward[h, i] / 6
        own = backward[ENTERED[i]]
        expected -= forward[h, i] @ own / 6
        grad_f[h, i] -= own / 6
        grad_b[ENTERED[i]] -= forward[h, i] / 6
    f = torch.tensor(forward, requires_grad=True)
    b = torch.tensor(backward, requires_grad=True)
    contrast = exact_contrast(torch.tensor(RHO), torch.tensor(ENTERED))
    loss, metrics = measure_loss(f, b, torch.tensor(target), contrast, GAMMA)
    loss.backward()
    assert loss.item() == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(f.grad, grad_f, atol=1e-12)
    np.testing.assert_allclose(b.grad, grad_b, atol=1e-12)
    parts = metrics["forward/bellman"] - metrics["forward/own"]
    assert parts.item() == pytest.approx(expected, rel=1e-12)


def test_in_batch_loss_equals_the_double_loop_without_the_diagonal() -> None:
    forward, backward, target = _random(0, 1, 4, 3), _random(1, 4, 3), _random(2, 4, 4)
    expected = 0.0
    for i in range(4):
        expected -= forward[0, i] @ backward[i] / 4
        for j in range(4):
            if j != i:
                error = forward[0, i] @ backward[j] - GAMMA * target[i, j]
                expected += 0.5 * error**2 / (4 * 3)
    tensors = (torch.tensor(x) for x in (forward, backward, target))
    loss, _ = measure_loss(*tensors, batch_contrast(4), GAMMA)
    assert loss.item() == pytest.approx(expected, rel=1e-6)


def test_the_true_successor_measure_is_stationary() -> None:
    """With B = identity and F = M / rho of a fixed policy, no gradient is left."""
    policy = np.array([[0.3, 0.7], [0.5, 0.5], [0.9, 0.1]])
    visits = successor_measure(policy_matrix(NEXT_STATE, policy), GAMMA)  # (S, S)
    measure = visits[ENTERED]  # (6, S): from the next state on
    per_action = visits[NEXT_STATE]  # (S, A, S)
    after = np.einsum("sax,sa->sx", per_action, policy)[ENTERED]  # (6, S) at s' under the policy
    f = torch.tensor((measure / RHO)[None], requires_grad=True)
    contrast = exact_contrast(torch.tensor(RHO), torch.tensor(ENTERED))
    eye = torch.eye(3, dtype=torch.float64)
    loss, _ = measure_loss(f, eye, torch.tensor(after / RHO), contrast, GAMMA)
    loss.backward()
    assert f.grad is not None
    assert f.grad.abs().max() < 1e-12


def test_orthonormality_has_the_half_and_its_minimum_at_the_identity() -> None:
    points, weights = _random(3, 3, 2), RHO
    expected = 0.0
    for i in range(3):
        expected -= weights[i] * points[i] @ points[i]
        for j in range(3):
            expected += 0.5 * weights[i] * weights[j] * (points[i] @ points[j]) ** 2
    contrast = exact_contrast(torch.tensor(weights), torch.tensor(ENTERED))
    loss, _ = orthonormality_loss(torch.tensor(points), contrast)
    assert loss.item() == pytest.approx(expected, rel=1e-12)

    whitened = np.diag(RHO**-0.5)  # E[BB'] = identity under RHO
    b = torch.tensor(whitened, requires_grad=True)
    least, _ = orthonormality_loss(b, contrast)
    least.backward()
    assert b.grad is not None
    assert b.grad.abs().max() < 1e-12
    assert least.item() == pytest.approx(-3 / 2)  # -d / 2


def test_in_batch_orthonormality_leaves_a_point_and_itself_apart() -> None:
    points = _random(4, 4, 2)
    gram = points @ points.T
    expected = 0.5 * (gram**2).sum() - 0.5 * (np.diag(gram) ** 2).sum()
    expected = expected / (4 * 3) - np.diag(gram).mean()
    loss, _ = orthonormality_loss(torch.tensor(points), batch_contrast(4))
    assert loss.item() == pytest.approx(expected, rel=1e-6)


def test_actor_loss_takes_the_lower_head_for_each_transition() -> None:
    forward = torch.tensor([[[1.0, 0.0], [5.0, 1.0]], [[2.0, 0.0], [0.0, 1.0]]])  # (H, n, d)
    z = torch.tensor([[1.0, 1.0], [1.0, 2.0]])
    loss, metrics = actor_loss(forward, z)
    assert loss.item() == -(1.0 + 2.0) / 2
    assert metrics["actor/value"].item() == 1.5


@pytest.mark.parametrize(("pessimism", "expected"), [(0.0, 2.0), (1.0, 1.0), (0.5, 1.5)])
def test_heads_are_mixed_from_mean_to_minimum(pessimism: float, expected: float) -> None:
    assert across_heads(torch.tensor([[1.0], [3.0]]), pessimism).item() == expected
