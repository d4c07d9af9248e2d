"""Advantages and losses against numbers worked out by hand, without the code under test."""

import math
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from zerogym.agents.llm.advantages import ADVANTAGES, dr_grpo, grpo  # noqa: E402
from zerogym.agents.llm.losses import (  # noqa: E402
    AGGREGATIONS,
    clipped_surrogate,
    constant,
    kl_k3,
    policy_loss,
    sequence_mean,
)
from zerogym.agents.llm.presets import PRESETS, get_preset  # noqa: E402
from zerogym.errors import UnknownName  # noqa: E402


def test_advantages_by_hand() -> None:
    # mean 0.25; deviation sqrt((3 * 0.0625 + 0.5625) / 4) = sqrt(0.1875)
    deviation = math.sqrt(0.1875)
    assert dr_grpo([1, 0, 0, 0]).tolist() == [0.75, -0.25, -0.25, -0.25]
    assert grpo([1, 0, 0, 0]) == pytest.approx([0.75 / deviation] + [-0.25 / deviation] * 3)
    # mean 2, deviation sqrt((1 + 0 + 1) / 3)
    assert dr_grpo([1, 2, 3]).tolist() == [-1, 0, 1]
    assert grpo([1, 2, 3]) == pytest.approx([-math.sqrt(1.5), 0, math.sqrt(1.5)])


@pytest.mark.parametrize("name", ADVANTAGES)
@pytest.mark.parametrize("reward", [0.0, 1.0, 0.2, 1 / 3, -7.1, 1e6])
def test_equal_rewards_give_exact_zeros(name: str, reward: float) -> None:
    assert ADVANTAGES[name]([reward] * 7).tolist() == [0.0] * 7
    assert 0.1 + 0.2 != 0.3  # equal but for rounding
    assert ADVANTAGES[name]([0.1 + 0.2, 0.3, 0.3]).tolist() == [0.0] * 3
    assert np.any(ADVANTAGES[name]([reward, reward + 0.01 * max(1, abs(reward))]))


def test_clip_by_hand() -> None:
    ratios = [0.5, 0.9, 1.0, 1.2, 1.5]
    new = torch.log(torch.tensor([ratios, ratios], dtype=torch.float64))
    gain = clipped_surrogate(
        new, torch.zeros_like(new), torch.tensor([2.0, -2.0], dtype=torch.float64), 0.2, 0.3
    )
    # A = 2: min(2r, 2 clip(r, 0.8, 1.3)); A = -2: the larger of 2r and 2 clip(r), negative
    assert gain[0].tolist() == pytest.approx([1.0, 1.8, 2.0, 2.4, 2.6])
    assert gain[1].tolist() == pytest.approx([-1.6, -1.8, -2.0, -2.4, -3.0])


def test_clipped_tokens_have_no_gradient() -> None:
    new = torch.tensor([[0.5, 0.0], [-0.5, 0.0], [-0.5, 0.0]], requires_grad=True)
    advantages = torch.tensor([1.0, -1.0, 1.0])
    clipped_surrogate(new, torch.zeros(3, 2), advantages, 0.2, 0.2).sum().backward()
    assert new.grad is not None
    # clipped above, clipped below, and below but pulled back up: derivative of r A is r A
    assert new.grad.tolist() == [[0.0, 1.0], [0.0, -1.0], [pytest.approx(math.exp(-0.5)), 1.0]]


def test_aggregations_by_hand() -> None:
    values = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    mask = torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
    assert float(sequence_mean(values, mask, 2, 99)) == (2.5 + 4.0) / 2
    assert float(constant(values, mask, 2, 16)) == (2 + 3 + 4) / 32
    # a batch of 3 of which one row was left out because it weighs nothing
    assert float(sequence_mean(values, mask, 3, 99)) == pytest.approx(6.5 / 3)


@pytest.mark.parametrize("name", AGGREGATIONS)
def test_micro_batches_add_up(name: str) -> None:
    values, mask = torch.rand(6, 5), (torch.rand(6, 5) > 0.4).float()
    whole = AGGREGATIONS[name](values, mask, 6, 5)
    parts = [AGGREGATIONS[name](values[i : i + 2], mask[i : i + 2], 6, 5) for i in (0, 2, 4)]
    assert float(sum(parts)) == pytest.approx(float(whole), rel=1e-5)


