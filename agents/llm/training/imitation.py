"""Imitation of random replies: a small model learns the form of a task before it is trained in it.

A model that never writes a legal move has the same reward in all episodes, and learns nothing by
it. Random legal replies show it the form, and no strategy. Left out: adapters, and models of other
processes.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.supervised.oracle_traces import Trace
from zerogym.agents.llm.supervised.sft import SFTConfig, encode_all, fine_tune

EPISODES = 200  # of each task: random replies, one trace for each seat
LEARNING_RATE = 1e-3  # peak, of AdamW
_OWN_SEEDS = 314  # so that problems and replies are not those of the training


def imitate(model: Any, tokenizer: Any, config: GRPOConfig) -> None:
    """Train a model in place for `config.imitation` steps on random replies in the run's tasks.

    Raises:
        ValueError: If an environment has no random replies.
    """
    rng = np.random.default_rng((config.seed, _OWN_SEEDS))
    traces: list[Trace] = []
    with Environments(config.env, config.env_kwargs, config.wrappers) as envs:
        for task in config.source.task_specs(envs.task).values():
            traces += random_traces(envs.of(task), EPISODES, rng)
    settings = SFTConfig(
        steps=config.imitation, batch_tokens=2048, learning_rate=LEARNING_RATE, warmup=3,
        seed=config.seed,
    )  # fmt: skip
    fine_tune(model, encode_all(traces, tokenizer), settings)


def random_traces(envs: Environments, episodes: int, rng: np.random.Generator) -> Iterator[Trace]:
    """Yield the conversation of each seat in episodes of random replies.

    Args:
        envs: The environments of one task.
        episodes: How many.
        rng: Of the problems and of the replies.
    """
    env = envs.take()
    try:
        for seed in rng.integers(2**31, size=episodes).tolist():
            env.reset(seed)
            talks: dict[str, list[tuple[str, str]]] = {}
            while (seat := env.to_move()) is not None:
                reply = env.random_action(rng)
                talks.setdefault(seat, []).append((env.observation(), reply))
                env.act(reply)
            yield from (Trace(envs.env_id, tuple(turns)) for turns in talks.values())
    finally:
        envs.give_back(env)
