"""Jobs of `test_parallel.py` in two processes, and in its own: gradients, runs, and failures."""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.small_runs import digits_registered, registered
from helpers.llm.tiny_llamas import episodes, llama
from zerogym.agents.llm.algorithms.advantage_tables import Advantage
from zerogym.agents.llm.algorithms.batch import Batch, Weights
from zerogym.agents.llm.algorithms.presets import PRESETS
from zerogym.agents.llm.distributed import parallel
from zerogym.agents.llm.distributed.fsdp import full_tensor, shard_model
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.learner.ppo import make_learner
from zerogym.agents.llm.models.loading import load_model
from zerogym.agents.llm.models.lora import attach
from zerogym.agents.llm.training.engine import make_engine
from zerogym.agents.llm.training.grpo import train
from zerogym.agents.trajectory import Trajectory
from zerogym.envs.core import TextEnv
from zerogym.errors import PartFailed

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
# Of a model in parts: what has other passes than most, at the sizes where it has.
IN_PARTS: dict[str, dict[str, Any]] = {
    "one row each": {"kl": 0.1, "micro_batch": 1},
    "packed": {"correction": "sequence_truncate", "packing": True, "micro_tokens": 40},
    "values": {"preset": "ppo", "kl": 0.1, "kl_in": "reward", "micro_batch": 1},
    "adapters": {"lora_rank": 2, "kl": 0.1, "entropy": 0.1, "micro_batch": 3},
    "clipped": {"max_grad_norm": 1e-3, "micro_batch": 3},
    "computed again": {"gradient_checkpointing": True, "packing": True, "micro_batch": 3},
    "values clipped": {"preset": "ppo", "max_grad_norm": 1e-3, "micro_batch": 3},
}
RUNS: dict[str, dict[str, Any]] = {
    "dr_grpo": {"preset": "dr_grpo", "kl": 0.1, "passes": 2},
    # The bias of the values begins where it has no gradient, and AdamW takes steps of its rounding.
    "ppo": {"preset": "ppo", "group_size": 1, "prompts_per_step": 7, "value_lr": 1e-5},
    # Not asynchronous, so that it can be repeated to the bit.
    "in parts": {"preset": "dr_grpo", "kl": 0.1, "passes": 2, "shard": True,
                 "asynchronous": False},
    "ppo in parts": {"preset": "ppo", "group_size": 1, "prompts_per_step": 7, "value_lr": 1e-5,
                     "shard": True},
    "adapters in parts": {"lora_rank": 2, "kl": 0.1, "shard": True},
    "curriculum": {"prompts": {"part": "sec", "difficulties": [1.0, 2.0]}, "rollouts": "dars"},
}  # fmt: skip


def updates() -> Iterator[tuple[str, torch.Tensor, dict[str, float]]]:
    """The name, gradient and metrics of an update with each loss and size, of the same episodes."""
    for name, loss in LOSSES.items():
        for number, size in enumerate(SIZES):
            gradient, _, metrics = update(loss | size)
            yield f"{name} {number}", gradient, metrics


def update(settings: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor, dict[str, float]]:
    """The gradient, step and metrics of an update with these settings."""
    config = GRPOConfig(**{"max_new_tokens": 8, "max_grad_norm": 1e9, **settings})
    model = llama()
    if config.lora_rank:
        attach(model, config)
        torch.manual_seed(2)
        for name, parameter in model.named_parameters():
            if "lora_B" in name:  # at 0 there would be no gradient of the others
                torch.nn.init.normal_(parameter, std=0.1)
    learner = make_learner(model, config, None if config.lora_rank else llama(1))
    before = flat(learner.parameters)
    first, (_, *second) = episodes()  # nine, so that processes differ in their passes
    metrics = learner.update([[rewarded(item) for item in group] for group in (first, second)])
    gradient = flat(parameter.grad for parameter in learner.parameters)
    return gradient, flat(learner.parameters) - before, metrics


def flat(tensors: Any) -> torch.Tensor:
    return torch.cat([full_tensor(one.detach()).flatten() for one in tensors])


