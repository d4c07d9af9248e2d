"""Parts of the losses against numbers worked out by hand, without the code under test."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from zerogym.agents.llm.algorithms.algorithm import Algorithm  # noqa: E402
from zerogym.agents.llm.algorithms.divergences import K1  # noqa: E402
from zerogym.agents.llm.algorithms.loss_tables import AGGREGATIONS, Surrogate, Tokens, Totals  # noqa: E402
from zerogym.agents.llm.algorithms.losses.aggregations import (  # noqa: E402
    Constant,
    SequenceMean,
    TokenMean,
)
from zerogym.agents.llm.algorithms.losses.policy_loss import policy_loss  # noqa: E402
from zerogym.agents.llm.algorithms.losses.ratios import (  # noqa: E402
    ProductRatio,
    SequenceRatio,
    TokenRatio,
    TurnRatio,
)
from zerogym.agents.llm.algorithms.losses.surrogates import Cispo, Clipped  # noqa: E402
from zerogym.agents.llm.algorithms.presets import PRESETS  # noqa: E402
from zerogym.errors import PartFailed  # noqa: E402

TOTALS = Totals(rows=2, tokens=4, budget=4)


def gains(
    part: Surrogate, ratio: torch.Tensor, logprobs: torch.Tensor, advantages: torch.Tensor
) -> torch.Tensor:
    """The gain of tokens with these ratios, none of which is masked."""
    old = logprobs.detach() - ratio.detach().log()
    mask, turn = torch.ones_like(ratio), torch.zeros_like(ratio, dtype=torch.long)
    return part(Tokens(logprobs, old, ratio, advantages, mask, turn))


def test_clip_by_hand() -> None:
    ratio = torch.tensor([[0.5, 0.9, 1.0, 1.2, 1.5]] * 2, dtype=torch.float64)
    advantages = torch.tensor([[2.0], [-2.0]], dtype=torch.float64).expand(2, 5)
    gain = gains(Clipped(0.2, 0.3), ratio, ratio.log(), advantages)
    # A = 2: min(2r, 2 clip(r, 0.8, 1.3)); A = -2: the larger of 2r and 2 clip(r), negative
    assert gain[0].tolist() == pytest.approx([1.0, 1.8, 2.0, 2.4, 2.6])
    assert gain[1].tolist() == pytest.approx([-1.6, -1.8, -2.0, -2.4, -3.0])


def test_clipped_tokens_have_no_gradient() -> None:
    new = torch.tensor([[0.5, 0.0], [-0.5, 0.0], [-0.5, 0.0]], requires_grad=True)
    advantages = torch.tensor([[1.0], [-1.0], [1.0]]).expand(3, 2)
    gains(Clipped(0.2, 0.2), new.exp(), new, advantages).sum().backward()
    assert new.grad is not None
    # clipped above, clipped below, and below but pulled back up: derivative of r A is r A
    assert new.grad.tolist() == [[0.0, 1.0], [0.0, -1.0], [pytest.approx(math.exp(-0.5)), 1.0]]


def test_dual_clip_by_hand() -> None:
    """Ye et al.: where A < 0, `max(min(r A, clip(r) A), c A)`; elsewhere as without."""
    ratios = [0.5, 1.0, 1.5, 2.9, 3.1, 50.0]
    new = torch.tensor([ratios, ratios], dtype=torch.float64).log().requires_grad_()
    advantages = torch.tensor([[2.0], [-2.0]], dtype=torch.float64).expand(2, 6)
    gain = gains(Clipped(0.2, 0.2, dual_clip=3.0), new.exp(), new, advantages)
    assert gain[0].tolist() == pytest.approx([1.0, 2.0, 2.4, 2.4, 2.4, 2.4])
    assert gain[1].tolist() == pytest.approx([-1.6, -2.0, -3.0, -5.8, -6.0, -6.0])
    gain.sum().backward()
    assert new.grad is not None
    assert new.grad[1].tolist() == pytest.approx([0.0, -2.0, -3.0, -5.8, 0.0, 0.0])


def test_cispo_by_hand() -> None:
    """Weights 0.5, 1 and (bounded) 2; the derivative of `w A log p` is w A: no token loses it."""
    new = torch.tensor([[-1.0, -2.0, -3.0]], requires_grad=True)
    ratio = torch.tensor([[0.5, 1.0, 9.0]]) * (new - new.detach()).exp()
    gain = gains(Cispo(1.0, 1.0), ratio, new, torch.full((1, 3), -2.0))
    assert gain.tolist() == [[1.0, 4.0, 12.0]]
    gain.sum().backward()
    assert new.grad is not None and new.grad.tolist() == [[-1.0, -2.0, -4.0]]
    floor = gains(Cispo(0.2, 9.0), ratio, new, torch.ones(1, 3))
    assert floor.tolist() == [[pytest.approx(-0.8), -2.0, -27.0]]


def test_ratios_by_hand() -> None:
    change = torch.tensor([[0.3, 0.1, 7.0], [-0.2, 0.0, 0.0]])
    mask = torch.tensor([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    assert TokenRatio()(change, mask)[0, 0] == pytest.approx(math.exp(0.3))
    # the mean of 0.3 and 0.1, and their sum; what is hidden has ratio 1
    whole = [(SequenceRatio(), math.exp(0.2)), (ProductRatio(), math.exp(0.4))]
    for function, first in whole:
        expected = [[first, first, 1.0], [math.exp(-0.2), 1.0, 1.0]]
        assert function(change, mask).numpy() == pytest.approx(np.array(expected))


def test_turn_ratio_by_hand() -> None:
    """Turns of the first episode: 0.3 + 0.1 (a token of the world between them) and 0.2."""
    change = torch.tensor([[0.3, 7.0, 0.1, 0.2], [0.5, -0.1, 0.0, 0.0]], dtype=torch.float64)
    mask = torch.tensor([[1.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0]], dtype=torch.float64)
    turn = torch.tensor([[0, 0, 0, 1], [0, 2, 0, 0]])
    found = TurnRatio()(change, mask, turn)
    expected = [[0.4, 0, 0.4, 0.2], [0.5, -0.1, 0, 0]]
    assert found.log().tolist() == [pytest.approx(row, abs=1e-12) for row in expected]
    one = torch.zeros_like(turn)
    assert torch.equal(TurnRatio()(change, mask, one), ProductRatio()(change, mask))
    each = torch.arange(4).expand(2, 4)
    assert torch.allclose(TurnRatio()(change, mask, each)[mask == 1], change.exp()[mask == 1])


def test_sequence_ratio_moves_all_tokens_of_an_episode() -> None:
    """With s the geometric mean, the derivative of `s A` at each of L tokens is `s A / L`."""
    new = torch.tensor([[0.3, 0.1, 5.0]], requires_grad=True)
    mask = torch.tensor([[1.0, 1.0, 0.0]])
    gspo = Algorithm(ratio="sequence", clip_low=0.5, clip_high=0.5)
    loss, metrics = policy_loss(
        new, torch.zeros(1, 3), 3.0 * mask, mask, gspo, Totals(rows=1, tokens=2, budget=9)
    )
    loss.backward()
    assert float(loss.detach()) == pytest.approx(-3 * math.exp(0.2))
    assert new.grad is not None
    assert new.grad.tolist() == [[pytest.approx(-1.5 * math.exp(0.2))] * 2 + [0.0]]
    assert metrics["actor/ratio"] == pytest.approx(math.exp(0.2))


def test_aggregations_by_hand() -> None:
    values = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    mask = torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
    totals = Totals(rows=2, tokens=3, budget=16)
    assert float(SequenceMean()(values, mask, totals)) == (2.5 + 4.0) / 2
    assert float(TokenMean()(values, mask, totals)) == (2 + 3 + 4) / 3
    assert float(Constant()(values, mask, totals)) == (2 + 3 + 4) / 32
    # a batch of 3 episodes of which one was left out because it weighs nothing
    wider = Totals(rows=3, tokens=5, budget=16)
    assert float(SequenceMean()(values, mask, wider)) == pytest.approx(6.5 / 3)
    assert float(TokenMean()(values, mask, wider)) == pytest.approx(9 / 5)


@pytest.mark.parametrize("name", AGGREGATIONS.names())
def test_micro_batches_add_up(name: str) -> None:
    numbers = torch.Generator().manual_seed(0)
    values, mask = torch.rand(6, 5, generator=numbers), torch.rand(6, 5, generator=numbers) > 0.4
    totals = Totals(6, int(mask.sum()), 5)
    whole = AGGREGATIONS[name]()(values, mask.float(), totals)
    parts = [
        AGGREGATIONS[name]()(values[i:j], mask[i:j].float(), totals)
        for i, j in ((0, 1), (1, 5), (5, 6))
    ]
    assert float(sum(parts)) == pytest.approx(float(whole), rel=1e-5)


WAYS = {
    "raises": ("raised ZeroDivisionError", lambda values: values / (1 // 0)),
    "is short": (r"returned shape \(1, 1\) where \(2, 3\)", lambda values: values[:1, :1]),
    "is nan": ("returned numbers that are not finite", lambda values: values * float("nan")),
}


def faulty(base: Any, call: Any) -> Any:
    """A part of one's own of this kind that computes so."""

    @dataclass(frozen=True)
    class Mine(base):
        def __call__(self, *tensors: Any) -> Any:
            return call(super().__call__(*tensors))

    return Mine()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("kind", "base"),
    [("surrogate", Clipped), ("ratio", TokenRatio), ("kl_estimator", K1), ("aggregation", None)],
)
def test_a_failing_part_of_the_loss_is_named(kind: str, base: Any, way: str) -> None:
    message, call = WAYS[way]
    part = faulty(base or TokenMean, call)
    if kind == "aggregation" and way == "is short":
        message, part = (
            r"returned shape \(2,\) where \(\)",
            faulty(TokenMean, lambda v: v.repeat(2)),
        )
    numbers, mask = torch.rand(2, 3), torch.ones(2, 3)
    algorithm = Algorithm(**{"kl": 0.1, "aggregation": "token_mean", kind: part})
    with pytest.raises(PartFailed, match=f"Mine {message}"):
        policy_loss(
            -numbers, -numbers, numbers, mask, algorithm, Totals(2, 6, 3), reference=-numbers
        )


