"""Episodes of Kuhn poker with scripted replies of each seat."""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from helpers.llm.scripted_engine import Scripted
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.runner import Player
from zerogym.agents.llm.training.batch import Batch, collect

KUHN = "zerogym/kuhn_poker-v0"


CONFIG = GRPOConfig(
    env=KUHN, preset="dr_grpo", steps=2, prompts_per_step=1, group_size=4, max_new_tokens=12,
    lr=1e-3, max_grad_norm=1e9, eval_episodes=2, save_every=1, device="cpu", seed=3,
)  # fmt: skip


def saying(first: Sequence[str], second: Sequence[str]) -> Player:
    """A player with these replies of each seat, in order."""
    left: dict[bool, Iterator[str]] = {True: iter(first), False: iter(second)}
    return Player(
        Scripted(lambda prompt: f"<answer>{next(left['You move first' in prompt])}</answer>")
    )


def played(player: Player, config: GRPOConfig = CONFIG, seed: int = 0) -> Batch:
    with Environments(config.env) as envs:
        return collect(envs, config, np.random.default_rng(seed), lambda _: player)


def dealing(first: str, second: str) -> int:
    """A seed of `played` with which the seats hold these cards."""
    for seed in itertools.count():
        groups = played(saying(["check"] * 4, ["check"] * 4), seed=seed).groups
        observed = [group[0].turns[0].observation for group in groups]
        if all(
            f"card: {card}" in text for card, text in zip((first, second), observed, strict=True)
        ):
            return seed
    raise AssertionError
