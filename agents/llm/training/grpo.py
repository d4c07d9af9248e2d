"""GRPO: reinforcement learning of a language model on any text environment.

"DeepSeekMath: Pushing the Limits of Mathematical Reasoning in Open Language Models" (2024,
arXiv 2402.03300), the algorithms that came after it (`presets.py`), and PPO (`ppo.py`). Each step
plays groups of episodes of the same problem, computes advantages relative to other episodes or to
values, and takes a policy-gradient step on the tokens that the policy wrote, over all turns.

Left out: process rewards.
"""

import time
from contextlib import ExitStack, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from zerogym.agents.llm.distributed import fsdp, parallel
from zerogym.agents.llm.evaluated_samples import (
    problems_of,
    sample_metrics,
    write_outcomes,
)
from zerogym.agents.llm.generation.protocol import Generator
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.learner.out_of_memory import OutOfMemory, explained_out_of_memory
from zerogym.agents.llm.models.loading import load_model, save_model
from zerogym.agents.llm.models.lora import merge
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.evaluation import Evaluation, examine, summarise
from zerogym.agents.llm.rollout.planned import play_planned
from zerogym.agents.llm.training.async_rollouts import AsyncRollouts, drop_stale
from zerogym.agents.llm.training.batch import Batch, collect
from zerogym.agents.llm.training.checkpoint import checkpoints, read_checkpoint, save_checkpoint
from zerogym.agents.llm.training.engine import make_engine, sleep_if_possible
from zerogym.agents.llm.training.evaluated_tasks import evaluated_tasks
from zerogym.agents.llm.training.interrupts import deferred_interrupts, uninterrupted
from zerogym.agents.llm.training.ray_workers import RayWorkers
from zerogym.agents.llm.training.resume import check_same_settings, check_same_versions, versions_of
from zerogym.agents.llm.training.run_log import Progress, RunLog
from zerogym.agents.llm.training.seat_adapters import learner_of_run, players_of
from zerogym.agents.llm.training.seats.earlier_players import EarlierWeights
from zerogym.agents.llm.training.seats.seating import check_games
from zerogym.agents.llm.training.stages import RunStages
from zerogym.agents.llm.training.starting_model import model_of_run
from zerogym.agents.run_lock import locked
from zerogym.agents.torch_threads import few_threads
from zerogym.agents.trajectory import Trajectory, write_jsonl
from zerogym.envs.registry import game_of
from zerogym.errors import EngineFailed, PartFailed, SandboxUnavailable, TrainingDiverged

_ONE_PROCESS = (EngineFailed, OutOfMemory, parallel.ProcessLost)  # errors of perhaps one alone
_EVALUATION = 2**32  # stream of the evaluation's seeds; steps use the streams below


@dataclass(frozen=True)
class Result:
    """The outcome of a run.

    Attributes:
        model: Directory for `load_model`: `out/model` of a finished run, that of the last
            checkpoint where it was interrupted. With `lora_per_seat` each seat's is a folder in it.
        status: `done`, or `interrupted` (Ctrl-C; `resume=True` continues from there).
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
        on_progress: Callback for the metrics of each step and each evaluation.
        resume: Continue the run in `out` if there is one.

    Raises:
        FileExistsError: If `out` holds a run and `resume` is False.
        FolderInUse: If another process writes into `out`.
        ValueError: If the run in `out` had other settings.
        TrainingDiverged: If a loss is not finite; the last good state is saved before.
        OutOfMemory: If memory is short; names what to lower, the state is saved before.
        SandboxUnavailable: If tools failed in all episodes of a step; the state is saved before.
        EngineFailed: If the engine or an opponent's server gives no usable reply; the state is
            saved before.
        ModelNotFound, MissingExtra: If there is no such model, or no package of a tracker.
        PartFailed: If a part of the algorithm fails; it names the part, the state is saved before.
        ProcessLost: If another process of the run has ended; the state is saved before.
        WeightsDiffer: If processes do not have the same weights before a checkpoint; states of
            parts that differ are a PartFailed.

    With `shard`, Ctrl-C ends a run at the end of its step; errors of perhaps one process alone
    (OutOfMemory, EngineFailed, ProcessLost) leave the last checkpoint, since a shard is missing.
    """
    out = Path(config.out)
    with parallel.process_group(), nullcontext() if parallel.rank() else locked(out):
        return _take_steps(_Run(config, on_progress, resume), config.steps)


