"""One update: the gradient of whole episodes, computed token by token, and what is left out."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.llm.forward_pass import by_turn
from helpers.llm.small_runs import assert_goes_on_exactly, equal

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.algorithms.presets import PRESETS  # noqa: E402
from zerogym.agents.llm.generation.protocol import Sampling  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator  # noqa: E402
from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.learner.learner import Learner, token_budget  # noqa: E402
from zerogym.agents.llm.learner.optimizer import Optimizer  # noqa: E402
from zerogym.agents.llm.learner.ppo import make_learner  # noqa: E402
from zerogym.agents.llm.learner.rows import Rows, token_logprobs  # noqa: E402
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.rollout.environments import Environments  # noqa: E402
from zerogym.agents.llm.rollout.runner import Player, rollout_groups  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402
from zerogym.agents.trajectory import Trajectory  # noqa: E402
from zerogym.errors import EngineFailed, TrainingDiverged  # noqa: E402


@pytest.fixture
def config(digits: str, start: Path) -> GRPOConfig:
    return GRPOConfig(env=digits, model=str(start), max_new_tokens=6, lr=1e-3, device="cpu")


@pytest.fixture
def learner(config: GRPOConfig) -> Learner:
    return Learner(load_model(config.model, "cpu")[0], config)


@pytest.fixture
def groups(config: GRPOConfig, learner: Learner) -> list[list[Trajectory]]:
    generator = TransformersGenerator(learner.model, load_model(config.model, "cpu")[1])
    with Environments(config.env) as envs:
        return rollout_groups(envs, [1, 22, 333], 4, Player(generator, Sampling(6, seed=4)))


def test_recorded_logprobs_are_those_of_the_training_pass(learner, groups):
    flats = [trajectory.flatten() for group in groups for trajectory in group]
    assert len({len(flat.ids) for flat in flats}) > 1  # so that there is padding
    rows = Rows.make(flats, [[0.0] * sum(flat.mask) for flat in flats])
    logprobs = token_logprobs(learner.model, rows, 1.0).detach()
    assert rows.mask.sum() == sum(sum(flat.mask) for flat in flats)
    assert ((logprobs - rows.old) * rows.mask).abs().max() < 1e-4


def scored(model: Any, trajectory: Trajectory) -> Iterator[tuple[torch.Tensor, float]]:
    """The log-probability of each own token, and the one that it was drawn with."""
    for turn, found in zip(trajectory.turns, by_turn(model, trajectory), strict=True):
        yield from zip(found, turn.logprobs, strict=True)


@pytest.mark.parametrize("preset", ["grpo", "dr_grpo"])
@pytest.mark.parametrize("micro_batch", [2, 100])
def test_gradient_of_whole_episodes(config, groups, preset, micro_batch):
    """Against loops over single unpadded episodes and single tokens, written from the papers."""
    config = replace(config, preset=preset, micro_batch=micro_batch, max_grad_norm=1e9)
    learner = Learner(load_model(config.model, "cpu")[0], config)
    model = learner.model
    total = torch.zeros(())
    for group in groups:
        rewards = np.array([trajectory.reward for trajectory in group])
        for trajectory in group:
            advantage = float(trajectory.reward - rewards.mean())
            if preset == "grpo":
                advantage /= float(rewards.std())
            pairs = scored(model, trajectory)
            gains = [(logprob - drawn).exp() * advantage for logprob, drawn in pairs]
            divisor = len(gains) if preset == "grpo" else config.max_new_tokens
            total = total - torch.stack(gains).sum() / divisor / 12
    total.backward()
    expected_value = [parameter.grad.clone() for parameter in model.parameters()]
    assert max(float(gradient.abs().max()) for gradient in expected_value) > 1e-3

    metrics = learner.update(groups)
    for parameter, gradient in zip(model.parameters(), expected_value, strict=True):
        assert torch.allclose(parameter.grad, gradient, atol=2e-6, rtol=1e-3)
    assert metrics["actor/loss"] == pytest.approx(float(total.detach()), abs=1e-5)
    assert metrics["actor/ratio"] == pytest.approx(1, abs=1e-4)
    assert metrics["actor/rows"] == 12


@pytest.mark.parametrize("packing", [False, True])
def test_gradient_with_ratios_of_turns(config, groups, packing):
    """The product of a turn's ratios at each of its tokens, in episodes of two turns."""
    config = replace(
        config, ratio="turn", clip_low=1.0, clip_high=99.0, max_grad_norm=1e9, packing=packing
    )
    learner = Learner(load_model(config.model, "cpu")[0], config)
    with torch.no_grad():
        for parameter in learner.model.parameters():
            parameter.mul_(1.1)
    total, spread = torch.zeros(()), []
    for group in groups:
        rewards = np.array([trajectory.reward for trajectory in group])
        for trajectory in group:
            assert len(trajectory.turns) == 2
            gain = torch.zeros(())
            for turn, found in zip(
                trajectory.turns, by_turn(learner.model, trajectory), strict=True
            ):
                product = (torch.stack(list(found)) - torch.tensor(turn.logprobs)).sum().exp()
                spread.append(float(product.detach()))
                gain = gain + len(turn.action_ids) * product
            tokens = sum(len(turn.action_ids) for turn in trajectory.turns)
            advantage = float((trajectory.reward - rewards.mean()) / rewards.std())
            total = total - advantage * gain / tokens / 12
    assert max(spread) > 1.2 * min(spread)
    total.backward()
    expected = [parameter.grad.clone() for parameter in learner.parameters]
    learner.update(groups)
    for parameter, gradient in zip(learner.parameters, expected, strict=True):
        assert torch.allclose(parameter.grad, gradient, atol=2e-6, rtol=1e-3)


