"""Scripted engines of proposers and solvers, and steps of rollouts with them."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from helpers.llm.scripted_engine import Letters
from zerogym.agents.llm.algorithms.rollout_tables import Rollouts
from zerogym.agents.llm.generation.protocol import Completion, Sampling
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.episode import Player
from zerogym.agents.llm.training.batch import Batch, collect
from zerogym.agents.trajectory import Trajectory

CODE = "zerogym/CodeTriplet-v0"


class Script:
    """An engine whose reply is a function of the prompt and of how often it has come."""

    def __init__(self, reply: Callable[[str, int], str]) -> None:
        self.tokenizer, self.context_length, self.weight_version = Letters(), 10**8, 0
        self.reply, self.count = reply, dict[str, int]()

    def generate(self, prompts: Any, sampling: Sampling) -> list[Completion]:
        found = []
        for prompt in ("".join(map(chr, ids)) for ids in prompts):
            number = self.count[prompt] = self.count.get(prompt, -1) + 1
            text = self.reply(prompt, number)
            found.append(Completion(text, (7, ord("~")), (-1.0, -1.0), "stop"))
        return found

    def update_weights(self, weights: Any, version: int) -> None: ...


def steps_of(part: Rollouts, engine: Any, count: int = 1, **settings: Any) -> list[Batch]:
    """Roll out steps, each with the state of the one before."""
    known: dict[str, Any] = {
        "env": CODE, "env_kwargs": {"category": "deduction"}, "prompts_per_step": 2,
        "group_size": 4, "advantage": "trr_pp",
    }  # fmt: skip
    config = GRPOConfig(rollouts=part, **(known | settings))
    found, kept = [], None
    with Environments(config.env, config.env_kwargs) as envs:
        for step in range(count):
            player = Player(engine, Sampling(4))
            rng = np.random.default_rng((5, step))
            found.append(collect(envs, config, rng, lambda seed, p=player: p, kept=kept))
            kept = json.loads(json.dumps(found[-1].state))
    return found


def of_role(batch: Batch, role: str) -> list[list[Trajectory]]:
    return [group for group in batch.groups if group[0].role == role]
