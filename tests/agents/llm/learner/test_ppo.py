"""PPO: the loss of values, gradients of whole episodes, state, settings, and that values learn."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.forward_pass import by_turn
from helpers.llm.small_runs import (
    equal,
    lines_of,
    random_model,
    untimed_lines,
    weights_of,
)

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.algorithms.advantages.gae import Gae  # noqa: E402
from zerogym.agents.llm.algorithms.advantages.vl_dac import VlDac  # noqa: E402
from zerogym.agents.llm.algorithms.loss_tables import Totals  # noqa: E402
from zerogym.agents.llm.generation.protocol import Sampling  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator  # noqa: E402
from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.learner.ppo import PPOLearner  # noqa: E402
from zerogym.agents.llm.learner.value_head import value_loss  # noqa: E402
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.models.lora import attach, without_adapter  # noqa: E402
from zerogym.agents.llm.rollout.environments import Environments  # noqa: E402
from zerogym.agents.llm.rollout.runner import Player, rollout_groups  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402
from zerogym.agents.trajectory import Trajectory, Turn  # noqa: E402
from zerogym.cli import app  # noqa: E402


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("models") / "start"
    return random_model(directory, ["digits 0123456789 again"], 32)


@pytest.fixture
def config(digits: str, start: Path, tmp_path: Path) -> GRPOConfig:
    return GRPOConfig(
        env=digits, model=str(start), out=str(tmp_path / "run"), preset="ppo", steps=4,
        prompts_per_step=6, group_size=1, max_new_tokens=6, lr=1e-3, eval_episodes=0,
        device="cpu", seed=5, max_grad_norm=1e9,
    )  # fmt: skip


@pytest.fixture
def groups(config: GRPOConfig) -> list[list[Trajectory]]:
    """Six problems of one episode each, of two replies; three of them with a point more."""
    generator = TransformersGenerator(*load_model(config.model, "cpu"))
    with Environments(config.env) as envs:
        said = rollout_groups(envs, list(range(6)), 1, Player(generator, Sampling(6, seed=4)))
    return [[_rewarded(item, item.episode % 2)] for (item,) in said]


def _rewarded(item: Trajectory, first: float) -> Trajectory:
    turns = (replace(item.turns[0], reward=first), replace(item.turns[1], reward=0.5))
    return replace(item, turns=turns, reward=first + 0.5)


def learner(config: GRPOConfig) -> PPOLearner:
    """A learner whose values are not 0."""
    mine = PPOLearner(load_model(config.model, "cpu")[0], config)
    weights = torch.randn(1, 32, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        mine.head.linear.weight.copy_(weights)
    mine.head.begin(0.3)
    return mine


# --- the loss of values


def test_value_loss_by_hand() -> None:
    """Old values 0, clipped at 0.5. A token at 1 that should be 2: the error of 0.5 counts, which
    has no gradient. At 1, should be -1: it went away, so 4 counts. At 0.25, should be 1: 0.5625.
    """
    values = torch.tensor([[1.0, 1.0, 0.25, float("nan")]], requires_grad=True)
    old, returns = torch.zeros(1, 4), torch.tensor([[2.0, -1.0, 1.0, 7.0]])
    mask = torch.tensor([[1.0, 1.0, 1.0, 0.0]])
    totals = Totals(rows=1, tokens=9, budget=9, steps=6)  # of two micro-batches like this one
    loss, metrics = value_loss(values, old, returns, mask, 0.5, totals)
    assert float(loss.detach()) == pytest.approx((1.5**2 + 2.0**2 + 0.75**2) / 12)
    loss.backward()
    assert torch.allclose(values.grad, torch.tensor([[0.0, 2.0, -0.75, 0.0]]) / 6)
    assert metrics["value/error"] == pytest.approx((1 + 4 + 0.5625) / 3)
    assert metrics["value/mean"] == 0.75 and metrics["value/clipped"] == pytest.approx(1 / 3)


def test_without_a_clip_it_is_the_squared_error() -> None:
    numbers = torch.Generator().manual_seed(0)
    values, old, returns = (torch.randn(3, 5, generator=numbers) for _ in range(3))
    mask = (torch.rand(3, 5, generator=numbers) < 0.6).float()
    totals = Totals(rows=3, tokens=9, budget=5, steps=int(mask.sum()))
    values.requires_grad_()
    loss, metrics = value_loss(values, old, returns, mask, 0.0, totals)
    expected_value = torch.nn.functional.mse_loss(values[mask == 1], returns[mask == 1]) / 2
    assert torch.allclose(loss, expected_value) and metrics["value/clipped"] == 0.0
    loss.backward()
    assert torch.allclose(values.grad, (values.detach() - returns) * mask / mask.sum())


# --- one update


@pytest.mark.parametrize(
    ("gamma", "lam", "micro_batch", "packing"),
    [(1.0, 1.0, 100, False), (0.9, 0.8, 2, False), (0.9, 0.8, 4, True)],
)
def test_gradient_of_whole_episodes(
    config: GRPOConfig,
    groups: list[list[Trajectory]],
    gamma: float,
    lam: float,
    micro_batch: int,
    packing: bool,
) -> None:
    """Against loops over single unpadded episodes and single tokens, written from the papers."""
    config = replace(
        config,
        micro_batch=micro_batch,
        packing=packing,
        gamma=gamma,
        gae_lambda=lam,
        value_coef=0.7,
        value_clip=0.0,
    )
    mine = learner(config)
    ratios, values, advantages, returns = [], [], [], []
    for (trajectory,) in groups:
        ids: list[int] = []
        own, rewarded = [], []
        for turn in trajectory.turns:
            ids += turn.prompt_ids
            for token, old in zip(turn.action_ids, turn.logprobs, strict=True):
                said = mine.model(input_ids=torch.tensor([ids]), output_hidden_states=True)
                ratios.append((said.logits[0, -1].log_softmax(-1)[token] - old).exp())
                state = said.hidden_states[-1][0, -1]
                own.append(mine.head.linear(state / 32**0.5)[0])
                rewarded.append(0.0)
                ids.append(token)
            rewarded[-1] = turn.reward
        reported = [float(value.detach()) for value in own] + [0.0]
        surprise = [r + gamma * reported[t + 1] - reported[t] for t, r in enumerate(rewarded)]
        ahead = [
            sum((gamma * lam) ** k * d for k, d in enumerate(surprise[t:]))
            for t in range(len(rewarded))
        ]
        values += own
        advantages += ahead
        returns += [a + v for a, v in zip(ahead, reported[:-1], strict=True)]
    white = (np.array(advantages) - np.mean(advantages)) / np.std(advantages)
    policy = -(torch.stack(ratios) * torch.tensor(white).float()).mean()
    error = (torch.stack(values) - torch.tensor(returns).float()).square().mean() / 2
    (policy + 0.7 * error).backward()
    expected_value = [parameter.grad.clone() for parameter in mine.parameters]
    assert min(float(expected_value[0].abs().max()), float(expected_value[-2].abs().max())) > 1e-3

    metrics = mine.update(groups)
    assert metrics["actor/rows"] == 6
    assert metrics["actor/loss"] == pytest.approx(float((policy + 0.7 * error).detach()), abs=1e-5)
    assert metrics["value/error"] == pytest.approx(2 * float(error.detach()), rel=1e-4)
    for parameter, gradient in zip(mine.parameters, expected_value, strict=True):
        assert torch.allclose(parameter.grad, gradient, atol=2e-6, rtol=1e-3)


@pytest.mark.parametrize(("micro_batch", "packing"), [(2, False), (4, True)])
def test_gradient_of_values_of_turns(
    config: GRPOConfig, groups: list[list[Trajectory]], micro_batch: int, packing: bool
) -> None:
    """VL-DAC against loops over episodes: a value before each turn, from states without gradient.

    Each token of a turn has the turn's advantage, whitened over the twelve turns.
    """
    config = replace(
        config, micro_batch=micro_batch, packing=packing, advantage=VlDac(0.9, 0.8),
        value_coef=0.7, value_clip=0.0,
    )  # fmt: skip
    mine = learner(config)
    ratios, values, advantages, returns = [], [], [], []
    for (item,) in groups:
        ids, own = list[int](), []
        for turn, found in zip(item.turns, by_turn(mine.model, item), strict=True):
            ids += turn.prompt_ids
            with torch.no_grad():
                said = mine.model(input_ids=torch.tensor([ids]), output_hidden_states=True)
            own.append(mine.head.linear(said.hidden_states[-1][0, -1] / 32**0.5)[0])
            ratios.append((torch.stack(list(found)) - torch.tensor(turn.logprobs)).exp())
            ids += turn.action_ids
        first, last = (float(value.detach()) for value in own)
        second = item.turns[1].reward - last
        ahead = [item.turns[0].reward + 0.9 * last - first + 0.9 * 0.8 * second, second]
        values += own
        advantages += ahead
        returns += [ahead[0] + first, ahead[1] + last]
    white = (np.array(advantages) - np.mean(advantages)) / np.std(advantages)
    gains = [ratio * float(weight) for ratio, weight in zip(ratios, white, strict=True)]
    error = (torch.stack(values) - torch.tensor(returns).float()).square().mean() / 2
    (0.7 * error - torch.cat(gains).mean()).backward()
    expected = [parameter.grad.clone() for parameter in mine.parameters]
    metrics = mine.update(groups)
    assert metrics["value/error"] == pytest.approx(2 * float(error.detach()), rel=1e-4)
    for parameter, gradient in zip(mine.parameters, expected, strict=True):
        assert torch.allclose(parameter.grad, gradient, atol=2e-6, rtol=1e-3)


@pytest.mark.claim("vl_dac", says="The values do not change the model below their head.")
def test_detached_values_leave_the_model_alone(
    config: GRPOConfig, groups: list[list[Trajectory]]
) -> None:
    """The gradient of the model is the same bits whatever their weight, unlike that of `gae`."""
    for part, same in ((VlDac(), True), (Gae(), False)):
        found = []
        for weight in (0.1, 100.0):
            mine = learner(replace(config, advantage=part, value_coef=weight))
            mine.update(groups)
            found.append([parameter.grad for parameter in mine.parameters])
        below = [torch.equal(a, b) for a, b in zip(found[0][:-2], found[1][:-2], strict=True)]
        assert all(below) == same and not torch.equal(found[0][-1], found[1][-1])


def test_values_are_learned_where_all_advantages_are_equal(
    config: GRPOConfig, groups: list[list[Trajectory]]
) -> None:
    """Without rewards, values of 0 have no gradient, and larger values fall."""
    free = [
        [replace(item, reward=0.0, turns=tuple(replace(turn, reward=0.0) for turn in item.turns))]
        for (item,) in groups
    ]
    mine = PPOLearner(load_model(config.model, "cpu")[0], config)
    metrics = mine.update(free)
    assert metrics["actor/rows"] == 6 and metrics["actor/grad_norm"] == 0.0
    assert "value/explained" not in metrics
    with torch.no_grad():
        mine.head.linear.bias.fill_(0.3)
    first = mine.update(free)["value/error"]
    assert first > 0.05 and mine.update(free)["value/error"] < first


def test_values_learn_which_problems_have_rewards(config: GRPOConfig) -> None:
    """A third of the problems has no reward, as the prompt shows; replies are noise.

    Each batch is new, and its values are those before it is learned from.
    """
    mine = PPOLearner(load_model(config.model, "cpu")[0], replace(config, lr=1e-12))
    numbers = np.random.default_rng(0)
    reported = []
    for _ in range(30):
        kinds = numbers.integers(3, size=24).tolist()
        reported.append(mine.update([[_noise(kind, numbers)] for kind in kinds]))
        if len(reported) == 1:  # a constant, from the first batch on
            assert reported[0]["value/mean"] == pytest.approx(np.mean([kind > 0 for kind in kinds]))
            assert reported[0]["value/explained"] == pytest.approx(0.0, abs=1e-6)
    explained = [metrics["value/explained"] for metrics in reported]
    assert min(explained) > -0.05 and min(explained[-5:]) > 0.7


def _noise(kind: int, numbers: np.random.Generator) -> Trajectory:
    """Three tokens to a prompt of three; the reward is 1 unless the kind is 0."""
    reply = tuple(numbers.integers(5, 250, size=3).tolist())
    turn = Turn("", "", (100 + kind,) * 3, reply, (-5.0,) * 3, float(kind > 0))
    return Trajectory("e", 0, 0, (turn,), reward=turn.reward)


def test_adapters_and_values_learn_together(
    config: GRPOConfig, groups: list[list[Trajectory]]
) -> None:
    """Both have gradients, the weights under the adapter stay, and two steps move the values."""
    pytest.importorskip("peft", reason="the extra llm brings peft")
    config = replace(config, lora_rank=2, packing=True)
    model, before = (load_model(config.model, "cpu")[0] for _ in range(2))
    attach(model, config)
    mine = PPOLearner(model, config)
    assert sum(p.numel() for p in mine.parameters[-2:]) == 32 + 1
    for _ in range(2):
        mine.update(groups)
    assert all(p.grad is not None and bool(p.grad.any()) for p in mine.parameters)
    assert bool(mine.head.linear.weight.any())
    with without_adapter(model), torch.no_grad():
        ids = torch.arange(9)[None]
        assert torch.equal(model(ids).logits, before(ids).logits)


def test_the_head_is_saved_with_the_optimiser(
    config: GRPOConfig, groups: list[list[Trajectory]]
) -> None:
    one = learner(config)
    one.update(groups)
    other = PPOLearner(load_model(config.model, "cpu")[0], config)
    other.model.load_state_dict(one.model.state_dict())
    other.set_state({name: value.clone() for name, value in one.state().items()})
    for _ in range(2):
        assert one.update(groups) == other.update(groups)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters, other.parameters, strict=True))
    assert one.state().keys() == other.state().keys()


# --- a run


@pytest.mark.parametrize(
    "change", [{}, pytest.param({"lora_rank": 2, "packing": True}, marks=pytest.mark.proof)]
)
def test_two_steps_and_two_more_are_four(
    config: GRPOConfig, tmp_path: Path, change: dict[str, Any]
) -> None:
    """Weights, metrics and the head are the same bits."""
    if "lora_rank" in change:
        pytest.importorskip("peft", reason="the extra llm brings peft")
    config = replace(config, passes=2, save_every=0, **change)
    straight = train(config)
    halves = replace(config, out=str(tmp_path / "halves"))
    train(replace(halves, steps=2))
    resumed = train(halves, resume=True)
    assert equal(weights_of(straight.model), weights_of(resumed.model))
    files = [Path(out.out) / "checkpoint-000004/optimizer.safetensors" for out in (config, halves)]
    assert files[0].read_bytes() == files[1].read_bytes()
    reported = [untimed_lines(each) for each in (config, halves)]
    assert reported[0] == reported[1] and len(reported[0]) == 4


def test_the_command_line_takes_one_episode_of_a_problem(config: GRPOConfig) -> None:
    reported = CliRunner().invoke(
        app,
        ["train", "llm", "--preset", "ppo", "--group-size", "1", "--env", config.env, "--steps",
         "1", "--prompts-per-step", "4", "--model", config.model, "--out", config.out,
         "--eval-episodes", "0", "--max-new-tokens", "6", "--device", "cpu"],
    )  # fmt: skip
    assert reported.exit_code == 0, reported.output
    (line,) = lines_of(config)
    assert line["actor/rows"] == 4 and line["value/explained"] == pytest.approx(0.0, abs=1e-6)


def test_settings_of_values_are_those_of_the_part() -> None:
    """The flat settings are for parts by name alone; what they leave out is the part's own."""
    named = GRPOConfig(preset="ppo", advantage="vl_dac", gamma=0.5).algorithm.estimator
    assert named == VlDac(gamma=0.5, gae_lambda=0.95)
    assert GRPOConfig(preset="ppo").algorithm.estimator == Gae(1.0, 1.0)
    with pytest.raises(ValueError, match="gamma has no meaning"):
        GRPOConfig(preset="ppo", advantage=VlDac(), gamma=0.5)
    with pytest.raises(ValueError, match="gamma has no meaning"):
        GRPOConfig(advantage="grpo", gamma=0.5)
    with pytest.raises(ValueError, match=r"gae_lambda must be in \[0, 1\]"):
        GRPOConfig(preset="ppo", gae_lambda=1.5)


@pytest.mark.parametrize("change", [{"preset": "dapo", "advantage": "gae"}, {"refills": 1}])
def test_values_and_groups_go_together(change: dict[str, Any]) -> None:
    config = GRPOConfig(**({"preset": "ppo", "group_size": 2} | change))
    assert config.algorithm.estimator.critic and config.algorithm.estimator.minimum_group == 1
