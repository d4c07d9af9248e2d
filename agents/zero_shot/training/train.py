"""Train forward-backward models from an environment id to model directories.

An interrupted run continues exactly: the same directory and settings give, on a CPU, the same bits
as a run without a break. `run.py` describes its directory. Several seeds are trained at once
(`algorithms/multi_seed.py`): each has its own directory, `seed_0`, `seed_1`, ..., and all share one
checkpoint beside them, so that all continue from the same update.
"""

import dataclasses
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from zerogym.agents.atomic_files import write_tensors
from zerogym.agents.run_lock import locked
from zerogym.agents.zero_shot.algorithms.base import FBAgent
from zerogym.agents.zero_shot.algorithms.computing import torch_settings
from zerogym.agents.zero_shot.algorithms.multi_seed import MultiSeedAgent, stack_datasets
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.data.tensor_dataset import TensorDataset
from zerogym.agents.zero_shot.representations.fb_losses import Metrics
from zerogym.agents.zero_shot.training.run import (
    CHECKPOINT_FILE,
    CONFIG_FILE,
    Run,
    check,
    load_checkpoint,
    lock_settings,
)
from zerogym.errors import TrainingDiverged

REPORT_EVERY = 50  # updates between calls of on_progress


@dataclass(frozen=True)
class Progress:
    """The progress of a run."""

    updates: int  # done
    total: int  # of the settings
    metrics: Mapping[str, float]  # of the last update, mean of the seeds; empty before the first


@dataclass(frozen=True)
class Trained:
    """The result of `train`."""

    path: Path  # the model directory, for `FBModel.load`
    metrics: Mapping[str, float]  # of the last update; empty if none was left to do


def train(
    config: FBConfig, out_dir: Path | str, on_progress: Callable[[Progress], object] | None = None
) -> Trained:
    """Collect random transitions, train, and save; continue if `out_dir` holds this run's start.

    On Ctrl-C the current update is finished and saved, then KeyboardInterrupt is raised; a second
    Ctrl-C interrupts at once. The same call continues.

    Args:
        config: Settings, of one seed.
        out_dir: The run directory; made if it does not exist.
        on_progress: Called at the start, every `REPORT_EVERY` updates and at the end.

    Raises:
        ValueError: If `out_dir` holds a run with other settings, the environment does not fit, or
            the settings have several seeds (`train_seeds`).
        FolderInUse: If another process writes into `out_dir`.
        NotAModel: If a file of the run is damaged.
        TrainingDiverged: If training diverges, or `out_dir` holds a run that did. Checkpoint and
            model are then of the last good state (see `divergence.py`), if there was one.
    """
    if config.seeds > 1:
        raise ValueError(f"train makes one run, FBConfig.seeds is {config.seeds}; use train_seeds")
    return train_seeds(config, out_dir, on_progress)[0]


def train_seeds(
    config: FBConfig, out_dir: Path | str, on_progress: Callable[[Progress], object] | None = None
) -> list[Trained]:
    """Train as `train` does, for `config.seeds` seeds from `config.seed` on, all at once.

    Each is an ordinary run in a directory of its own, with its own data, batches and noise.
    """
    folder = Path(out_dir)
    if not (folder / CONFIG_FILE).exists():
        check(config)  # before a directory is written: it would refuse the corrected settings
    with locked(folder), torch_settings(config):
        lock_settings(folder, config)
        if config.seeds == 1:
            runs, prefixes = [Run(config, folder)], [""]
        else:
            seeds = range(config.seed, config.seed + config.seeds)
            settings = [dataclasses.replace(config, seed=seed, seeds=1) for seed in seeds]
            runs = [Run(one, folder / f"seed_{one.seed}") for one in settings]
            prefixes = [f"{number}." for number in range(len(runs))]
        agents = {prefix: run.agent for prefix, run in zip(prefixes, runs, strict=True)}
        load_checkpoint(folder / CHECKPOINT_FILE, agents)
        for run in runs:
            run.open_log()
        learner: FBAgent | MultiSeedAgent = runs[0].agent
        data = runs[0].data
        if config.seeds > 1:
            learner = MultiSeedAgent([run.agent for run in runs])
            data = stack_datasets([run.data for run in runs])
        try:
            _loop(runs, learner, data, folder, on_progress or (lambda progress: None))
        except TrainingDiverged as error:
            for run in runs:
                run.save_log()
            if (folder / CHECKPOINT_FILE).exists():
                load_checkpoint(folder / CHECKPOINT_FILE, agents)
                for run in runs:
                    run.save_model()
            raise TrainingDiverged(f"{error}; {runs[0].kept()}") from None
        for run in runs:
            run.save_log()  # whole again, also if no update was left to do
            write_tensors(run.checkpoint, run.agent.tensors())
        return [Trained(run.save_model(), run.metrics) for run in runs]


def _loop(
    runs: Sequence[Run],
    learner: FBAgent | MultiSeedAgent,
    data: TensorDataset,
    folder: Path,
    report: Callable[[Progress], object],
) -> None:
    config = runs[0].config
    total, saved = config.updates, learner.updates
    tensors: Metrics = {}
    with _postponed_interrupt() as interrupted:

        def notify() -> None:
            try:
                report(Progress(learner.updates, total, _mean([run.metrics for run in runs])))
            except KeyboardInterrupt:  # raised between updates: treated as a Ctrl-C
                interrupted.set()

        def save() -> int:
            """Save the states if all are good; return the updates of the checkpoint."""
            for run in runs:
                run.save_log()
            for number, run in enumerate(runs):
                if not run.is_good(_of_one(tensors, number)):
                    return saved
            write_tensors(folder / CHECKPOINT_FILE, learner.tensors())
            return learner.updates

        notify()
        while learner.updates < total and not interrupted.is_set():
            tensors = learner.update(data)
            score = _due(learner.updates, config.evaluate_every, total)
            if score or _due(learner.updates, REPORT_EVERY, total):
                for number, run in enumerate(runs):
                    run.report(_of_one(tensors, number), score)
                notify()
            if learner.updates % config.checkpoint_every == 0:
                saved = save()
        if tensors and saved < learner.updates:
            saved = save()
    if interrupted.is_set():
        raise KeyboardInterrupt(f"saved after {saved} of {total} updates in {folder}")


def _of_one(metrics: Metrics, number: int) -> Metrics:
    """Return the metrics of one of several seeds."""
    return {name: value.view(-1)[number] for name, value in metrics.items()}


def _due(updates: int, every: int, total: int) -> bool:
    return every > 0 and (updates % every == 0 or updates == total)


def _mean(metrics: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the means over runs of their common metrics."""
    shared = [name for name in metrics[0] if all(name in one for one in metrics)]
    return {name: sum(one[name] for one in metrics) / len(metrics) for name in shared}


@contextmanager
def _postponed_interrupt() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into an event, so that no update is interrupted."""
    interrupted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield interrupted  # only the main thread receives signals
        return
    before = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: FrameType | None) -> Any:
        interrupted.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