def test_dr_grpo_divides_by_the_budget_of_a_whole_episode(config, groups):
    """Six replies of the SQL task have six times the tokens of one: a sixth of the gradient."""
    calculation, sql = "zerogym/RandomCalculation-v0", "zerogym/SQL-v0"
    for change, tokens in (
        ({"env": calculation}, 6), ({"env": calculation, "budget": 4}, 6),
        ({"env": calculation, "env_kwargs": {"max_attempts": 3}}, 18), ({"env": sql}, 36),
        ({"env": sql, "env_kwargs": {"max_turns": 4}}, 24), ({"env": sql, "budget": 20}, 20),
        ({"env": "zerogym/kuhn_poker-v0"}, 6), ({"budget": 50}, 50), ({}, 6),
        ({"env": "elsewhere/Recorded-v0"}, 6),
    ):  # fmt: skip
        assert token_budget(replace(config, **change)) == tokens
    found = []
    for env in (calculation, sql):
        settings = replace(config, preset="dr_grpo", env=env, max_grad_norm=1e9)
        learner = Learner(load_model(config.model, "cpu")[0], settings)
        learner.update(groups)
        found.append(torch.cat([p.grad.flatten() for p in learner.parameters]))
    assert float(found[0].abs().max()) > 1e-3
    assert torch.allclose(found[0], 6 * found[1], rtol=1e-4, atol=1e-7)


def test_gradient_of_replies_of_older_weights(config, groups):
    """Each log-probability weighs its advantage and how much likelier its token has become, unless
    that is more than 1.1."""
    config = replace(
        config, correction="token_mask", correction_high=1.1, aggregation="token_mean",
        max_grad_norm=1e9,
    )  # fmt: skip
    model = load_model(config.model, "cpu")[0]
    for parameter in model.parameters():
        parameter.data.mul_(1.5)
    gains = []
    for group in groups:
        rewards = np.array([trajectory.reward for trajectory in group])
        for trajectory in group:
            advantage = float((trajectory.reward - rewards.mean()) / rewards.std())
            for logprob, drawn in scored(model, trajectory):
                weight = float((logprob.detach() - drawn).exp())
                gains.append(logprob * advantage * (weight if weight <= 1.1 else 0.0))
    (-torch.stack(gains).sum() / len(gains)).backward()
    expected_value = [parameter.grad.clone() for parameter in model.parameters()]

    metrics = Learner(model, config).update(groups)
    assert 0.1 < metrics["engine/outside"] < 0.9
    for parameter, gradient in zip(model.parameters(), expected_value, strict=True):
        assert torch.allclose(parameter.grad, gradient, atol=2e-6, rtol=1e-3)


def test_equal_groups_change_nothing(learner, groups):
    before = {name: value.clone() for name, value in learner.model.state_dict().items()}
    same = [[replace(t, reward=0.2) for t in group] for group in groups]
    assert learner.update(same) == {"actor/rows": 0.0}
    assert equal(before, learner.model.state_dict()) and learner.state() == {}
    # one unequal group: its episodes alone are in the pass, all episodes are in the divisor
    mixed = learner.update([*same[:2], groups[2]])
    assert mixed["actor/rows"] == 4
    assert not equal(before, learner.model.state_dict())
    learner.model.load_state_dict(before)
    alone = learner.update([groups[2]])
    assert mixed["actor/grad_norm"] == pytest.approx(alone["actor/grad_norm"] / 3, rel=1e-4)


