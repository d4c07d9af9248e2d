"""Our losses and TRL's own code on the same tensors: values and gradients, where TRL is installed.

TRL's loss functions are methods of its trainers. They are called on a stand-in that holds the
settings they read and gives them the log-probabilities, so that neither a model nor data is needed.
"""

from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl", minversion="1.14", reason="compared with TRL where it is installed")

from zerogym.agents.llm.algorithms.algorithm import Algorithm  # noqa: E402
from zerogym.agents.llm.algorithms.loss_tables import CORRECTIONS, Totals  # noqa: E402
from zerogym.agents.llm.algorithms.losses.importance_corrections import correct  # noqa: E402
from zerogym.agents.llm.algorithms.losses.policy_loss import policy_loss  # noqa: E402
from zerogym.agents.llm.algorithms.shapings.length import soft_overlong_punishment  # noqa: E402

BUDGET = 10


@pytest.fixture(params=range(3))
def batch(request: pytest.FixtureRequest) -> SimpleNamespace:
    """Five episodes of one to six tokens, far enough off their old weights to be clipped."""
    numbers = torch.Generator().manual_seed(request.param)
    mask = torch.zeros(5, 6)
    for row, length in enumerate((6, 1, 4, 3, 5)):
        mask[row, :length] = 1
    mask[0, 2:4] = 0  # what a tool said
    old = -torch.rand(5, 6, generator=numbers) * 3
    step = torch.randn(5, 6, generator=numbers) * 0.8
    step[0, 0], step[1, 0], step[2, 0] = 1.0, -1.0, 1.0  # beyond each bound
    advantages = torch.tensor([1.5, -0.5, -1.0, 0.0, -0.7])
    return SimpleNamespace(
        mask=mask, old=old, logprobs=old + step, advantages=advantages,
        reference=old + torch.randn(5, 6, generator=numbers) * 0.3,
        engine=old + torch.randn(5, 6, generator=numbers) * 0.4,
        entropy=torch.rand(5, 6, generator=numbers),
    )  # fmt: skip


def stub_accelerator() -> Any:
    return SimpleNamespace(
        gather=lambda x: x, reduce=lambda x, reduction: x, num_processes=1, sync_gradients=True
    )


def trainer(batch: Any, logprobs: Any, entropy: Any, **settings: Any) -> Any:
    """The attributes that `_compute_loss` of TRL's GRPO reads."""
    arguments = {"delta": None, "use_bias_correction_kl": False, "steps_per_generation": 1}
    known = {
        "loss_type": "grpo", "importance_sampling_level": "token", "beta": 0.0,
        "epsilon_low": 0.2, "epsilon_high": 0.2, "entropy_coef": 0.0, "use_vllm": False,
    }  # fmt: skip
    changed = {k: settings.pop(k) for k in list(settings) if k in arguments}
    return SimpleNamespace(
        **(known | settings),
        args=SimpleNamespace(**(arguments | changed)),
        _get_per_token_logps_and_entropies=lambda *a, **k: (logprobs, entropy, None),
        model=SimpleNamespace(training=True), accelerator=stub_accelerator(),
        current_gradient_accumulation_steps=1, max_completion_length=BUDGET,
        top_entropy_quantile=1.0, off_policy_mask_threshold=None, use_adaptive_entropy=False,
        vllm_importance_sampling_correction=True, aux_loss_enabled=False,
        _entropy_bonus_enabled=settings.get("entropy_coef", 0.0) > 0,
        _metrics={"train": defaultdict(list)},
    )  # fmt: skip


def of_trl(batch: Any, weights: Any = None, **settings: Any) -> list[Any]:
    """Loss, and its gradient by log-probabilities and entropies."""
    from trl.trainer.grpo_trainer import GRPOTrainer

    logprobs, entropy = (x.clone().requires_grad_() for x in (batch.logprobs, batch.entropy))
    inputs = {
        "prompt_ids": torch.zeros(5, 1), "prompt_mask": torch.ones(5, 1),
        "completion_ids": torch.zeros(5, 6), "completion_mask": batch.mask,
        "advantages": batch.advantages, "old_per_token_logps": batch.old,
        "ref_per_token_logps": batch.reference, "num_items_in_batch": batch.mask.sum(),
        "importance_sampling_ratio": weights,
    }  # fmt: skip
    mine = trainer(batch, logprobs, entropy, **settings, use_vllm=weights is not None)
    loss = GRPOTrainer._compute_loss(mine, None, inputs)
    loss.backward()
    return [
        loss.detach(),
        logprobs.grad,
        torch.zeros(5, 6) if entropy.grad is None else entropy.grad,
    ]


def of_ours(batch: Any, algorithm: Algorithm, weights: Any = None) -> list[Any]:
    logprobs, entropy = (x.clone().requires_grad_() for x in (batch.logprobs, batch.entropy))
    totals = Totals(rows=5, tokens=int(batch.mask.sum()), budget=BUDGET)
    loss, _ = policy_loss(
        logprobs, batch.old, batch.advantages[:, None] * batch.mask, batch.mask, algorithm, totals,
        reference=batch.reference if algorithm.kl else None, weights=weights,
        entropy=entropy if algorithm.entropy else None,
    )  # fmt: skip
    loss.backward()
    return [
        loss.detach(),
        logprobs.grad,
        torch.zeros(5, 6) if entropy.grad is None else entropy.grad,
    ]


CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "grpo": ({}, {}),
    "clip-higher": ({"epsilon_high": 0.6}, {"clip_high": 0.6}),
    "dr_grpo": ({"loss_type": "dr_grpo"}, {"aggregation": "constant"}),
    "dapo": ({"loss_type": "dapo"}, {"aggregation": "token_mean"}),
    "delta": ({"delta": 1.5}, {"dual_clip": 1.5}),
    "gspo": (
        {"importance_sampling_level": "sequence", "epsilon_low": 0.1, "epsilon_high": 0.1},
        {"ratio": "sequence", "clip_low": 0.1, "clip_high": 0.1},
    ),
    "cispo": (
        {"loss_type": "cispo", "epsilon_high": 1.2},
        {"surrogate": "cispo", "aggregation": "token_mean", "clip_low": 1.0, "clip_high": 0.2},
    ),
    "kl": ({"beta": 0.1}, {"kl": 0.1}),
    "kl, weighted": (
        {"beta": 0.1, "use_bias_correction_kl": True}, {"kl": 0.1, "kl_weighted": True},
    ),
    "kl, weighted, of sequences": (
        {"beta": 0.1, "use_bias_correction_kl": True, "importance_sampling_level": "sequence"},
        {"kl": 0.1, "kl_weighted": True, "ratio": "sequence"},
    ),
    "kl, of tokens": (
        {"beta": 0.1, "loss_type": "dapo"}, {"kl": 0.1, "aggregation": "token_mean"},
    ),
    "entropy": ({"entropy_coef": 0.05}, {"entropy": 0.05}),
    "entropy, constant": (
        {"entropy_coef": 0.05, "loss_type": "dr_grpo"},
        {"entropy": 0.05, "aggregation": "constant"},
    ),
}  # fmt: skip


def assert_same(ours: list[Any], theirs: list[Any], mask: Any) -> None:
    assert float(theirs[1].abs().max()) > 1e-3
    for one, other in zip(ours, theirs, strict=True):
        assert torch.allclose(one, other, rtol=1e-5, atol=1e-7)
    assert not ours[1][mask == 0].any()


@pytest.mark.parametrize("name", CASES)
def test_losses_are_those_of_trl(batch: Any, name: str) -> None:
    theirs, ours = CASES[name]
    assert_same(of_ours(batch, Algorithm(**ours)), of_trl(batch, **theirs), batch.mask)


@pytest.mark.parametrize("name", [name for name in CASES if name != "grpo"])
def test_settings_matter_on_these_tensors(batch: Any, name: str) -> None:
    plain, changed = of_trl(batch), of_trl(batch, **CASES[name][0])
    assert any(not torch.allclose(a, b, atol=1e-4) for a, b in zip(plain, changed, strict=True))


@pytest.mark.parametrize("name", [name for name in CORRECTIONS if name != "none"])
def test_corrected_losses_are_those_of_trl(batch: Any, name: str) -> None:
    """TRL makes the weights inside its rollout; here they are its formula, written out."""
    gap = (batch.old - batch.engine) * batch.mask
    ratio = (gap.sum(1, keepdim=True) if name.startswith("sequence") else gap).exp()
    low, high = 0.5, 1.5
    outside = (ratio < low) | (ratio > high)
    expected_value = ratio.clamp(low, high) if name.endswith("truncate") else ratio * ~outside
    assert outside.any() and not outside.all()
    part = CORRECTIONS.make({"part": name, "low": low, "high": high})
    weights, _ = correct(part, batch.old, batch.engine, batch.mask)
    algorithm = Algorithm(aggregation="token_mean", kl=0.1)
    theirs = of_trl(batch, expected_value, loss_type="dapo", beta=0.1)
    assert_same(of_ours(batch, algorithm, weights), theirs, batch.mask)


def test_rloo_is_that_of_trl(batch: Any) -> None:
    from trl.trainer.rloo_trainer import RLOOTrainer

    logprobs = batch.logprobs.clone().requires_grad_()
    stand_in = trainer(batch, logprobs, batch.entropy)
    stand_in.beta = 0.0
    inputs = {
        "prompt_ids": torch.zeros(5, 1), "prompt_mask": torch.ones(5, 1),
        "completion_ids": torch.zeros(5, 6), "completion_mask": batch.mask,
        "advantages": batch.advantages, "old_logps": (batch.old * batch.mask).sum(1),
    }  # fmt: skip
    loss = RLOOTrainer._compute_loss(stand_in, None, inputs)
    loss.backward()
    ours = of_ours(batch, Algorithm(ratio="product"))
    assert_same(ours[:2], [loss.detach(), logprobs.grad], batch.mask)


@pytest.mark.parametrize("length", [0, 79, 80, 81, 95, 100, 101])
def test_punishment_of_length_is_that_of_trl(length: int) -> None:
    from trl.rewards import get_soft_overlong_punishment

    (theirs,) = get_soft_overlong_punishment(100, 20)([[0] * length])
    assert soft_overlong_punishment(length, 100, 0.2) == pytest.approx(theirs)
