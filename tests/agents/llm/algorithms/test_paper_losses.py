"""Surrogates of papers against numbers by hand, and properties of all of them."""

import json
import math
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from zerogym.agents.llm.algorithms.algorithm import Algorithm  # noqa: E402
from zerogym.agents.llm.algorithms.loss_tables import (  # noqa: E402
    AGGREGATIONS,
    DIVERGENCES,
    RATIOS,
    SURROGATES,
    Surrogate,
    Tokens,
    Totals,
)
from zerogym.agents.llm.algorithms.losses.policy_loss import policy_loss  # noqa: E402
from zerogym.agents.llm.algorithms.losses.surrogates import (  # noqa: E402
    Clipped,
    Dcpo,
    Gppo,
    Mdpo,
    Topr,
)
from zerogym.agents.llm.algorithms.presets import PRESETS  # noqa: E402
from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402


def at(part: Surrogate, ratios: list[float], advantage: float) -> tuple[list[float], list[float]]:
    """Gains of tokens of old probability 0.1 with these ratios, and their gradients by log p."""
    old = torch.full((1, len(ratios)), 0.1, dtype=torch.float64).log()
    new = (old + torch.tensor([ratios], dtype=torch.float64).log()).requires_grad_()
    advantages = torch.full_like(old, advantage)
    mask, turn = torch.ones_like(old), torch.zeros_like(old, dtype=torch.long)
    gain = part(Tokens(new, old, (new - old).exp(), advantages, mask, turn))
    gain.sum().backward()
    assert new.grad is not None
    return gain[0].tolist(), new.grad[0].tolist()


# --- GPPO


@pytest.mark.claim("gppo", says="Clipped tokens keep a gradient, which is bounded.")
def test_gppo_has_the_value_of_the_clip_and_a_bounded_gradient() -> None:
    """Bounds 0.8 and 1.2: a clipped token has the gradient b A, where the clip has none."""
    ratios = [0.5, 1.0, 2.0]
    for advantage, gradient in ((2.0, [1.0, 2.0, 2.4]), (-2.0, [-1.6, -2.0, -4.0])):
        values, found = at(Gppo(), ratios, advantage)
        clipped, stopped = at(Clipped(), ratios, advantage)
        assert values == pytest.approx(clipped)
        assert found == pytest.approx(gradient)
        assert stopped == pytest.approx(
            [0.0 if i == (0 if advantage < 0 else 2) else g for i, g in enumerate(gradient)]
        )


# --- DCPO


def test_dcpo_bounds_by_hand() -> None:
    old = torch.tensor([[1.0, 0.5, 0.1, 0.01]], dtype=torch.float64).log()
    none = torch.zeros_like(old)
    low, high = Dcpo().bounds(Tokens(old, old, none.exp(), none, none, none.long()))
    assert low[0].tolist() == pytest.approx([0.8, 0.5, 0.5, 0.5])
    assert high[0].tolist() == pytest.approx([1.1708, 1.3062, 2.0, 5.0], abs=1e-4)


@pytest.mark.claim("dcpo", says="Rare tokens may move further than under fixed bounds.")
def test_dcpo_lets_rare_tokens_move_further() -> None:
    """At old probability 0.1 the bounds are 0.5 and 2: a ratio of 1.9 has a gradient, 2.1 none."""
    values, gradient = at(Dcpo(), [1.9, 2.1], 1.0)
    assert values == pytest.approx([1.9, 2.0]) and gradient == pytest.approx([1.9, 0.0])
    values, gradient = at(Dcpo(), [0.6, 0.4], -1.0)
    assert values == pytest.approx([-0.6, -0.5]) and gradient == pytest.approx([-0.6, 0.0])


# --- TOPR


def test_topr_tapers_wrong_episodes_only() -> None:
    """Weights min(r, 1) where A < 0, and 1 elsewhere; the gradient is that of w A log p."""
    ratios = [0.25, 1.0, 4.0]
    assert at(Topr(), ratios, 2.0)[1] == pytest.approx([2.0, 2.0, 2.0])
    assert at(Topr(), ratios, -2.0)[1] == pytest.approx([-0.5, -2.0, -2.0])


