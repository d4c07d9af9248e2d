"""The settings of a run as its `run.json` had them before they were in groups."""

import json
from typing import Any

FLAT_RECORD: dict[str, Any] = json.loads("""
{"env": "zerogym/Countdown-v0", "env_kwargs": {"difficulty": 1}, "wrappers": {},
 "eval_wrappers": {}, "model": "tiny", "out": "runs/mine", "preset": "dapo", "steps": 2,
 "prompts_per_step": 16, "group_size": 8, "passes": 1, "max_new_tokens": 64, "temperature": 1.0,
 "stop": ["###"], "chat": "auto", "system": null, "context": "stop", "budget": 0, "lr": 0.001,
 "value_lr": 0.01, "max_grad_norm": 1.0, "skip_grad_norm": 0.0, "micro_batch": 32,
 "micro_tokens": 0, "gradient_checkpointing": false, "packing": null, "lora_rank": 0,
 "lora_alpha": 32.0, "lora_targets": [], "lora_per_seat": false, "seed": 0, "eval_every": 0,
 "eval_episodes": 0, "eval_temperature": 0.0, "eval_opponent": "random", "save_every": 50,
 "keep_checkpoints": 1, "keep_rollouts": false, "track": [], "asynchronous": false,
 "staleness": 0, "ray": 0, "device": "auto", "shard": false, "dtype": "float32",
 "compile": "none", "cuda_graph": false, "backend": "transformers", "servers": [],
 "engine_memory": 0.3, "advantage": {"part": "tempo", "alpha": 0.5, "version": 1},
 "surrogate": null, "ratio": null, "aggregation": null, "clip_low": null, "clip_high": null,
 "dual_clip": null, "kl": null, "kl_estimator": null, "kl_in": null, "kl_weighted": null,
 "entropy": null, "correction": "token_mask", "correction_low": null, "correction_high": null,
 "mask_truncated": null, "overlong": null, "refills": null, "gamma": null, "gae_lambda": null,
 "value_coef": null, "value_clip": null, "sequence_loss": null}
""")
