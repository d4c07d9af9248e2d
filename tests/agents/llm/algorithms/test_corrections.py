"""Corrections: weights of tokens whose engine and trainer disagree, by hand."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from zerogym.agents.llm.algorithms.algorithm import Algorithm  # noqa: E402
from zerogym.agents.llm.algorithms.loss_tables import CORRECTIONS, Correction, Totals  # noqa: E402
from zerogym.agents.llm.algorithms.losses.importance_corrections import TokenMask, correct  # noqa: E402
from zerogym.agents.llm.algorithms.losses.policy_loss import policy_loss  # noqa: E402
from zerogym.errors import PartFailed  # noqa: E402


def test_corrections_by_hand() -> None:
    """The engine said 0.5, 0.2, 0.4; the trainer says 0.6, 0.5, 0.1: ratios 1.2, 2.5, 0.25."""
    engine = torch.tensor([[0.5, 0.2, 0.4, 1.0], [0.5, 1.0, 1.0, 1.0]]).log()
    trainer = torch.tensor([[0.6, 0.5, 0.1, 1e-9], [0.5, 1.0, 1.0, 1.0]]).log()
    mask = torch.tensor([[1.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    product = 1.2 * 2.5 * 0.25
    expected = {
        "token_truncate": [1.2, 2.0, 0.5, 1.0],
        "token_mask": [1.2, 0.0, 0.0, 1.0],
        "sequence_truncate": [product] * 3 + [1.0],
        "sequence_mask": [product] * 3 + [1.0],
    }
    assert {"none", *expected} == set(CORRECTIONS)
    for name, first in expected.items():
        part = CORRECTIONS.make({"part": name, "low": 0.5, "high": 2.0})
        weights, metrics = correct(part, trainer, engine, mask)
        assert weights.numpy() == pytest.approx(np.array([first, [1.0] * 4]), rel=1e-6)
        gap = (math.log(1.2) + math.log(2.5) + math.log(4)) / 4
        assert metrics["engine/gap"] == pytest.approx(gap, rel=1e-5)
        assert metrics["engine/outside"] == (0.5 if name.startswith("token") else 0.0)
        assert metrics["engine/weight"] == pytest.approx((sum(first[:3]) + 1) / 4, rel=1e-6)
    for name, weight in (("sequence_truncate", 0.8), ("sequence_mask", 0.0)):
        part = CORRECTIONS.make({"part": name, "low": 0.8, "high": 2.0})
        weights, metrics = correct(part, trainer, engine, mask)
        assert weights[0].tolist() == [pytest.approx(weight)] * 3 + [1.0]
        assert metrics["engine/outside"] == 0.75


@dataclass(frozen=True)
class Own(Correction):
    """Weights in a form of its choice."""

    form: str = "halves"  # of the weights

    def __call__(self, gap: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        forms = {"halves": gap * 0 + 0.5, "nan": gap / 0, "short": gap[:, :1]}
        return forms[self.form]


def test_a_correction_of_ones_own_and_how_it_fails() -> None:
    trainer, engine, mask = torch.zeros(2, 3), torch.zeros(2, 3), torch.ones(2, 3)
    weights, metrics = correct(Own(), trainer, engine, mask)
    assert (weights == 0.5).all() and metrics["engine/weight"] == 0.5
    assert metrics["engine/ratio"] == 1.0 and metrics["engine/outside"] == 0.0
    assert Algorithm(correction=Own()).corrector == Own()
    for form, message in (
        ("nan", "weights that are not finite"), ("other", "raised KeyError: 'other'"),
        ("short", r"weights of shape \(2, 1\) for tokens of shape \(2, 3\)"),
    ):  # fmt: skip
        with pytest.raises(PartFailed, match=f"{__name__}:Own .*{message}"):
            correct(Own(form), trainer, engine, mask)


def test_bounds_of_a_correction_come_from_the_run_or_the_part() -> None:
    named = Algorithm(correction="token_mask", correction_low=0.5, correction_high=3.0)
    assert named.corrector == TokenMask(0.5, 3.0)
    assert Algorithm(correction=TokenMask(0.1, 4.0)).corrector == TokenMask(0.1, 4.0)
    with pytest.raises(ValueError, match="token_mask: low must be in"):
        TokenMask(low=1.5)


def test_decoupled_objective_by_hand() -> None:
    """Tokens of probability .5, .2, .4 and .1 when they were drawn, of .6, .3, .3 and .5 as the
    step begins, of .66, .45, .45 and .5 now.

    Weights are 1.2, 1.5, .75 and 5, the last beyond its bound; ratios 1.1, 1.5, 1.5 and 1. Clipped
    at 1.2, the second counts 2.4 for its advantage of 2; the third has a negative one and counts
    -1.5. The mean of 1.32, 3.6, -1.125 and 0 is 0.94875.
    """
    drawn, begun, now = (
        torch.tensor([row]).log()
        for row in ([0.5, 0.2, 0.4, 0.1], [0.6, 0.3, 0.3, 0.5], [0.66, 0.45, 0.45, 0.5])
    )
    mask, now = torch.ones(1, 4), now.requires_grad_()
    weights, reported = correct(CORRECTIONS.make("token_mask"), begun, drawn, mask)
    loss, _ = policy_loss(
        now, begun, torch.tensor([[1.0, 2.0, -1.0, 1.0]]), mask,
        Algorithm(aggregation="token_mean"), Totals(1, 4, 4), weights=weights,
    )  # fmt: skip
    assert float(loss.detach()) == pytest.approx(-0.94875, rel=1e-5)
    loss.backward()
    assert now.grad is not None
    expected = [-1.2 * 1.1 / 4, 0.0, 0.75 * 1.5 / 4, 0.0]
    assert now.grad[0].tolist() == pytest.approx(expected, rel=1e-5)
    assert reported["engine/outside"] == 0.25
