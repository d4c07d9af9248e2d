"""Presets at work: gradients, refilled batches, corrections, resumption, and that they all train.

The reward is the share of digits; the model is small and random.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.small_runs import (
    assert_goes_on_exactly,
    equal,
    lines_of,
    random_model,
    registered,
    weights_of,
)
from helpers.llm.tiny_llamas import gradients

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.algorithms.presets import PRESETS  # noqa: E402
from zerogym.agents.llm.generation.protocol import Sampling  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator  # noqa: E402
from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.learner.learner import Learner  # noqa: E402
from zerogym.agents.llm.learner.ppo import make_learner  # noqa: E402
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.rollout.environments import Environments  # noqa: E402
from zerogym.agents.llm.rollout.runner import Player, rollout_groups  # noqa: E402
from zerogym.agents.llm.training.batch import Batch, collect  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402
from zerogym.agents.trajectory import Trajectory, read_jsonl  # noqa: E402
from zerogym.envs.core import TextEnv  # noqa: E402


class Digits(TextEnv):
    """The reward is the share of digits in a reply; in some problems it is constant."""

    rewarded: str = "0123456789"
    flat: frozenset[int] | range = frozenset()  # seeds of problems without a difference

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self._flat = seed in self.flat
        return f"digits {seed}", {}

    def step(self, action: str) -> Any:
        share = sum(letter in self.rewarded for letter in action) / max(1, len(action))
        return "", 0.2 if self._flat else share, True, False, {}


@pytest.fixture
def digits() -> Iterator[str]:
    with registered("tests/ShareOfDigits-v0", Digits) as env_id:
        yield env_id
    Digits.rewarded, Digits.flat = "0123456789", frozenset()


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_model(tmp_path_factory.mktemp("models") / "start", ["digits 0123456789"], 32)


@pytest.fixture
def config(digits: str, start: Path, tmp_path: Path) -> GRPOConfig:
    return GRPOConfig(
        env=digits, model=str(start), out=str(tmp_path / "run"), steps=2, prompts_per_step=3,
        group_size=4, max_new_tokens=6, lr=1e-3, eval_episodes=0, device="cpu", seed=5,
    )  # fmt: skip


@pytest.fixture
def groups(config: GRPOConfig) -> list[list[Trajectory]]:
    """Three groups of four replies, which are 2 to 6 tokens long, with rewards of 0 to 1.1."""
    generator = TransformersGenerator(*load_model(config.model, "cpu"))
    with Environments(config.env) as envs:
        said = rollout_groups(envs, [1, 22, 333], 4, Player(generator, Sampling(6, seed=4)))
    return [[_shortened(item) for item in group] for group in said]


def _shortened(item: Trajectory) -> Trajectory:
    (turn,) = item.turns
    length, reward = 2 + item.episode % 5, item.episode / 10
    said = {"action_ids": turn.action_ids[:length], "logprobs": turn.logprobs[:length]}
    return replace(item, turns=(replace(turn, finish="stop", **said),), reward=reward)


def learner(config: GRPOConfig, shift: float = 1.0) -> Learner:
    """A learner whose model is that of the rollouts, or a step away from it."""
    model, reference = (load_model(config.model, "cpu")[0] for _ in range(2))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(shift)
    return make_learner(model, config, reference)


# --- a run of each


@pytest.mark.proof
@pytest.mark.parametrize("preset", PRESETS)
def test_each_preset_trains_and_resumes_exactly(config: GRPOConfig, preset: str) -> None:
    config = replace(config, preset=preset, passes=2)
    train(replace(config, steps=1))
    assert_goes_on_exactly(config)
    assert not equal(weights_of(Path(config.out) / "model"), weights_of(Path(config.model)))
    for line in lines_of(config):
        assert line["actor/rows"] > 0 and np.isfinite(list(line.values())).all()
        assert ("actor/kl" in line) == (PRESETS[preset].kl > 0)


@pytest.mark.claim(
    "preset:rloo",
    "preset:reinforce_pp",
    "preset:dapo",
    "preset:gspo",
    "preset:cispo",
    says="From a random start the reward of a task of digits rises from below 0.15 to "
    "above 0.6 in 40 steps.",
)
@pytest.mark.parametrize("preset", ["rloo", "reinforce_pp", "dapo", "gspo", "cispo"])
@pytest.mark.proof
def test_reward_rises(config: GRPOConfig, preset: str) -> None:
    """From a random start, where 4 % of the tokens are digits."""
    settings = replace(config, preset=preset, steps=40, lr=1e-2, prompts_per_step=4, group_size=8)
    train(settings)
    rewards = [line["rollout/reward"] for line in lines_of(settings)]
    assert np.mean(rewards[:3]) < 0.15 and np.mean(rewards[-3:]) > 0.6


# --- one update


def test_tokens_of_episodes_left_out_count(
    config: GRPOConfig, groups: list[list[Trajectory]]
) -> None:
    """DAPO's divisor is the batch's tokens, those of equal groups too, unless they are dropped."""
    config = replace(config, preset="dapo", overlong=0.0, max_grad_norm=1e9)
    equal = [replace(t, reward=0.2) for t in groups[1]]
    alone, both = learner(config), learner(config)
    alone.update([groups[0]])
    assert both.update([groups[0], equal])["actor/rows"] == 4
    one, two = (sum(sum(t.flatten().mask) for t in group) for group in (groups[0], equal))
    assert torch.allclose(gradients(both) * (one + two) / one, gradients(alone), atol=1e-6)


def test_cut_replies_are_masked(config: GRPOConfig, groups: list[list[Trajectory]]) -> None:
    """They count in their group's advantage, and have no gradient."""
    (group,) = groups[:1]
    cut = replace(group[0], turns=(replace(group[0].turns[0], finish="length"),))
    plain = replace(config, preset="dr_grpo", max_grad_norm=1e9)
    masked = replace(plain, mask_truncated=True)
    first, second = learner(masked), learner(plain)
    assert first.update([[cut, *group[1:]]])["actor/rows"] == 3
    # the same without the tokens of that episode
    silent = replace(group[0], turns=())
    assert second.update([[silent, *group[1:]]])["actor/rows"] == 3
    assert torch.equal(gradients(first), gradients(second))
    assert learner(plain).update([[cut, *group[1:]]])["actor/rows"] == 4
    third = learner(replace(plain, filter="truncated"))
    third.update([[cut, *group[1:]]])
    assert torch.equal(gradients(first), gradients(third))


