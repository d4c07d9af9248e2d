"""Agent-RLVR: which problems are tried again, what their second prompt says, what is trained on."""

from collections.abc import Iterator, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from helpers.llm.scripted_engine import Letters
from zerogym.agents.llm.algorithms.rollouts.agent_rlvr import AgentRLVR
from zerogym.agents.llm.generation.protocol import Completion, Sampling
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.episode import Player
from zerogym.agents.llm.training.batch import Batch, collect
from zerogym.envs.core import TextEnv

ENV = "tests/Safe-v0"


class Safe(TextEnv):
    """Opens at a drawn digit, 0 or 9, which the guidance names."""

    def __init__(self, guidance: str = "none") -> None:
        super().__init__()
        self.guidance = guidance

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self._episode = str(9 * self.np_random.integers(2))
        return "safe" + (f" opens at {self._episode}" if self.guidance == "plan" else ""), {}

    def step(self, action: str) -> Any:
        right = action == self._episode
        words = "" if right else f"{action} is wrong."
        return words, float(right), True, False, {"success": right, "feedback": words}


class Listener:
    """An engine that replies the digit that a prompt names, and 0 without one; keeps prompts."""

    def __init__(self) -> None:
        self.tokenizer, self.context_length, self.weight_version = Letters(), 10_000, 0
        self.prompts: list[str] = []

    def generate(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Completion]:
        texts = ["".join(map(chr, prompt)) for prompt in prompts]
        self.prompts += texts
        digits = [text.partition("opens at ")[2][:1] or "0" for text in texts]
        return [Completion(d, (ord(d), ord("~")), (-1.0, -1.0), "stop") for d in digits]

    def update_weights(self, weights: Any, version: int) -> None: ...


@pytest.fixture
def envs() -> Iterator[Environments]:
    gym.register(ENV, Safe)
    with Environments(ENV) as envs:
        yield envs
    del gym.registry[ENV]


def rolled(envs: Environments, part: AgentRLVR) -> tuple[Batch, list[str]]:
    config = GRPOConfig(
        env=ENV, rollouts=part, prompts_per_step=8, group_size=3, advantage="dr_grpo"
    )
    engine = Listener()
    player = lambda seed: Player(engine, Sampling(4, seed=seed))  # noqa: E731
    return collect(envs, config, np.random.default_rng(1), player), engine.prompts


@pytest.mark.claim(
    "agent_rlvr", says="Problems that no episode solved are played again with guidance, once."
)
def test_failed_problems_are_tried_again_with_guidance(envs: Environments) -> None:
    batch, prompts = rolled(envs, AgentRLVR())
    first, second = prompts[:24], prompts[24:]
    assert not any("opens" in prompt for prompt in first)
    assert 0 < len(second) < 24 and len(second) % 3 == 0
    assert all("safe opens at 9\nAn earlier attempt failed: 0 is wrong." in p for p in second)
    assert batch.metrics["rollouts/guided"] == len(second) / 24
    assert batch.metrics["rollouts/guided_solved"] == 1.0
    # The batch has eight problems: the failed groups have made room for the guided ones.
    assert len(batch.groups) == 8 and len({group[0].key for group in batch.groups}) == 8
    assert all(each.reward == 1.0 for group in batch.groups for each in group)
    shown = [each.turns[0].observation for group in batch.groups for each in group]
    assert sum("opens" in text for text in shown) == len(second)


def test_no_feedback_and_guidance_that_does_not_help(envs: Environments) -> None:
    batch, prompts = rolled(envs, AgentRLVR(guidance="none", feedback=False))
    assert not any("opens" in prompt or "earlier" in prompt for prompt in prompts)
    assert batch.metrics["rollouts/guided_solved"] == 0.0
    rewards = sorted(group[0].reward for group in batch.groups)
    assert len(rewards) == 8 and rewards[0] == 0.0


def test_what_is_solved_has_no_second_round(envs: Environments) -> None:
    class Knows(Listener):
        def generate(self, prompts: Any, sampling: Sampling) -> list[Completion]:
            digits = ["09"[place % 2] for place in range(len(prompts))]  # each group has both
            self.prompts += digits
            return [Completion(d, (ord(d), ord("~")), (-1.0, -1.0), "stop") for d in digits]

    config = GRPOConfig(
        env=ENV, rollouts=AgentRLVR(), prompts_per_step=8, group_size=2, advantage="dr_grpo"
    )
    engine = Knows()
    batch = collect(
        envs, config, np.random.default_rng(1), lambda seed: Player(engine, Sampling(4, seed=seed))
    )
    assert len(engine.prompts) == 16 and batch.metrics["rollouts/guided"] == 0.0
