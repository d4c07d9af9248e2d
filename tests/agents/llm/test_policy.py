"""The policy of a language model: conversations, draws, and what it refuses."""

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401  (registers the ids)
from zerogym.agents.core import Policy
from zerogym.agents.llm.generation.protocol import Generator, Sampling
from zerogym.agents.llm.policy import LLMPolicy


def test_policy_keeps_its_conversations(generator):
    policy = LLMPolicy(generator, Sampling(6, seed=2))
    assert isinstance(generator, Generator) and isinstance(policy, Policy)
    replies, first = policy.predict(["Calculate 8", "other"])
    assert len(replies) == 2 and all(isinstance(reply, str) for reply in replies)
    kept = [c.ids for c in first]
    _, second = policy.predict(["again", "new"], first, np.array([False, True]))
    assert [c.ids for c in first] == kept  # the old state can be used again
    assert second[0].ids[: len(kept[0])] == kept[0]
    fresh = LLMPolicy(generator).predict(["new"], deterministic=True)[1][0]
    opening = len(fresh.ids) - len(fresh.reply)
    assert second[1].ids[:opening] == fresh.ids[:opening]


def test_policy_is_reproducible_and_can_be_greedy(generator):
    def play(deterministic: bool, seed: int) -> list[str]:
        policy = LLMPolicy(generator, Sampling(12, seed=seed))
        replies, state = policy.predict(["Calculate"] * 2, deterministic=deterministic)
        return replies + policy.predict(["x"] * 2, state, deterministic=deterministic)[0]

    assert play(False, 1) == play(False, 1)
    assert play(False, 1) != play(False, 2)
    assert play(True, 1) == play(True, 2)
    assert play(True, 1)[0] == play(True, 1)[1]


def test_policy_plays_an_environment(generator):
    env = gym.make("zerogym/RandomCalculation-v0", difficulty=0)
    observation, _ = env.reset(seed=0)
    (reply,), _ = LLMPolicy(generator, Sampling(4)).predict([observation])
    assert env.step(reply)[2]


def test_policy_outgrowing_its_context_falls_silent(generator):
    policy = LLMPolicy(generator, Sampling(8))
    state = None
    for _ in range(6):
        replies, state = policy.predict(["Calculate 8 - 3. Give the final answer"], state)
    assert replies == [""]


def test_policy_refuses_what_is_not_text(generator):
    policy = LLMPolicy(generator)
    with pytest.raises(TypeError, match="view='text'"):
        policy.predict(np.zeros((2, 3), np.float32))
    with pytest.raises(TypeError, match="batch"):
        policy.predict("one text")
    with pytest.raises(ValueError, match="belong together"):
        policy.predict(["a", "b"], policy.predict(["a"])[1])