def rewarded(item: Trajectory) -> Trajectory:
    """With its reward in its last turn, where values look for it."""
    return replace(item, turns=(*item.turns[:-1], replace(item.turns[-1], reward=item.reward)))


def config_of(out: Path, model: Path, settings: dict[str, Any]) -> GRPOConfig:
    """A run of two steps; the replies of one process are drawn as those of two."""
    return GRPOConfig(**{
        "env": "tests/Digits-v0", "model": str(model), "out": str(out),
        "steps": 2, "prompts_per_step": 3, "group_size": 4, "max_new_tokens": 8, "lr": 1e-3,
        "eval_episodes": 5, "save_every": 1, "keep_rollouts": True, "device": "cpu",
        "asynchronous": True, **settings,
    })  # fmt: skip


@dataclass(frozen=True)
class Apart(Advantage):
    """Keep the number of the process, which the batch does not say."""

    def __call__(self, batch: Batch) -> Weights:
        batch.state["process"] = parallel.rank()
        return [[sample.total for sample in group] for group in batch.groups]


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
    with parallel.process_group(), digits_registered():
        own = out / str(parallel.rank())
        own.mkdir()
        found = list(updates())
        torch.save({name: gradient for name, gradient, _ in found}, own / "gradients.pt")
        written: dict[str, Any] = {"metrics": {name: metrics for name, _, metrics in found}}
        try:
            parallel.check_same([torch.full((3,), float(parallel.rank()))])
        except parallel.WeightsDiffer as error:
            written["differ"] = str(error)
        apart = config_of(out / "apart", out.parent / "model", {"advantage": Apart(), "steps": 1})
        try:
            train(replace(apart, eval_episodes=0))
        except PartFailed as error:
            written["parts differ"] = str(error)
        try:
            make_engine(GRPOConfig(backend="vllm"), None, None, None)
        except ValueError as error:
            written["refused"] = str(error)
        for name, settings in RUNS.items():
            config = config_of(out / name, out.parent / "model", settings)
            train(replace(config, steps=1))
            train(config, resume=True)
        train(config_of(out / "unstopped", out.parent / "model", RUNS["in parts"]))
        model = shard_model(load_model(out.parent / "model", "cpu")[0])
        written["held"] = sum(one.to_local().numel() for one in model.parameters())
        (own / "found.json").write_text(json.dumps(written))


def divide(out: Path) -> None:
    """Updates of a model in parts."""
    with parallel.process_group():
        found = {name: update(settings | {"shard": True}) for name, settings in IN_PARTS.items()}
        torch.save(found, out / f"{parallel.rank()}.pt")


def fail(out: Path, shard: bool = False) -> None:
    """A run whose world breaks in one process; parts are saved before, or not at all."""
    settings: dict[str, Any] = {"env": "tests/Breaks-v0", "prompts_per_step": 2, "group_size": 2}
    settings |= {"eval_episodes": 0, "save_every": int(shard), "shard": shard}
    config = config_of(out, Path("tiny"), settings)
    with registered("tests/Breaks-v0", Breaks):
        train(config)


def interrupt(out: Path) -> None:
    """Ctrl-C in both processes of a model in parts, when one has long waited for the other."""
    out.mkdir(parents=True, exist_ok=True)
    mine = out / f"process-{os.environ['RANK']}"
    mine.write_text(str(os.getpid()))

    def press(metrics: Any) -> None:
        time.sleep(1)
        for each in out.glob("process-*"):
            os.kill(int(each.read_text()), signal.SIGINT)

    settings = {"steps": 50, "eval_episodes": 0, "save_every": 0, "shard": True}
    with digits_registered():
        result = train(config_of(out, out.parent / "model", settings), press)
    mine.write_text(f"{result.status} after {result.step}")


if __name__ == "__main__":
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    torch.set_num_threads(1)
    jobs = {
        "learn": learn,
        "divide": divide,
        "fail": fail,
        "fail in parts": partial(fail, shard=True),
        "interrupt": interrupt,
    }
    jobs[sys.argv[1]](Path(sys.argv[2]))
