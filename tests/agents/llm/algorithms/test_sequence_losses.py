"""Losses of whole groups: gradients by hand, micro-batches, and one update of a small model."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from helpers.llm.forward_pass import by_turn
from helpers.llm.samples import group_of, sample

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from helpers.llm.small_runs import assert_goes_on_exactly  # noqa: E402
from helpers.llm.tiny_llamas import gradients  # noqa: E402
from zerogym.agents.llm.algorithms.advantages.group_relative import DrGrpo, Rloo  # noqa: E402
from zerogym.agents.llm.algorithms.batch import Batch  # noqa: E402
from zerogym.agents.llm.algorithms.loss_tables import SEQUENCE_LOSSES  # noqa: E402
from zerogym.agents.llm.algorithms.losses.sequences.offline import ALol  # noqa: E402
from zerogym.agents.llm.algorithms.losses.sequences.preferences import Dpo, Ipo  # noqa: E402
from zerogym.agents.llm.algorithms.losses.sequences.regression import Kimi, Rebel  # noqa: E402
from zerogym.agents.llm.algorithms.losses.sequences.supervised import Nft, Pacs  # noqa: E402
from zerogym.agents.llm.generation.protocol import Sampling  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator  # noqa: E402
from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.learner.ppo import make_learner  # noqa: E402
from zerogym.agents.llm.learner.sequences import SequenceLearner, coefficients  # noqa: E402
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.rollout.environments import Environments  # noqa: E402
from zerogym.agents.llm.rollout.runner import Player, rollout_groups  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402
from zerogym.agents.trajectory import Trajectory  # noqa: E402

NAMES = SEQUENCE_LOSSES.names()
REWARDS = [1.0, 0.0, 0.0, 1.0, 0.0]


def slopes(part, rewards, scores=None):
    return coefficients(part, group_of(rewards), scores or [0.0] * len(rewards))[1]


# --- on-policy, where all scores are 0


@pytest.mark.claim("pacs", says="On-policy its gradient is beta times RLOO's.")
def test_pacs_on_policy_is_beta_times_rloo() -> None:
    expected = -0.5 * Rloo().of_group(REWARDS) / 5
    assert slopes(Pacs(beta=0.5), REWARDS) == pytest.approx(expected.tolist(), abs=1e-15)


@pytest.mark.claim(
    "nft", says="On-policy its gradient is Dr. GRPO's divided by the share of wrong episodes."
)
def test_nft_on_policy_is_dr_grpo_over_the_share_of_wrong_ones() -> None:
    expected = -DrGrpo().of_group(REWARDS) / (1 - 0.4) / 5
    assert slopes(Nft(), REWARDS) == pytest.approx(expected.tolist(), abs=1e-15)
    assert slopes(Nft(), [1.0] * 3) == slopes(Nft(), [0.0] * 3) == [0.0] * 3


def test_nft_off_policy_by_hand() -> None:
    """Half are right; at R = 2 a wrong one has nothing left: it counts as the floor."""
    scores = torch.tensor([1.2, 0.8], dtype=torch.float64).log().requires_grad_()
    value = Nft()(scores, torch.tensor([1.0, 0.0]))
    assert value.item() == pytest.approx(-(math.log(1.2) + math.log(0.6 / 0.5)) / 2, abs=1e-12)
    value.backward()
    assert scores.grad.tolist() == pytest.approx([-0.5, 0.4 / 0.6 / 2], abs=1e-12)
    ended = torch.tensor([1.0, 2.0], dtype=torch.float64).log().requires_grad_()
    value = Nft(floor=0.01)(ended, torch.tensor([1.0, 0.0]))
    value.backward()
    assert value.item() == pytest.approx(-math.log(0.01) / 2, abs=1e-12)
    assert ended.grad.tolist() == [-0.5, 0.0]


def test_kimi_by_hand() -> None:
    """-(r - mean r) + tau s, divided by the size: mean 0.4, scores 0.5 and -1 at the first two."""
    found = slopes(Kimi(tau=0.2), REWARDS, [0.5, -1.0, 0.0, 0.0, 0.0])
    assert found == pytest.approx([(-0.6 + 0.1) / 5, (0.4 - 0.2) / 5, 0.08, -0.12, 0.08])


@pytest.mark.claim(
    "rebel", says="It is 0 where scores are eta times the returns, up to a constant."
)
def test_rebel_ends_at_the_least_squares_solution() -> None:
    """It is 0 where scores are eta r up to a constant, and nowhere else."""
    loss, found = coefficients(Rebel(eta=2.0), group_of([1.0, 0.0, 3.0]), [2.5, 0.5, 6.5])
    assert loss == pytest.approx(0, abs=1e-15) and found == pytest.approx([0] * 3, abs=1e-15)
    # pairs of returns (1, 0) at scores 0: (0 - 1)^2 both ways round, slopes -+ 2 / eta
    loss, found = coefficients(Rebel(eta=2.0), group_of([1.0, 0.0]), [0.0, 0.0])
    assert loss == 1.0 and found == pytest.approx([-1.0, 1.0])


def test_dpo_and_ipo_by_hand() -> None:
    """A better one at score 1 and a worse at 0.5; equal returns are no pair."""
    loss, found = coefficients(Dpo(beta=0.4), group_of([1.0, 0.0]), [1.0, 0.5])
    assert loss == pytest.approx(math.log(1 + math.exp(-0.2)))
    slope = -0.4 / (1 + math.exp(0.2))
    assert found == pytest.approx([slope, -slope])
    loss, found = coefficients(Ipo(beta=0.4), group_of([1.0, 0.0]), [1.0, 0.5])
    assert loss == pytest.approx((0.5 - 1.25) ** 2) and found == pytest.approx([-1.5, 1.5])
    assert slopes(Dpo(), [1.0, 1.0]) == [0.0, 0.0] and slopes(Ipo(), [0.0]) == [0.0]


@pytest.mark.claim("a_lol", says="Episodes no better than expected have no gradient at all.")
def test_a_lol_learns_from_better_episodes_alone() -> None:
    """Mean 0.5: advantages 0.5, -0.5 and 0. Ratios 1.5 (kept), and 4 (bounded by 1.9)."""
    rewards = [1.0, 0.0, 0.5]
    for ratio, weight in ((1.5, 1.5), (4.0, 1.9), (0.01, 0.1)):
        loss, found = coefficients(ALol(), group_of(rewards), [math.log(ratio), -1.0, 2.0])
        assert loss == pytest.approx(-0.5 * weight * math.log(ratio) / 3, abs=1e-12)
        assert found[0] == pytest.approx(-0.5 * weight / 3) and found[1:] == [0.0, 0.0]


@pytest.mark.claim("dpo", says="Its policy ends at a soft optimal Q function of tokens.")
def test_dpo_ends_at_a_soft_optimal_q_function() -> None:
    """Replies of two tokens out of three, preferred as exp(r): log-probabilities are `Q / beta`
    up to a number a state, where Q is of rewards r plus beta times the reference's log-probability.

    The loss is summed over all pairs and both outcomes. "From r to Q*: Your Language Model is
    Secretly a Q-Function" (2024, arXiv 2404.12358).
    """
    rng, beta = np.random.default_rng(0), 0.7
    rewards = torch.tensor(rng.normal(size=(3, 3)))
    start, after = torch.tensor(rng.normal(size=(4, 3))).log_softmax(-1).split([1, 3])

    def replies(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        return (first.log_softmax(-1).reshape(3, 1) + second.log_softmax(-1)).flatten()

    logits = torch.zeros(4, 3, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([logits], 1.0, 500, tolerance_grad=1e-14, tolerance_change=0,
                                  history_size=20, line_search_fn="strong_wolfe")  # fmt: skip
    chance = (rewards.flatten()[:, None] - rewards.flatten()).sigmoid()  # of the first one's win

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        scores = replies(logits[:1], logits[1:]) - replies(start, after)
        loss = (chance * Dpo(beta).of_pairs(scores[:, None] - scores)).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    last = rewards + beta * after  # Q of the second token, in the state after the first
    first = beta * start[0] + beta * (last / beta).logsumexp(-1)  # and of the first one
    found = beta * torch.cat([logits[:1].log_softmax(-1), logits[1:].log_softmax(-1)])
    shift = found - torch.cat([first[None], last]).detach()
    assert (shift - shift.mean(-1, keepdim=True)).abs().max() < 1e-6
    assert (found - found.mean(-1, keepdim=True)).abs().max() > 0.3  # and it has moved


# --- all of them


@pytest.mark.parametrize("name", NAMES)
def test_coefficients_give_the_gradient_of_the_whole(name: str) -> None:
    """Scores are of a linear model, groups of different sizes, and episodes are cut anyhow."""
    part = SEQUENCE_LOSSES.make(name)
    rng = np.random.default_rng(0)
    sizes, rewards = (4, 2, 3), iter([1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    batch = Batch([[sample(next(rewards)) for _ in range(size)] for size in sizes])
    features = torch.tensor(rng.normal(size=(9, 3)))
    weight = torch.tensor(rng.normal(size=3) * 0.3, requires_grad=True)
    whole, start = torch.zeros((), dtype=torch.float64), 0
    for group in batch.groups:
        scores = (features @ weight)[start : start + len(group)]
        whole = whole + part(scores, torch.tensor([s.total for s in group], dtype=torch.float64))
        start += len(group)
    (expected,) = torch.autograd.grad(whole / 3, weight)
    value, own = coefficients(part, batch, (features @ weight).tolist())
    assert value == pytest.approx(float(whole.detach()) / 3)
    found = torch.zeros(3, dtype=torch.float64)
    for cut in ([0, 5], [1, 2, 8], [3, 4, 6, 7]):
        scores = (features[cut] @ weight) @ torch.tensor([own[i] for i in cut], dtype=torch.float64)
        found += torch.autograd.grad(scores, weight)[0]
    assert torch.allclose(found, expected, atol=1e-12, rtol=0) and expected.abs().max() > 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_properties(name: str) -> None:
    part = SEQUENCE_LOSSES.make(name)
    assert SEQUENCE_LOSSES.make(json.loads(json.dumps(part.record()))) == part
    scores = [0.1, -0.2, 0.0, 0.3, -0.4]
    before = slopes(part, REWARDS, scores)
    order = [3, 0, 4, 1, 2]
    after = slopes(part, [REWARDS[i] for i in order], [scores[i] for i in order])
    assert after == pytest.approx([before[i] for i in order], abs=1e-15)
    for reward in (0.0, 1.0, -7.1):  # on-policy, nothing tells equal episodes apart
        assert slopes(part, [reward] * 3) == pytest.approx([0.0] * 3, abs=1e-15)
    for size in (1.0, 1e6):
        assert np.isfinite(slopes(part, [size, 0.0, -size], [1.0, -50.0, 30.0])).all()


# --- a small model


@pytest.fixture
def config(digits: str, start: Path, tmp_path: Path) -> GRPOConfig:
    return GRPOConfig(
        env=digits, model=str(start), out=str(tmp_path / "run"), steps=2, prompts_per_step=2,
        group_size=3, max_new_tokens=6, lr=1e-3, eval_episodes=0, device="cpu", seed=5,
        max_grad_norm=1e9, sequence_loss=Kimi(tau=0.5),
    )  # fmt: skip


@pytest.fixture
def groups(config: GRPOConfig) -> list[list[Trajectory]]:
    generator = TransformersGenerator(*load_model(config.model, "cpu"))
    with Environments(config.env) as envs:
        return rollout_groups(envs, [1, 22], 3, Player(generator, Sampling(6, seed=4)))


@pytest.mark.parametrize("part", [Kimi(tau=0.5), Dpo(beta=0.5)])
@pytest.mark.parametrize("micro_batch", [2, 100])
def test_gradient_of_whole_groups(config, groups, part, micro_batch) -> None:
    """Against the loss of scores that loops over single episodes and tokens give."""
    config = replace(config, sequence_loss=part, micro_batch=micro_batch)
    model, reference = (load_model(config.model, "cpu")[0] for _ in range(2))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.1)
    losses = []
    for group in groups:
        scores = []
        for item in group:
            with torch.no_grad():
                base = torch.cat(by_turn(reference, item)).sum()
            if not part.against_reference:
                base = sum(sum(turn.logprobs) for turn in item.turns)
            scores.append(
                torch.cat([torch.stack(list(t)) for t in by_turn(model, item)]).sum() - base
            )
        losses.append(part(torch.stack(scores), torch.tensor([item.reward for item in group])))
    (sum(losses) / 2).backward()
    expected = torch.cat([p.grad.flatten().clone() for p in model.parameters()])
    model.zero_grad()
    learner = make_learner(model, config, reference)
    assert isinstance(learner, SequenceLearner)
    metrics = learner.update(groups)
    assert torch.allclose(gradients(learner), expected, atol=2e-5, rtol=1e-3)
    assert metrics["actor/loss"] == pytest.approx(float(sum(losses).detach()) / 2, rel=1e-4)
    assert metrics["actor/rows"] == 6


def test_a_run_goes_on_exactly(config: GRPOConfig) -> None:
    config = replace(config, sequence_loss="rebel", passes=2)
    train(replace(config, steps=1))
    assert_goes_on_exactly(config)


def test_terms_of_token_losses_are_refused(config: GRPOConfig) -> None:
    for change in ({"kl": 0.1}, {"entropy": 0.1}, {"mask_truncated": True}):
        with pytest.raises(ValueError, match="has no meaning for sequence_loss"):
            replace(config, **change)
    for change in ({"correction": "token_mask"}, {"preset": "ppo"}):
        with pytest.raises(ValueError, match="do not go together"):
            replace(config, **change)
    with pytest.raises(ValueError, match="dpo needs a reference model"):
        make_learner(load_model(config.model, "cpu")[0], replace(config, sequence_loss="dpo"))