def test_topr_takes_the_ratio_of_whole_episodes() -> None:
    """Two tokens of ratio 1/2 each: the episode's is 1/4, at both."""
    old = torch.zeros(1, 2, dtype=torch.float64)
    new = torch.full((1, 2), math.log(0.5), dtype=torch.float64).requires_grad_()
    advantages = torch.full((1, 2), -1.0, dtype=torch.float64)
    loss, metrics = policy_loss(
        new, old, advantages, torch.ones(1, 2), PRESETS["topr"], Totals(1, 2, 2)
    )
    loss.backward()
    assert new.grad is not None and new.grad[0].tolist() == pytest.approx([0.25 / 2] * 2)
    assert metrics["actor/clipped_low"] == 0 and metrics["actor/ratio"] == pytest.approx(0.25)


# --- MDPO


def test_mdpo_by_hand() -> None:
    """The derivative of r A - kl (r log r - r + 1) by log p is r (A - kl log r)."""
    values, gradient = at(Mdpo(kl=0.5), [1.0, 2.0], 1.0)
    assert values == pytest.approx([1.0, 2 - 0.5 * (2 * math.log(2) - 1)])
    assert gradient == pytest.approx([1.0, 2 * (1 - 0.5 * math.log(2))])


@pytest.mark.claim("mdpo", says="Many passes on the same data end at the tilted policy.")
def test_mdpo_ends_at_the_tilted_policy() -> None:
    """Ascent on exact expectations under the old policy ends at old exp(A / kl) / Z."""
    old = torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64).log()
    rewards = torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64)
    logits = old.clone().requires_grad_()
    for _ in range(400):
        new = logits.log_softmax(-1)
        tokens = Tokens(new, old, (new - old).exp(), rewards, torch.ones(3), torch.zeros(3).long())
        (gradient,) = torch.autograd.grad((old.exp() * Mdpo(kl=2.0)(tokens)).sum(), logits)
        logits = (logits + gradient).detach().requires_grad_()
    tilted = (old + rewards / 2).softmax(-1)
    assert torch.allclose(logits.softmax(-1), tilted, atol=1e-6)


# --- all of them


@pytest.mark.parametrize("name", SURROGATES.names())
def test_on_policy_every_surrogate_is_reinforce(name: str) -> None:
    """The gradient by log p is the advantage if nothing has changed since sampling."""
    for advantage in (0.7, -1.3, 0.0):
        assert at(SURROGATES.make(name), [1.0, 1.0], advantage)[1] == pytest.approx([advantage] * 2)


@pytest.mark.parametrize("name", SURROGATES.names())
@pytest.mark.parametrize("ratio", RATIOS.names())
def test_what_the_mask_hides_changes_nothing(name: str, ratio: str) -> None:
    mask = torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
    algorithm = Algorithm(surrogate=name, ratio=ratio)

    def run(fill: float) -> list[Any]:
        new, old = (torch.where(mask == 1, torch.tensor(v), fill) for v in (-1.0, -1.2))
        new.requires_grad_()
        loss, metrics = policy_loss(
            new, old, torch.tensor([[1.0], [-2.0]]) * mask, mask, algorithm, Totals(2, 3, 4)
        )
        loss.backward()
        assert new.grad is not None
        return [float(loss.detach()), new.grad.tolist(), metrics]

    assert run(0.0) == run(float("nan")) == run(-40.0)
    assert all(math.isfinite(value) for value in run(0.0)[2].values())


@pytest.mark.parametrize("table", [SURROGATES, RATIOS, AGGREGATIONS, DIVERGENCES])
def test_settings_go_through_json(table: Any) -> None:
    for name in table:
        part = table.make(name)
        assert table.make(json.loads(json.dumps(part.record()))) == part
        assert (part.__doc__ or "").partition("\n")[0] and part.source
        config = GRPOConfig(**{table.kind: part})
        record = json.loads(json.dumps(config.record()))[table.kind]
        again = GRPOConfig(**(config.record() | {table.kind: record}))
        assert again.algorithm == config.algorithm


def test_a_name_takes_the_flat_clipping_and_an_object_has_its_own() -> None:
    named = GRPOConfig(surrogate="gppo", clip_high=0.5).algorithm.objective
    assert named == Gppo(clip_low=0.2, clip_high=0.5)
    assert GRPOConfig(preset="dapo").algorithm.objective == Clipped(0.2, 0.28)
    own = GRPOConfig(preset="dapo", surrogate=Gppo(0.1, 0.3)).algorithm.objective
    assert own == Gppo(0.1, 0.3)
    with pytest.raises(ValueError, match="clip_low and clip_high must be at least 0"):
        Gppo(clip_low=-0.1)
