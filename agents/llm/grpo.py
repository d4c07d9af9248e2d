"""GRPO: reinforcement learning of a language model on any text environment.

"DeepSeekMath: Pushing the Limits of Mathematical Reasoning in Open Language Models" (2024,
arXiv 2402.03300), the algorithms that came after it (`presets.py`), and PPO (`ppo.py`). Each step
plays groups of episodes of the same problem, weighs each reply against others or against what was
expected, and takes a policy-gradient step on the tokens that the policy wrote, over all turns.

Left out: process rewards, several seats in training, replies of older weights, a model in parts
on several devices (`parallel.py` has whole ones).
"""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch

from zerogym.agents.llm import parallel
from zerogym.agents.llm.backends import make_engine, rest
from zerogym.agents.llm.batches import collect
from zerogym.agents.llm.checkpoint import checkpoints, read_checkpoint, save_checkpoint
from zerogym.agents.llm.contexts import CONTEXTS
from zerogym.agents.llm.evaluation import Evaluation, evaluate, held_out
from zerogym.agents.llm.generation import Sampling
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.interrupts import finish_first
from zerogym.agents.llm.learner import TrainingDiverged
from zerogym.agents.llm.lora import merge, model_of_run
from zerogym.agents.llm.memory import OutOfMemory, out_of_memory_told
from zerogym.agents.llm.models import load_model, save_model
from zerogym.agents.llm.ppo import make_learner
from zerogym.agents.llm.rollout import Player
from zerogym.agents.llm.run_log import Progress, RunLog
from zerogym.agents.llm.worlds import Worlds
from zerogym.agents.trajectory import write_jsonl
from zerogym.errors import EngineFailed, SandboxUnavailable

_SMALL = 20_000_000  # parameters below which a second thread costs more than it brings
_EVALUATION = 2**32  # stream of the evaluation's seeds; steps use the streams below
_MAY_CHANGE = (
    "out", "steps", "eval_every", "eval_episodes",
    "save_every", "keep_checkpoints", "keep_rollouts",
    "micro_batch", "micro_tokens", "packing",  # same up to rounding
    "backend", "engine_memory",  # another engine draws other replies
)  # fmt: skip


@dataclass(frozen=True)
class Result:
    """What a run ended with.

    Attributes:
        model: Directory for `load_model`: `out/model` of a finished run, that of the last
            checkpoint where it was interrupted.
        status: `done`, or `interrupted` (Ctrl-C; `resume=True` goes on from there).
        step: Steps taken.
        before: Evaluation of the start model; None if there is none.
        after: Evaluation of the final model; None if there is none.
    """

    model: Path
    status: Literal["done", "interrupted"]
    step: int
    before: Evaluation | None
    after: Evaluation | None


def train(
    config: GRPOConfig, on_progress: Progress | None = None, *, resume: bool = False
) -> Result:
    """Train a model; `out` gets `metrics.jsonl`, a checkpoint and, at the end, `model`.

    Ctrl-C (or a KeyboardInterrupt from `on_progress`) saves and returns. A resumed run continues
    exactly as if it had not been stopped (by another backend, or one process instead of several,
    with other replies). In processes that `torchrun` started, each calls this with the same
    settings; the first alone writes files and calls `on_progress`.

    Args:
        config: The settings.
        on_progress: Called with the metrics of each step and each evaluation.
        resume: Continue the run in `out` if there is one.

    Raises:
        FileExistsError: If `out` holds a run and `resume` is False.
        ValueError: If the run in `out` had other settings.
        TrainingDiverged: If a loss is not finite; the last good state is saved before.
        OutOfMemory: If there is not enough; says what to lower, the state is saved before.
        SandboxUnavailable: If tools failed in all episodes of a step; the state is saved before.
        EngineFailed: If the engine, or a server that plays against it, gives no reply that can be
            used; the state is saved before.
        ModelNotFound: If there is no such model.
        ProcessLost: If another process of the run has ended; the state is saved before.
        WeightsDiffer: If processes do not have the same weights before a checkpoint.
    """
    with parallel.joined():
        return _take_steps(_Run(config, on_progress, resume), config.steps)


def _take_steps(run: "_Run", steps: int) -> Result:
    with _few_threads(run.model), run.problems, run.tests:
        try:
            parallel.check_same(run.learner.parameters)
            run.evaluate_at(0)
            while run.step < steps:
                run.take_step()
            return run.finish("done")
        except KeyboardInterrupt:
            return run.finish("interrupted")
        except (SandboxUnavailable, EngineFailed, parallel.ProcessLost):
            run.save()
            raise
        except (TrainingDiverged, OutOfMemory) as error:
            where = run.save()
            raise type(error)(f"step {run.step + 1}: {error}; saved in {where}") from error


