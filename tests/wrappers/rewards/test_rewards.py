"""Wrappers of the reward: each formula by hand."""

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.wrappers.rewards.reply_rewards import (
    FormatReward,
    LengthPenalty,
    RewardAblation,
    is_well_formed,
)


def env() -> gym.Env[str, str]:
    made = gym.make("zerogym/RandomCalculation-v0", difficulty=0)
    made.reset(seed=2)  # 8 - 3
    return made


FORMS = {
    "<think>a</think><answer>5</answer>": True,
    " <think>a</think>\n<answer>5</answer>\n": True,
    "<think></think><answer></answer>": True,
    "<answer>5</answer>": False,
    "<think>a</think> so <answer>5</answer>": False,
    "Well. <think>a</think><answer>5</answer>": False,
    "<think>a</think><answer>5</answer> done": False,
    "<think>a<think></think><answer>5</answer>": False,
    "<think>a</think><answer>5</answer><answer>6</answer>": False,
    "<answer>5</answer><think>a</think>": False,
    "<think>" + "x" * 2_000_000 + "</think><answer>5</answer>": False,
    "": False,
}


@pytest.mark.parametrize("reply", FORMS, ids=lambda reply: reply[:40] or "empty")
def test_the_form_is_exact(reply: str) -> None:
    assert is_well_formed(reply) == FORMS[reply]


@pytest.mark.parametrize(
    ("reply", "mean_reward", "score"),
    [
        ("<think>8 - 3</think><answer>5</answer>", 1.25, 1.0),
        ("<think>8 - 3</think><answer>6</answer>", 0.25, 0.0),
        ("<answer>5</answer>", 1.0, 1.0),
    ],
)
def test_format_reward(reply: str, mean_reward: float, score: float) -> None:
    _, reward, _, _, info = FormatReward(env(), bonus=0.25).step(reply)
    assert (reward, info["score"]) == (mean_reward, score)


@pytest.mark.parametrize(
    ("length", "penalty"), [(18, 0.0), (80, 0.0), (81, 0.05), (90, 0.5), (100, 1.0), (500, 1.0)]
)
def test_length_penalty(length: int, penalty: float) -> None:
    reply = "<answer>5</answer>".rjust(length)
    _, reward, _, _, info = LengthPenalty(env(), limit=100, margin=20).step(reply)
    assert reward == pytest.approx(1 - penalty)
    assert info["score"] == 1.0


def test_length_may_be_measured_in_tokens() -> None:
    wrapped = LengthPenalty(env(), limit=4, margin=2, measure=lambda text: len(text.split()))
    assert wrapped.step("so it is " + "5 <answer>5</answer>")[1] == 0.0


def mean_reward(reward: str, share: float, reply: str, count: int = 1) -> float:
    total = 0.0
    for seed in range(count):
        wrapped = RewardAblation(env(), reward, share)  # type: ignore[arg-type]
        wrapped.reset(seed=seed)
        answer = wrapped.unwrapped.oracle_action() if reply == "right" else reply  # type: ignore[attr-defined]
        _, found, _, _, info = wrapped.step(answer)
        assert info["true_reward"] == float(reply == "right")
        total += found
    return total / count


def test_true_and_inverted() -> None:
    assert [mean_reward("true", 0.5, reply) for reply in ("right", "1000")] == [1.0, 0.0]
    assert [mean_reward("inverted", 0.5, reply) for reply in ("right", "1000")] == [0.0, 1.0]


@pytest.mark.proof
def test_random_does_not_look_and_noise_flips() -> None:
    for reply in ("right", "1000"):
        assert mean_reward("random", 0.3, reply, 400) == pytest.approx(0.3, abs=0.07)
    assert mean_reward("noisy", 0.3, "right", 400) == pytest.approx(0.7, abs=0.07)
    assert mean_reward("noisy", 0.3, "1000", 400) == pytest.approx(0.3, abs=0.07)


def test_the_same_seed_draws_the_same_noise() -> None:
    def run() -> list[float]:
        wrapped = RewardAblation(gym.make("zerogym/RandomCalculation-v0"), "random", 0.5)
        return [wrapped.reset(seed=seed) and wrapped.step("4")[1] for seed in range(30)]

    assert run() == run()
    assert 0 < np.mean(run()) < 1


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="margin"):
        LengthPenalty(env(), limit=10, margin=20)
    with pytest.raises(ValueError, match="reward is one of"):
        RewardAblation(env(), "treu")  # type: ignore[arg-type]