def test_kl_k3_is_unbiased_and_never_negative() -> None:
    p = np.array([0.5, 0.3, 0.15, 0.05])
    q = np.array([0.25, 0.25, 0.4, 0.1])
    exact = float((p * np.log(p / q)).sum())
    terms = kl_k3(torch.tensor(np.log(p))[None], torch.tensor(np.log(q))[None])[0].numpy()
    assert float((p * terms).sum()) == pytest.approx(exact, abs=1e-12)
    assert (terms > 0).all()
    assert kl_k3(torch.zeros(1, 3), torch.zeros(1, 3)).tolist() == [[0.0, 0.0, 0.0]]


def settings(**changes: Any) -> dict[str, Any]:
    return {"aggregate": sequence_mean, "rows": 2, "budget": 4} | changes


def test_gradient_of_a_three_token_toy_by_hand() -> None:
    """One softmax over 3 logits; two episodes of one token each, both sampled at other weights.

    With p the softmax, the derivative of `r A` with r = p[a] / old[a] is `r A (onehot(a) - p)`,
    and of `q/p - log(q/p) - 1` at the token a it is `(1 - q[a]/p[a]) (onehot(a) - p)`.
    """
    logits = np.array([0.3, -0.2, 0.5])
    p = np.exp(logits) / np.exp(logits).sum()
    tokens, weights = [0, 2], [1.5, -0.5]
    old = np.array([0.30, 0.45])  # ratios inside the clip range, checked below
    q = np.array([0.2, 0.5, 0.3])
    expected = np.zeros(3)
    for token, weight, before in zip(tokens, weights, old, strict=True):
        ratio = p[token] / before
        assert 0.8 < ratio < 1.2
        direction = np.eye(3)[token] - p
        expected -= ratio * weight * direction / 2
        expected += 0.1 * (1 - q[token] / p[token]) * direction / 2

    variable = torch.tensor(logits, requires_grad=True)
    logprobs = variable.log_softmax(-1)[torch.tensor(tokens)][:, None]  # (2, 1)
    loss, metrics = policy_loss(
        logprobs,
        torch.tensor(np.log(old))[:, None],
        torch.tensor(weights),
        torch.ones(2, 1),
        kl=0.1,
        reference=torch.tensor(np.log(q[tokens]))[:, None],
        **settings(),
    )
    loss.backward()
    assert variable.grad is not None
    assert variable.grad.numpy() == pytest.approx(expected, abs=1e-7)
    ratios = [p[token] / before for token, before in zip(tokens, old, strict=True)]
    gain = np.mean([r * w for r, w in zip(ratios, weights, strict=True)])
    distance = np.mean([q[t] / p[t] - np.log(q[t] / p[t]) - 1 for t in tokens])
    assert float(loss.detach()) == pytest.approx(-gain + 0.1 * distance, abs=1e-7)
    assert metrics["actor/ratio"] == pytest.approx(np.mean(ratios), abs=1e-6)
    assert metrics["actor/kl"] == pytest.approx(distance, abs=1e-6)
    assert metrics["actor/outside_clip"] == 0


@pytest.mark.parametrize("name", AGGREGATIONS)
@pytest.mark.parametrize("intruder", [-3.0, 40.0, float("inf"), float("nan")])
def test_what_the_world_wrote_changes_nothing(name: str, intruder: float) -> None:
    mask = torch.tensor([[0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]])
    base = torch.linspace(-2, -0.1, 8).reshape(2, 4)

    def run(fill: float) -> tuple[float, list[list[float]]]:
        new, old, reference = (
            torch.where(mask == 1, base * scale, torch.tensor(fill)) for scale in (1.0, 1.1, 0.9)
        )
        new.requires_grad_()
        loss, _ = policy_loss(
            new, old, torch.tensor([1.0, -2.0]), mask, kl=0.1, reference=reference,
            **settings(aggregate=AGGREGATIONS[name]),
        )  # fmt: skip
        loss.backward()
        assert new.grad is not None
        return float(loss.detach()), new.grad.tolist()

    loss, gradient = run(0.0)
    assert run(intruder) == (loss, gradient)
    assert (torch.tensor(gradient)[mask == 0] == 0).all()
    assert (torch.tensor(gradient)[mask == 1] != 0).all()


def test_presets_are_the_papers() -> None:
    assert (PRESETS["grpo"].advantage, PRESETS["grpo"].aggregation) == ("grpo", "sequence_mean")
    assert PRESETS["dr_grpo"].advantage == "dr_grpo"
    assert PRESETS["dr_grpo"].aggregation == "constant"
    for preset in PRESETS.values():
        assert preset.advantage in ADVANTAGES and preset.aggregation in AGGREGATIONS
    with pytest.raises(UnknownName, match="dr_grpo"):
        get_preset("drgrpo")
