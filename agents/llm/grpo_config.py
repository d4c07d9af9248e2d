"""Settings of a GRPO run; importing them loads no torch."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zerogym.agents.llm.chat import ChatKind
from zerogym.agents.llm.presets import get_preset
from zerogym.envs.registry import GAMES


@dataclass(frozen=True)
class GRPOConfig:
    """Settings of a run.

    Raises:
        ValueError: If a number is out of its range, training problems of the test side are asked
            for, or the environment has several seats.
        TypeError: If `env_kwargs` holds other than JSON values.
        UnknownName: If the preset does not exist.
    """

    env: str = "zerogym/RandomCalculation-v0"  # id of a text environment with one seat
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)  # its arguments, JSON values
    model: str = "tiny"  # what `load_model` takes: a name, a directory, a hub id
    out: str = "runs/grpo"  # directory of checkpoints, metrics and the final model
    preset: str = "grpo"  # grpo or dr_grpo
    steps: int = 100  # optimiser batches
    prompts_per_step: int = 4  # problems in a batch
    group_size: int = 8  # episodes of each problem, >= 2
    passes: int = 1  # optimiser steps on each batch
    max_new_tokens: int = 64  # tokens of one reply
    temperature: float = 1.0  # of training rollouts, > 0; evaluation takes the likeliest tokens
    stop: tuple[str, ...] = ()  # texts that end a reply
    chat: ChatKind = "auto"  # template, plain, or auto
    system: str | None = None  # system text
    lr: float = 1e-5  # learning rate of AdamW
    clip_low: float = 0.2  # how far a token's probability ratio may fall and still count
    clip_high: float = 0.2  # how far it may rise
    kl: float = (
        0.0  # weight of the distance to the start model; the paper has 0.04, 0 needs no copy
    )
    max_grad_norm: float = 1.0  # longer gradients are scaled down
    micro_batch: int = 32  # episodes in one forward pass of the update
    seed: int = 0  # of problems and sampling, >= 0
    eval_every: int = 0  # steps between evaluations; 0: only before and after
    eval_episodes: int = 100  # problems of the test side; 0: no evaluation
    save_every: int = 50  # steps between checkpoints; 0: only at the end
    keep_checkpoints: int = 1  # the latest ones; games take a run's as `opponent="past:OUT"`
    keep_rollouts: bool = False  # write every trajectory to out/rollouts
    asynchronous: bool = False  # episodes at their own pace; runs then repeat up to rounding only
    device: str = "auto"  # auto, cpu, cuda
    dtype: str = "float32"  # of weights and arithmetic; bfloat16 loses small updates

    def __post_init__(self) -> None:
        get_preset(self.preset)
        at_least = {
            "steps": 0, "prompts_per_step": 1, "group_size": 2, "passes": 1, "max_new_tokens": 1,
            "clip_low": 0, "clip_high": 0, "kl": 0, "micro_batch": 1, "seed": 0, "eval_every": 0,
            "eval_episodes": 0, "save_every": 0, "keep_checkpoints": 1,
        }  # fmt: skip
        for name, low in at_least.items():
            if not low <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be at least {low}, got {getattr(self, name)!r}")
        for name in ("temperature", "lr", "max_grad_norm"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be above 0, got {getattr(self, name)!r}")
        json.dumps(dict(self.env_kwargs))  # a TypeError now and not when the run is saved
        if any(game.id == self.env for game in GAMES):
            raise ValueError(f"{self.env} has several seats: train its single-seat environment")
        if self.env_kwargs.get("split") == "test":
            raise ValueError("training on split='test' would spoil the evaluation")