def test_a_diverged_run_is_not_the_parts_fault() -> None:
    """A ratio that overflows after a wild step: the loss is not finite, and nobody is blamed."""
    numbers, mask = torch.full((1, 2), -1.0), torch.ones(1, 2)
    loss, _ = policy_loss(
        numbers + 1000, numbers, -mask, mask, Algorithm(aggregation="token_mean"), Totals(1, 2, 2)
    )
    assert not loss.isfinite()
    own = Algorithm(aggregation="token_mean", surrogate=faulty(Clipped, lambda values: values))
    loss, _ = policy_loss(numbers + 1000, numbers, -mask, mask, own, Totals(1, 2, 2))
    assert not loss.isfinite()


def test_weights_multiply_the_gain_and_not_the_divergence() -> None:
    logprobs, mask = torch.tensor([[-1.0, -2.0]]), torch.ones(1, 2)
    settings = (logprobs, logprobs, mask, mask, Algorithm(kl=0.5), Totals(1, 2, 2))
    plain, _ = policy_loss(*settings, reference=logprobs + 0.1)
    weighed, _ = policy_loss(*settings, reference=logprobs + 0.1, weights=2 * mask)
    assert float(weighed - plain) == pytest.approx(-1.0)


def test_entropy_is_a_mean_over_tokens_whatever_the_aggregation() -> None:
    """Entropies 1, 2 and 6, of a batch with 4 tokens, weigh 0.1: the loss falls by 0.1 * 9 / 4."""
    mask = torch.tensor([[1.0, 1.0], [1.0, 0.0]])
    entropy = torch.tensor([[1.0, 2.0], [6.0, float("nan")]])
    zeros = torch.zeros(2, 2)
    for name in AGGREGATIONS:
        algorithm = replace(Algorithm(entropy=0.1), aggregation=name)
        loss, metrics = policy_loss(zeros, zeros, zeros, mask, algorithm, TOTALS, entropy=entropy)
        assert float(loss) == pytest.approx(-0.1 * 9 / 4)
        assert metrics["actor/entropy"] == 3.0


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
        torch.tensor(weights)[:, None],
        torch.ones(2, 1),
        Algorithm(kl=0.1),
        TOTALS,
        reference=torch.tensor(np.log(q[tokens]))[:, None],
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