class _Run:
    """A run in progress: everything that `train` moves on by one step."""

    def __init__(self, config: GRPOConfig, on_progress: Progress | None, resume: bool) -> None:
        self.config = config
        self.out = Path(config.out)
        self.step = 0
        self.evaluations: dict[int, Evaluation] = {}
        found = checkpoints(self.out)
        if found and not resume:
            raise FileExistsError(f"{self.out} holds a run: resume it, or choose another out")
        latest = found[-1] if found else None
        self.problems = Worlds(config.env, config.env_kwargs)
        self.tests = Worlds(config.env, held_out(config.env, config.env_kwargs))
        optimizer, record = read_checkpoint(latest) if latest else ({}, {})
        if record:
            self._check_same(record["config"])
        model, tokenizer = model_of_run(config, latest / "model" if latest else None)
        copied = config.algorithm.kl and not config.lora_rank  # else it is under the adapter
        reference = load_model(config.model, config.device, config.dtype)[0] if copied else None
        self.model, self.tokenizer = model, tokenizer
        name = str(latest / "model") if latest else config.model
        self.generator = make_engine(
            config.backend, model, tokenizer, name, config.dtype, config.engine_memory
        )
        self.learner = make_learner(model, config, reference)
        if record:
            self.step = record["step"]
            self.learner.set_state(optimizer)
            self.evaluations = {int(k): Evaluation(**v) for k, v in record["evaluations"].items()}
        self.log = RunLog(self.out, on_progress, self.step if latest else None)

    def take_step(self) -> None:
        """Roll out, update, evaluate and save as the settings say."""
        config, started = self.config, time.perf_counter()
        rng = np.random.default_rng((config.seed, self.step))
        with out_of_memory_told("lower prompts_per_step, group_size or max_new_tokens"):
            batch = collect(self.problems, config, rng, self._player)
        rest(self.generator)
        rolled_out = time.perf_counter()
        if config.keep_rollouts and not parallel.rank():
            name = f"step-{self.step + 1:06d}.jsonl"
            write_jsonl(self.out / "rollouts" / name, [t for g in batch.rolled_out for t in g])
        with finish_first():  # a step is taken and told whole, or not at all
            metrics = batch.metrics | self.learner.update(batch.groups)
            self.step += 1
            metrics["time/rollout"] = rolled_out - started
            metrics["time/update"] = time.perf_counter() - rolled_out
            self.log.write(self.step, metrics)
        if config.eval_every and self.step % config.eval_every == 0:
            self.evaluate_at(self.step)
        if config.save_every and self.step % config.save_every == 0:
            parallel.check_same(self.learner.parameters)
            self.save()
            parallel.wait()

    def evaluate_at(self, step: int) -> None:
        """Measure the model on the test side, once at each step and only at the present one."""
        config = self.config
        if not config.eval_episodes or step in self.evaluations or step != self.step:
            return
        seeds = np.random.default_rng((config.seed, _EVALUATION)).integers(
            2**31, size=config.eval_episodes
        )
        player, own_pace = self._player(0), config.asynchronous
        outcome = evaluate(self.tests, player, seeds.tolist(), asynchronous=own_pace)
        self.evaluations[step] = outcome
        told = {f"eval/{k}": float(v) for k, v in asdict(outcome).items() if v is not None}
        self.log.write(step, told)

    def save(self) -> Path:
        """Write a checkpoint of the last complete step."""
        record = {
            "step": self.step,
            "config": asdict(self.config),
            "evaluations": {k: asdict(v) for k, v in self.evaluations.items()},
        }
        model, tokenizer = self.model, self.tokenizer
        keep = self.config.keep_checkpoints
        with finish_first():
            return save_checkpoint(
                self.out, self.step, model, tokenizer, self.learner.state(), record, keep
            )

    def finish(self, status: Literal["done", "interrupted"]) -> Result:
        """Save; of a finished run also evaluate and write the final model."""
        if status == "done":
            parallel.check_same(self.learner.parameters)
        model = self.save() / "model"
        if status == "done":
            self.evaluate_at(self.step)  # after saving: it may be long
            self.save()
            model = self.out / "model"
            if not parallel.rank():
                save_model(merge(self.model), self.tokenizer, model)
            parallel.wait()
        before, after = (self.evaluations.get(step) for step in (0, self.step))
        return Result(model, status, self.step, before, after)

    def _player(self, seed: int) -> Player:
        """The policy as it is after the last step."""
        if self.generator.weight_version != self.step:
            self.generator.update_weights(self.model, self.step)
        config = self.config
        sampling = Sampling(
            config.max_new_tokens, config.temperature, stop=tuple(config.stop), seed=seed
        )
        return Player(
            self.generator, sampling, config.chat, config.system,
            context=CONTEXTS[config.context], budget=config.budget,
        )  # fmt: skip

    def _check_same(self, record: Mapping[str, Any]) -> None:
        # A setting that came after the run was made has been at its default all along.
        kept = json.loads(json.dumps(asdict(GRPOConfig()))) | dict(record)
        mine = json.loads(json.dumps(asdict(self.config)))
        names = [item.name for item in fields(self.config) if item.name not in _MAY_CHANGE]
        changed = [name for name in names if kept[name] != mine[name]]
        if changed:
            raise ValueError(f"the run in {self.out} had other settings: {', '.join(changed)}")


@contextmanager
def _few_threads(model: Any) -> Iterator[None]:
    """One thread for a small model on the CPU; as many as before afterwards."""
    before = torch.get_num_threads()
    small = sum(p.numel() for p in model.parameters()) < _SMALL and model.device.type == "cpu"
    torch.set_num_threads(1 if small else before)
    try:
        yield
    finally:
        torch.set_num_threads(before)
