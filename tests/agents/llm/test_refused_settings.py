"""Settings of a run that are out of range or contradict each other, and what the error says."""

from typing import Any

import numpy as np
import pytest

import zerogym  # noqa: F401  (registers the ids)
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.errors import ModelNotFound, UnknownName

NAN = float("nan")
PPO = {"preset": "ppo", "group_size": 1}
OLDER = {"staleness": 1, "correction": "token_mask"}
SEATS = {"env": "zerogym/kuhn_poker-v0", "lora_rank": 2, "lora_per_seat": True}
SERVED = {"servers": ("http://127.0.0.1:1/v1#m",)}
GRAPH = {"cuda_graph": True}
OUT_OF_RANGE: list[tuple[dict[str, Any], str]] = [
    ({"group_size": 1}, "group_size"), ({"temperature": 0.0}, "temperature"), ({"lr": NAN}, "lr"),
    ({"steps": -1}, "steps"), ({"clip_low": -0.1}, "clip_low"), ({"kl": -1.0}, "kl"),
    ({"clip_high": float("inf")}, "clip_high"), ({"entropy": NAN}, "entropy"),
    ({"refills": -1}, "refills"), ({"overlong": 1.0}, "overlong"),
    ({"dual_clip": 1.1}, "dual_clip"),
    ({"correction_high": 0.9}, "correction_high"), ({"correction_low": 1.1}, "correction_low"),
    ({"skip_grad_norm": -1.0}, "skip_grad_norm"), ({"engine_memory": 0.0}, "engine_memory"),
    ({"eval_temperature": -1.0}, "eval_temperature must be at least 0"),
    ({"eval_samples": 0}, "eval_samples must be at least 1"),
    ({"eval_samples": 4}, "all 4 samples of a problem are the same"),
    ({"imitation": -1}, "imitation must be at least 0"), ({"ray": -1}, "ray must be at least 0"),
    (OLDER | {"staleness": -1}, "staleness must be at least 0, got -1"),
    (PPO | {"preset": "grpo"}, "group_size must be at least 2"),
    (PPO | {"group_size": 0}, "group_size must be at least 1"), (PPO | {"gamma": 1.1}, "gamma"),
    (PPO | {"gae_lambda": -0.1}, "gae_lambda"), (PPO | {"value_coef": 0.0}, "value_coef"),
    (PPO | {"value_clip": NAN}, "value_clip"), (PPO | {"value_lr": 0.0}, "value_lr"),
]  # fmt: skip
UNKNOWN: list[tuple[dict[str, Any], str]] = [
    ({"preset": "grop"}, "grpo"), ({"preset": "ppp"}, "'ppo'"), ({"advantage": "rlo"}, "'rloo'"),
    ({"correction": "token_tuncate"}, "'token_truncate'"), ({"kl_in": "los"}, "'loss'"),
    ({"backend": "http"}, "backend 'http'"), ({"context": "forget"}, "'forget'"),
    ({"compile": "jit"}, "compile 'jit'"),
    ({"track": ("tensorbord",)}, "no tracker 'tensorbord'.* mean 'tensorboard'"),
]  # fmt: skip
CONTRADICTIONS: list[tuple[dict[str, Any], str]] = [
    ({"env_kwargs": {"split": "test"}}, "split"), ({"eval_opponent": "cfr"}, "for our games"),
    ({"dual_clip": 9.0, "preset": "cispo"}, "cispo"),
    ({"kl_weighted": True, "preset": "rloo"}, "kl_weighted"),
    (PPO | {"refills": 1}, "group_size must be above 1"),
    ({"preset": "dr_grpo", "value_clip": 0.1}, "value_clip has no meaning"),
    ({"preset": "grpo", "gamma": 0.9}, "advantage='grpo'"),
    ({"surrogate": {"part": "clipped"}, "clip_high": 0.3},
     r"clip_high has no meaning beside surrogate=Clipped\(.*which has its own"),
    ({"correction": {"part": "token_mask", "low": 0.5}, "correction_high": 3.0},
     "correction_high has no meaning beside correction=TokenMask"),
    ({"staleness": 1}, "set correction, say 'token_mask'"),
    (OLDER | {"backend": "vllm"}, "staleness needs backend='transformers', got 'vllm'"),
    (SEATS | {"lora_rank": 0}, "set lora_rank"),
    (SEATS | {"env": "zerogym/KuhnPoker-v0"}, "is for games: zerogym/KuhnPoker-v0 has one seat"),
    (SEATS | {"backend": "vllm"}, "needs backend='transformers', got 'vllm'"),
    (SEATS | SERVED, "needs backend='transformers', got servers"),
    (SEATS | {"shard": True}, "lora_per_seat and shard"),
    (SERVED | {"temperature": 0.7}, "at temperature 1"),
    ({"auxiliary": "listening", "backend": "vllm"}, "surveys of beliefs need .*, got 'vllm'"),
    ({"rollouts": "speaking"} | SERVED, "surveys of beliefs need .*, got servers"),
    (SERVED | {"backend": "vllm"}, "servers generate: backend='vllm'"),
    (SERVED | OLDER, "got servers"),
    *(({"imitation": 5} | other, "imitation and .* do not go together")
      for other in (SERVED, {"kl": 0.1}, {"lora_rank": 4}, {"backend": "vllm"})),
    ({"compile": "inductor", "lora_rank": 4}, "compile and lora_rank do not go together"),
    ({"compile": "inductor", "ray": 1}, "compile and ray do not"),
    (GRAPH | {"backend": "vllm"}, "cuda_graph and backend='vllm' do not"),
    (GRAPH | OLDER, "cuda_graph and staleness do not"),
    (GRAPH | {"device": "cpu"}, "cuda_graph needs device='cuda'"),
    *(({"ray": 1} | other, "ray and .* do not go together")
      for other in (OLDER, SERVED, {"shard": True}, {"backend": "vllm"}, SEATS)),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "message"), [*OUT_OF_RANGE, *CONTRADICTIONS])
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GRPOConfig(**settings)


@pytest.mark.parametrize(("settings", "message"), UNKNOWN)
def test_unknown_names_are_refused_with_the_nearest(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        GRPOConfig(**settings)


def test_values_of_another_type_are_refused() -> None:
    with pytest.raises(TypeError, match="JSON"):
        GRPOConfig(env_kwargs={"rng": np.random.default_rng(0)})
    with pytest.raises(TypeError, match="servers must be tuple"):
        GRPOConfig(servers="http://h/v1#m")  # type: ignore[arg-type]
    with pytest.raises(ModelNotFound, match="name a model"):
        GRPOConfig(servers=("http://h/v1",))
