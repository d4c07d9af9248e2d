"""What `test_parallel.py` runs in two processes, and in its own: gradients, runs, and failures."""

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from small_runs import registered
from test_grpo_packing import episodes, gradients, llama

import zerogym  # noqa: F401  (registers the ids)
from zerogym.agents.llm import parallel
from zerogym.agents.llm.backends import make_engine
from zerogym.agents.llm.grpo import train
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.ppo import make_learner
from zerogym.agents.llm.presets import PRESETS
from zerogym.agents.trajectory import Trajectory
from zerogym.envs.core import TextEnv

# One episode in a pass, all in one, and so many tokens; padded and packed.
SIZES: list[dict[str, Any]] = [
    {"micro_batch": 1}, {"micro_batch": 100}, {"packing": True, "micro_tokens": 40},
]  # fmt: skip
LOSSES: dict[str, dict[str, Any]] = {
    **{preset: {"preset": preset} for preset in PRESETS},
    "kl": {"kl": 0.1}, "kl token_mean": {"kl": 0.1, "aggregation": "token_mean"},
    "kl constant": {"kl": 0.1, "aggregation": "constant"},
    "entropy": {"entropy": 0.1}, "correction": {"correction": "sequence_truncate"},
}  # fmt: skip
RUNS: dict[str, dict[str, Any]] = {
    "dr_grpo": {"preset": "dr_grpo", "kl": 0.1, "passes": 2},
    # The bias of the values begins where it has no gradient, and AdamW takes steps of its rounding.
    "ppo": {"preset": "ppo", "group_size": 1, "prompts_per_step": 7, "value_lr": 1e-5},
}


def updates() -> Iterator[tuple[str, torch.Tensor, dict[str, float]]]:
    """The name, gradient and metrics of an update with each loss and size, of the same episodes."""
    for name, loss in LOSSES.items():
        for number, size in enumerate(SIZES):
            config = GRPOConfig(**loss, **size, max_new_tokens=8, max_grad_norm=1e9)
            learner = make_learner(llama(), config, llama(1))
            metrics = learner.update([[paid(item) for item in group] for group in episodes()])
            yield f"{name} {number}", gradients(learner), metrics


def paid(item: Trajectory) -> Trajectory:
    """With its reward in its last turn, where values look for it."""
    return replace(item, turns=(*item.turns[:-1], replace(item.turns[-1], reward=item.reward)))


def config_of(out: Path, settings: dict[str, Any]) -> GRPOConfig:
    """A run of two steps; the replies of one process are drawn as those of two."""
    return GRPOConfig(**{
        "env": "zerogym/RandomCalculation-v0", "env_kwargs": {"difficulty": 1}, "out": str(out),
        "steps": 2, "prompts_per_step": 3, "group_size": 4, "max_new_tokens": 24, "lr": 1e-3,
        "eval_episodes": 5, "save_every": 1, "keep_rollouts": True, "device": "cpu",
        "asynchronous": True, **settings,
    })  # fmt: skip


class Breaks(TextEnv):
    """Fails in the second process, in its third episode."""

    episodes = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        Breaks.episodes += 1
        if parallel.rank() == 1 and Breaks.episodes == 3:
            raise RuntimeError("the world of process 1 broke")
        return "2 + 2", {}

    def step(self, action: str) -> Any:
        return "", float(len(action)), True, False, {}


def learn(out: Path) -> None:
    """All updates and runs; what each process found is written down."""
    with parallel.joined():
        own = out / str(parallel.rank())
        own.mkdir()
        found = list(updates())
        torch.save({name: gradient for name, gradient, _ in found}, own / "gradients.pt")
        written = {"metrics": {name: metrics for name, _, metrics in found}}
        try:
            parallel.check_same([torch.full((3,), float(parallel.rank()))])
        except parallel.WeightsDiffer as error:
            written["differ"] = str(error)
        try:
            make_engine("vllm", None, None, "tiny", "float32", 0.5)
        except ValueError as error:
            written["refused"] = str(error)
        for name, settings in RUNS.items():
            config = config_of(out / name, settings)
            train(replace(config, steps=1))
            train(config, resume=True)
        (own / "found.json").write_text(json.dumps(written))


def fail(out: Path) -> None:
    """A run whose world breaks in one process."""
    settings = {"env": "tests/Breaks-v0", "env_kwargs": {}, "prompts_per_step": 2, "group_size": 2}
    with registered("tests/Breaks-v0", Breaks):
        train(config_of(out, settings | {"eval_episodes": 0, "save_every": 0}))


if __name__ == "__main__":
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    torch.set_num_threads(1)
    {"learn": learn, "fail": fail}[sys.argv[1]](Path(sys.argv[2]))