def test_clip_metrics_by_hand() -> None:
    """Three ratios of 0.5, one with A > 0; four of 2, one with A < 0; and 1.

    No gradient: below with A < 0 (two tokens), above with A > 0 (three).
    """
    ratio = torch.tensor([[0.5, 0.5, 0.5, 2.0, 2.0, 2.0, 2.0, 1.0]])
    advantages = torch.tensor([[1.0, -1.0, -1.0, 1.0, 1.0, 1.0, -1.0, 1.0]])
    new = ratio.log().requires_grad_()
    loss, metrics = policy_loss(
        new, torch.zeros(1, 8), advantages, torch.ones(1, 8), Algorithm(), TOTALS
    )
    shares = [metrics[f"actor/{name}"] for name in ("outside_clip", "clipped_low", "clipped_high")]
    assert shares == pytest.approx([7 / 8, 2 / 8, 3 / 8])
    loss.backward()
    assert new.grad is not None and int((new.grad == 0).sum()) == 2 + 3


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("intruder", [-3.0, 40.0, float("inf"), float("nan")])
def test_what_the_world_wrote_changes_nothing(name: str, intruder: float) -> None:
    mask = torch.tensor([[0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]])
    base = torch.linspace(-2, -0.1, 8).reshape(2, 4)
    # wide bounds, so that each token has a gradient
    algorithm = replace(PRESETS[name], clip_low=1.0, clip_high=9.0, kl=0.1, entropy=0.1)

    def run(fill: float) -> tuple[float, list[list[float]]]:
        new, old, reference, entropy = (
            torch.where(mask == 1, base * s, torch.tensor(fill)) for s in (1.0, 1.1, 0.9, -1.0)
        )
        new.requires_grad_()
        advantages = torch.tensor([[1.0], [-2.0]]) * mask
        loss, _ = policy_loss(
            new, old, advantages, mask, algorithm, TOTALS, reference=reference, entropy=entropy
        )
        loss.backward()
        assert new.grad is not None
        return float(loss.detach()), new.grad.tolist()

    loss, gradient = run(0.0)
    assert run(intruder) == (loss, gradient)
    assert (torch.tensor(gradient)[mask == 0] == 0).all()
    assert (torch.tensor(gradient)[mask == 1] != 0).all()