def test_punished_length_moves_the_advantage(
    config: GRPOConfig, groups: list[list[Trajectory]]
) -> None:
    """Equal rewards, unequal lengths: only the punishment is left to learn from."""
    equal = [[replace(t, reward=0.2) for t in groups[0]]]
    assert learner(config).update(equal)["actor/rows"] == 0
    assert learner(replace(config, overlong=0.9)).update(equal)["actor/rows"] == 4


def test_divergence_in_the_reward_pulls_back(
    config: GRPOConfig, groups: list[list[Trajectory]]
) -> None:
    """Rewards are equal: what is left is the distance, measured on the tokens as sampled."""
    equal = [[replace(t, reward=0.2) for t in group] for group in groups]
    config = replace(config, preset="reinforce_pp", kl=0.5)
    near = learner(config)
    assert near.update(equal)["actor/kl"] == pytest.approx(0, abs=1e-5)
    far = replace(config)
    mine = learner(far)
    with torch.no_grad():
        for parameter in mine.reference.parameters():
            parameter.mul_(1.3)
    metrics = mine.update(equal)
    assert metrics["actor/rows"] == 12 and abs(metrics["actor/kl"]) > 1e-3


def test_an_engine_that_disagrees_is_corrected(
    config: GRPOConfig, groups: list[list[Trajectory]]
) -> None:
    """An engine 20 % off: each token weighs 0.8; where that is out of bounds, nothing is left."""

    def off(item: Trajectory) -> Trajectory:
        (turn,) = item.turns
        said = tuple(value - float(np.log(0.8)) for value in turn.logprobs)
        return replace(item, turns=(replace(turn, logprobs=said),))

    shifted = [[off(item) for item in group] for group in groups]
    config = replace(config, max_grad_norm=1e9)
    expected_value, weighed, dropped = (
        learner(replace(config, correction=name, correction_low=low))
        for name, low in (("none", 0.0), ("token_truncate", 0.0), ("token_mask", 0.9))
    )
    expected_value.update(groups)
    metrics = weighed.update(shifted)
    assert metrics["engine/gap"] == pytest.approx(-np.log(0.8), abs=1e-4)
    assert metrics["engine/ratio"] == pytest.approx(0.8, abs=1e-4)
    assert metrics["actor/ratio"] == 1.0  # to the trainer's own
    assert torch.allclose(gradients(weighed), 0.8 * gradients(expected_value), atol=1e-5)
    assert dropped.update(shifted)["engine/outside"] == pytest.approx(1)
    assert not gradients(dropped).any()