def test_kl_pulls_back_to_the_reference(config, groups):
    config = replace(config, kl=1.0, passes=3)
    with pytest.raises(ValueError, match="reference"):
        Learner(load_model(config.model, "cpu")[0], config)
    model, reference = (load_model(config.model, "cpu")[0] for _ in range(2))
    learner = Learner(model, config, reference)
    same = [[replace(t, reward=0.2) for t in group] for group in groups]
    with torch.no_grad():
        for parameter in learner.parameters:
            parameter.mul_(1.2)
    first = learner.update(same)
    assert first["actor/rows"] == 12 and first["actor/kl"] > 0
    for _ in range(5):
        last = learner.update(same)
    assert last["actor/kl"] < first["actor/kl"]


def test_empty_episodes_count_but_have_no_tokens(learner, groups):
    group = [replace(groups[0][0], turns=(), reward=-1.0), *groups[0][1:]]
    assert learner.update([group])["actor/rows"] == 3


@pytest.mark.parametrize("preset", PRESETS)
def test_an_empty_batch_moves_nothing(config, preset):
    """Refills may leave nothing to learn from; in a game nobody may have spoken."""
    learner = make_learner(
        load_model(config.model, "cpu")[0], replace(config, preset=preset, kl=0.0)
    )
    weights = {name: value.clone() for name, value in learner.model.state_dict().items()}
    learner.update([])
    assert equal(weights, learner.model.state_dict())


def test_a_failure_in_a_later_pass_undoes_the_earlier_ones(config, groups, monkeypatch):
    learner = Learner(load_model(config.model, "cpu")[0], replace(config, passes=2))
    learner.update(groups)
    weights = {name: value.clone() for name, value in learner.model.state_dict().items()}
    memory = {name: value.clone() for name, value in learner.state().items()}
    loss, moved = Learner.loss, []

    def wrong_later(self, *arguments):
        moved.append(not equal(weights, self.model.state_dict()))
        value, metrics = loss(self, *arguments)
        return value * (float("nan") if moved[-1] else 1.0), metrics

    monkeypatch.setattr(Learner, "loss", wrong_later)
    with pytest.raises(TrainingDiverged):
        learner.update(groups)
    assert moved[0] is False and moved[-1] is True
    assert equal(weights, learner.model.state_dict()) and equal(memory, learner.state())


def test_engines_that_give_no_logprobs_are_refused(learner, groups):
    silent = groups[1][2]
    turn = silent.turns[0]
    unknown = replace(turn, logprobs=(float("nan"),) * len(turn.logprobs))
    groups[1][2] = replace(silent, turns=(unknown, *silent.turns[1:]), episode=7)
    with pytest.raises(
        EngineFailed, match=r"episode 7 of tests/Digits-v0 \(seed 22\).*no log-prob"
    ):
        learner.update(groups)
    assert learner.state() == {}


def test_small_updates_of_bfloat16_come_together(config):
    """A step of 1e-4 is below the half of 2^-8 by which a weight at 1 could move."""
    weight = torch.nn.Parameter(torch.ones(3, dtype=torch.bfloat16))
    exact = torch.nn.Parameter(torch.ones(3))
    settings = replace(config, lr=1e-4, max_grad_norm=1e9)
    optimizer, wide = Optimizer([weight], settings), Optimizer([exact], settings)
    for _ in range(30):
        for one, parameter in ((optimizer, weight), (wide, exact)):
            one.zero_grad()
            parameter.grad = torch.ones_like(parameter)
            one.step(0.0)
        assert torch.equal(weight, exact.bfloat16())
    assert weight[0] < 1 and wide.stepped[0] is exact
    assert set(wide.state()) == {"0.step", "0.exp_avg", "0.exp_avg_sq"}


def test_a_failed_step_of_bfloat16_leaves_its_copies(config):
    weight = torch.nn.Parameter(torch.ones(3, dtype=torch.bfloat16))
    optimizer = Optimizer([weight], config)
    with pytest.raises(RuntimeError, match="broke"), optimizer.transaction():
        weight.grad = torch.ones_like(weight)
        optimizer.step(0.0)
        raise RuntimeError("broke")
    assert torch.equal(optimizer.stepped[0], torch.ones(3)) and torch.equal(weight, torch.ones(3))


def test_bfloat16_goes_on_exactly(config, tmp_path):
    """Two steps and two more are four, though the checkpoint's weights are rounded."""
    config = replace(
        config, dtype="bfloat16", lr=1e-4, steps=4, prompts_per_step=2, eval_episodes=0,
        out=str(tmp_path / "run"),
    )  # fmt: skip
    train(replace(config, steps=2))
    assert_goes_on_exactly(config)
