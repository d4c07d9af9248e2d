"""An auxiliary term: its gradient by hand, its own divisor, no weight, other learners."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.algorithms.auxiliary.listening import Listening, survey_row  # noqa: E402
from zerogym.agents.llm.algorithms.auxiliary_table import Auxiliary  # noqa: E402
from zerogym.agents.llm.generation.protocol import Sampling  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator  # noqa: E402
from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.learner.learner import Learner  # noqa: E402
from zerogym.agents.llm.learner.ppo import make_learner  # noqa: E402
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.rollout.environments import Environments  # noqa: E402
from zerogym.agents.llm.rollout.runner import Player, rollout_groups  # noqa: E402
from zerogym.agents.posed_survey import PosedSurvey  # noqa: E402
from zerogym.agents.trajectory import Flat, Trajectory  # noqa: E402
from zerogym.errors import PartFailed  # noqa: E402

POSED = (
    PosedSurvey(1, (9, 8), ((5, 6), (7, 6)), 0, (0.5, 0.5)),
    PosedSurvey(2, (9,), ((5,), (7, 4, 3)), 1, (0.9, 0.1)),
    PosedSurvey(2, (4, 4, 9), ((5,), (7,)), 0, (0.9, 0.1), fresh=True),
)


@pytest.fixture
def config(digits: str, start: Path) -> GRPOConfig:
    return GRPOConfig(
        env=digits, model=str(start), max_new_tokens=6, device="cpu", max_grad_norm=1e9
    )


@pytest.fixture
def groups(config: GRPOConfig) -> list[list[Trajectory]]:
    """Episodes of two turns, of which some have surveys."""
    model, tokenizer = load_model(config.model, "cpu")
    with Environments(config.env) as envs:
        player = Player(TransformersGenerator(model, tokenizer), Sampling(6, seed=4))
        groups = rollout_groups(envs, [1, 22], 3, player)
    groups[0][1] = replace(groups[0][1], surveys=POSED)
    groups[1][2] = replace(groups[1][2], surveys=POSED[:1])
    return groups


def gradients(config: GRPOConfig, groups: Any) -> tuple[list[Any], dict[str, float]]:
    """The gradient of an update, and its metrics."""
    learner = make_learner(load_model(config.model, "cpu")[0], config)
    metrics = learner.update(groups)
    return [parameter.grad.clone() for parameter in learner.model.parameters()], metrics


def by_hand(model: Any, groups: Any) -> Any:
    """The mean cross-entropy of the right answers, one context at a time, from single softmaxes."""
    losses = []
    for item in (item for group in groups for item in group):
        for posed in item.surveys:
            context = list(posed.prompt_ids)
            if not posed.fresh:
                turns = item.turns[: posed.turns]
                context = [i for t in turns for i in (*t.prompt_ids, *t.action_ids)] + context
            for token in posed.options[posed.answer]:
                logits = model(input_ids=torch.tensor([context])).logits[0, -1]
                losses.append(-(logits[token] - torch.logsumexp(logits, 0)))
                context.append(token)
    return torch.stack(losses).sum() / 4


@pytest.mark.parametrize(("micro_batch", "packing"), [(1, False), (3, True), (100, False)])
def test_the_gradient_is_the_policys_plus_that_by_hand(config, groups, micro_batch, packing):
    """Whatever the micro-batches are, the term is divided by the number of its own rows."""
    config = replace(config, micro_batch=micro_batch, packing=packing)
    plain, before = gradients(config, groups)
    model = load_model(config.model, "cpu")[0]
    loss = by_hand(model, groups)
    (0.7 * loss).backward()
    found, metrics = gradients(replace(config, auxiliary=Listening(weight=0.7)), groups)
    own = [parameter.grad for parameter in model.parameters()]
    assert max(float(one.abs().max()) for one in own) > 1e-2
    for whole, policy, term in zip(found, plain, own, strict=True):
        assert torch.allclose(whole, policy + term, atol=2e-6, rtol=1e-3)
    assert metrics["auxiliary/listening"] == pytest.approx(float(loss.detach()), abs=1e-5)
    total = before["actor/loss"] + 0.7 * float(loss.detach())
    assert metrics["actor/loss"] == pytest.approx(total, abs=1e-5)


def test_no_weight_and_no_surveys_change_no_bit_of_the_gradient(config, groups):
    plain, before = gradients(config, groups)
    bare = [[replace(item, surveys=()) for item in group] for group in groups]
    for auxiliary, given in ((Listening(weight=0.0), groups), (Listening(), bare)):
        found, metrics = gradients(replace(config, auxiliary=auxiliary), given)
        assert all(map(torch.equal, found, plain))
        assert metrics == before


def test_it_is_trained_where_the_policy_has_no_gradient(config, groups):
    equal = [[replace(item, reward=1.0) for item in group] for group in groups]
    learner = Learner(load_model(config.model, "cpu")[0], replace(config, auxiliary="listening"))
    metrics = learner.update(equal)
    assert metrics["actor/rows"] == 0 and metrics["actor/grad_norm"] > 0.01
    again = learner.update(equal)
    assert again["auxiliary/listening"] < metrics["auxiliary/listening"]


@pytest.mark.parametrize("kind", [{"preset": "ppo"}, {"sequence_loss": "rebel"}])
def test_other_learners_add_the_same_gradient(config, groups, kind):
    config = replace(config, **kind)
    plain, _ = gradients(config, groups)
    found, _ = gradients(replace(config, auxiliary=Listening(weight=0.5)), groups)
    model = load_model(config.model, "cpu")[0]
    (0.5 * by_hand(model, groups)).backward()
    for whole, policy, one in zip(found, plain, model.parameters(), strict=True):
        assert torch.allclose(whole - policy, one.grad, atol=5e-6, rtol=1e-3)


def test_the_row_of_a_survey_ends_in_the_right_answer(groups):
    item = groups[0][1]
    first = (*item.turns[0].prompt_ids, *item.turns[0].action_ids)
    row = survey_row(item, POSED[0])
    assert row.ids == (*first, 9, 8, 5, 6)
    assert row.mask == (0,) * (len(first) + 2) + (1, 1)
    assert survey_row(item, POSED[2]).ids == (4, 4, 9, 5)
    assert Trajectory.from_record(item.to_record()) == item


@dataclass(frozen=True)
class Broken(Auxiliary):
    """A term that fails in a way."""

    weight: float = 1.0
    way: str = "rows"

    def rows(self, groups: Any) -> list[Any]:
        return [Flat((1, 2), (int(self.way == "rows"), 1), (0.0, 0.0), (0, 0))]

    def divisor(self, rows: Any) -> float:
        return float(self.way != "divisor")

    def __call__(self, logprobs: Any, mask: Any) -> Any:
        return logprobs.sum() if self.way == "loss" else logprobs[:, 1] / 0


@pytest.mark.parametrize(
    ("way", "words"),
    [("rows", "without scored"), ("divisor", "divisor"), ("loss", "no loss of"), ("x", "raised")],
)
def test_a_term_that_fails_is_named(config, groups, way, words):
    learner = Learner(load_model(config.model, "cpu")[0], replace(config, auxiliary=Broken(1, way)))
    with pytest.raises(PartFailed, match=f"Broken.*{words}"):
        learner.update(groups)