def test_too_long_gradients_are_not_followed(
    config: GRPOConfig, groups: list[list[Trajectory]]
) -> None:
    norm = learner(config).update(groups)["actor/grad_norm"]
    for limit, skipped in ((norm / 2, 1.0), (norm * 2, 0.0)):
        mine = learner(replace(config, skip_grad_norm=limit))
        before = [parameter.clone() for parameter in mine.parameters]
        assert mine.update(groups)["actor/skipped"] == skipped
        same = all(torch.equal(a, b) for a, b in zip(before, mine.parameters, strict=True))
        assert same == bool(skipped) == (mine.state() == {})


# --- dynamic sampling


def played(config: GRPOConfig) -> Batch:
    generator = TransformersGenerator(*load_model(config.model, "cpu"))
    rng = np.random.default_rng(0)
    with Environments(config.env) as envs:
        return collect(envs, config, rng, lambda s: Player(generator, Sampling(6, seed=s)))


def test_equal_groups_are_replaced(config: GRPOConfig) -> None:
    Digits.rewarded = "".join(map(chr, range(0, 128, 2)))  # so that groups differ
    first = np.random.default_rng(0).integers(2**31, size=3).tolist()
    Digits.flat = frozenset(first[:2])
    assert [g[0].seed for g in played(config).groups] == first
    batch = played(replace(config, refills=2))
    assert len(batch.groups) == 3 and batch.groups[0][0].seed == first[2]
    assert not {t.seed for group in batch.groups for t in group} & set(first[:2])
    assert len(batch.rolled_out) == 5
    assert [g[0].group for g in batch.rolled_out] == [0, 1, 2, 3, 4]
    assert [t.episode for g in batch.rolled_out for t in g] == list(range(20))
    assert batch.metrics["rollout/rounds"] == 2 and batch.metrics["rollout/groups"] == 3
    # what was dropped is in the numbers
    assert batch.metrics["rollout/equal_groups"] == 2 / 5
    again = played(replace(config, refills=2))
    assert again.groups == batch.groups


def test_refills_end(config: GRPOConfig) -> None:
    Digits.flat = range(2**31)
    batch = played(replace(config, refills=4))
    assert batch.groups == [] and len(batch.rolled_out) == 15
    assert batch.metrics["rollout/rounds"] == 5 and batch.metrics["rollout/equal_groups"] == 1
    result = train(replace(config, preset="dapo", keep_rollouts=True))
    assert equal(weights_of(result.model), weights_of(Path(config.model)))
    records = list(read_jsonl(Path(config.out) / "rollouts/step-000001.jsonl"))
    assert len(records) == 4 * 3 * (1 + PRESETS["dapo"].refills)