def _take_steps(run: "_Run", steps: int) -> Result:
    with few_threads(run.model), run.problems, ExitStack() as others:
        stops = others.enter_context(deferred_interrupts()) if run.config.shard else None
        tests = [envs for seats in run.evaluated.values() for envs in seats.values()]
        for context in (run.rollouts, run.workers, run.log, *tests):
            others.enter_context(context or nullcontext())
        try:
            run.check_processes()
            with fsdp.stop_together(stops):
                run.evaluate_at(0)
            while run.step < steps:
                with fsdp.stop_together(stops):
                    run.take_step()
            with fsdp.stop_together(stops):
                return run.finish("done")
        except KeyboardInterrupt:
            return run.finish("interrupted")
        except (SandboxUnavailable, EngineFailed, parallel.ProcessLost) as error:
            run.rescue(error)
            raise
        except (TrainingDiverged, OutOfMemory, PartFailed) as error:
            saved = run.rescue(error)
            raise type(error)(f"step {run.step + 1}: {error}; {saved}") from error


class _Run:
    """A run in progress, which `train` advances step by step."""

    def __init__(self, config: GRPOConfig, on_progress: Progress | None, resume: bool) -> None:
        self.config = config
        self.out = Path(config.out)
        self.step = 0
        self.evaluations: dict[int, Evaluation] = {}
        found = checkpoints(self.out)
        if found and not resume:
            raise FileExistsError(f"{self.out} holds a run: resume it, or choose another out")
        latest = found[-1] if found else None
        self.problems = Environments(config.env, config.env_kwargs, config.wrappers)
        specs = config.source.task_specs(self.problems.task)
        self.stages = RunStages(config)
        configs = (config, *(stage.config for stage in self.stages.all.values()))
        for each in configs:
            each.source.check(each.task)
            own_specs = each.source.task_specs(each.task)
            for spec in own_specs.values():
                own = self.problems.of(spec)
                own.give_back(own.take())  # an unknown id ends here
            check_games(each.others, own_specs, self.problems)
            if each.algorithm.surveys and not any(game_of(one.env) for one in own_specs.values()):
                raise ValueError(f"surveys of beliefs are for games of all seats, not {each.env}")
        self.earlier = EarlierWeights(config, [each.others for each in configs if each.others])
        self.evaluated = evaluated_tasks(config, specs) if config.eval_episodes else {}
        optimizer, record = read_checkpoint(latest) if latest else ({}, {})
        if record:
            check_same_settings(config, record["config"], self.out)
            check_same_versions(config, record.get("versions", {}), self.out)
        self.log = RunLog(config, on_progress, record.get("step"))
        model, tokenizer = model_of_run(config, latest / "model" if latest else None)
        needed = any(own.algorithm.needs_reference for own in config.staged.values())
        copied = needed and not config.lora_rank  # else it is under the adapter
        reference = load_model(config.model, config.device, config.dtype)[0] if copied else None
        self.model, self.tokenizer = model, tokenizer
        self.generator = make_engine(config, model, tokenizer, latest)
        self.workers = RayWorkers(config, model) if config.ray else None
        self.learner = learner_of_run(model, self.stages.now.config, reference)
        self.rollouts = (
            AsyncRollouts(model, tokenizer, config.staleness, config.steps, self._play, optimizer)
            if config.staleness
            else None
        )
        if record:
            self.step = record["step"]
            self.learner.set_state(drop_stale(optimizer))
            self.stages.load(record, self.learner)
            self.evaluations = {int(k): Evaluation(**v) for k, v in record["evaluations"].items()}

    def take_step(self) -> None:
        """Roll out, update, evaluate and save as the settings say."""
        config, started = self.config, time.perf_counter()
        with explained_out_of_memory("lower prompts_per_step, group_size or max_new_tokens"):
            if self.rollouts:
                batch = self.rollouts.take(self.step)
            else:
                batch = self._play(self.step, self._current_engine())
        sleep_if_possible(self.generator)
        fsdp.free_weights(self.model, self.learner.model)
        rolled_out = time.perf_counter()
        if config.keep_rollouts and not parallel.rank():
            name = f"step-{self.step + 1:06d}.jsonl"
            write_jsonl(self.out / "rollouts" / name, [t for g in batch.rolled_out for t in g])
        with uninterrupted():  # a step is taken and logged whole, or not at all
            metrics = batch.metrics | self.learner.update(batch.groups)
            self.step += 1
            metrics |= self.stages.end_step(batch, metrics, self.learner)
            metrics["time/rollout"] = rolled_out - started
            self.earlier.keep(self.step, self.model, self.tokenizer)
            metrics["time/update"] = time.perf_counter() - rolled_out
            self.log.write(self.step, metrics)
        if config.eval_every and self.step % config.eval_every == 0:
            self.evaluate_at(self.step)
        if config.save_every and self.step % config.save_every == 0:
            self.check_processes()
            self.save()
            parallel.barrier()

    def evaluate_at(self, step: int) -> None:
        """Evaluate the model on the test side, once at each step and only at the present one."""
        config = self.config
        if not config.eval_episodes or step in self.evaluations or step != self.step:
            return
        seeds = np.random.default_rng((config.seed, _EVALUATION)).integers(
            2**31, size=config.eval_episodes
        )
        players = players_of(config, self._current_engine(), 0)
        temperature, asynchronous = config.eval_temperature, config.asynchronous
        samples = config.eval_samples
        seeds = seeds.repeat(samples)
        records = {
            name: examine(seats, players, seeds.tolist(), temperature, asynchronous)
            for name, seats in self.evaluated.items()
        }
        # One sample of each problem, whatever their number: the interval is one over problems.
        outcome = summarise([one for found in records.values() for one in found[::samples]])
        self.evaluations[step] = outcome
        known: dict[str, float | None] = {f"eval/{k}": v for k, v in asdict(outcome).items()}
        for name, found in records.items():
            prefix = f"eval/{name or 'own'}/" if len(records) > 1 else "eval/"
            if len(records) > 1:
                own = asdict(summarise(found[::samples]))
                known |= {f"{prefix}{k}": v for k, v in own.items()}
            if samples > 1:
                known |= self._sampled(step, name, found, prefix)
        self.log.write(step, {k: float(v) for k, v in known.items() if v is not None})

    def _sampled(
        self, step: int, name: str, records: list[Trajectory], prefix: str
    ) -> dict[str, float]:
        """Write the outcomes of all samples of a task's problems; return their metrics.

        Each seat of a game has a log of its own: there its problems differ in their seeds.
        """
        seats, samples = self.evaluated[name], self.config.eval_samples
        problems = problems_of(records, samples)
        size = len(problems) // len(seats)  # of each seat, one after the other
        for number, (seat, envs) in enumerate(seats.items()):
            about = {
                "model": str(self.out), "env": envs.env_id, "env_kwargs": dict(envs.kwargs),
                "samples": samples, "step": step,
            }  # fmt: skip
            where = "-".join(filter(None, (name, seat if len(seats) > 1 else "")))
            if not parallel.rank():
                own = problems[number * size : (number + 1) * size]
                write_outcomes(self.out, step, where, own, about)
        found = sample_metrics(problems, samples)
        return {f"{prefix}{k}": v for k, v in found.items()}

    def check_processes(self) -> None:
        """Wait for all processes, and raise unless weights and the states of parts are the same."""
        states = self.learner.part_state() | self.stages.record(self.step)
        parallel.check_same(self.learner.parameters, states)

    def save(self) -> Path:
        """Write a checkpoint of the last complete step."""
        record = {
            "step": self.step,
            "config": self.config.record(),
            "evaluated_on": {
                "/".join(filter(None, (name, seat))): envs.record()
                for name, seats in self.evaluated.items()
                for seat, envs in seats.items()
            },
            "evaluations": {k: asdict(v) for k, v in self.evaluations.items()},
            "parts": self.learner.part_state(),
            "versions": versions_of(self.config),
            **self.stages.record(self.step),
        }
        older = self.rollouts.state(self.step) if self.rollouts else {}
        with uninterrupted():
            return save_checkpoint(
                self.out, self.step, self._whole_model(), self.tokenizer,
                self.learner.state() | older, record, self.config.keep_checkpoints,
            )  # fmt: skip

    def rescue(self, error: Exception) -> str:
        """Save after an error; a sharded model only if all processes have the error."""
        if self.config.shard and isinstance(error, _ONE_PROCESS):
            return "the run goes on from its last checkpoint"
        return f"saved in {self.save()}"

    def finish(self, status: Literal["done", "interrupted"]) -> Result:
        """Save, and evaluate and write the final model of a finished run."""
        if status == "done":
            self.check_processes()
        model = self.save() / "model"
        if status == "done":
            self.evaluate_at(self.step)  # after saving: it may be long
            self.save()
            model = self.out / "model"
            if not parallel.rank():
                save_model(merge(self.model), self.tokenizer, model)
            parallel.barrier()
        before, after = (self.evaluations.get(step) for step in (0, self.step))
        return Result(model, status, self.step, before, after)

    def _whole_model(self) -> Any:
        fsdp.gather_weights(self.model, self.learner.model)
        return self.model

    def _play(self, step: int, engine: Generator) -> Batch:
        """Play the groups of a step."""
        stage, place = self.stages.now, self.stages.place(step)
        config, rng = stage.config, np.random.default_rng((self.config.seed, step))
        players = partial(self.earlier.players, partial(players_of, config, engine))
        roll = self.workers.play_planned if self.workers else play_planned
        state, kept = stage.prompts.before(place), stage.kept.before(place)
        envs = self.problems.of(config.task)
        batch = collect(envs, config, rng, players, roll, state, kept, step)
        stage.kept.keep(place, batch.state)
        return batch

    def _current_engine(self) -> Generator:
        """Return the engine with the weights after the last step."""
        if self.generator.weight_version != self.step:
            self.generator.update_weights(self._whole_model(), self.step)
        return self.generator
