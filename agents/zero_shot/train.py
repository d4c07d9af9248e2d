"""Train a forward-backward model from an environment id to a model directory.

The run directory holds `config.json`, `data.npz` (the transitions), `checkpoint.safetensors`,
`log.jsonl` (losses, and what `diagnosis.py` says of the networks) and, in the end, `model/`. A run
that is cut short continues exactly where it was: the same directory and settings give, on a CPU,
the same bits as a run without a break. Left out: GPUs (networks this small are faster on one core).
"""

import json
import math
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import gymnasium as gym
import torch
from torch import Tensor

from zerogym.agents.explore.storage import load_dataset
from zerogym.agents.zero_shot.agent import FBAgent
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.dataset import Dataset, check_spaces, collect
from zerogym.agents.zero_shot.diagnosis import log_metrics
from zerogym.agents.zero_shot.evaluation import mean_score
from zerogym.agents.zero_shot.fb_continuous import ContinuousFB
from zerogym.agents.zero_shot.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.memory import Memory
from zerogym.agents.zero_shot.networks import to_sphere
from zerogym.agents.zero_shot.storage import NotAModel, read_tensors, write_tensors, write_text
from zerogym.agents.zero_shot.worlds import make_world

CONFIG_FILE, DATA_FILE, CHECKPOINT_FILE = "config.json", "data.npz", "checkpoint.safetensors"
MODEL_FOLDER, LOG_FILE = "model", "log.jsonl"
REPORT_EVERY = 50  # updates between calls of on_progress
WATCHED = 256  # states that the diagnosis in the log looks at


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    updates: int  # done
    total: int  # asked for
    metrics: Mapping[str, float]  # of the last update; empty before the first


@dataclass(frozen=True)
class Trained:
    """What `train` returns."""

    path: Path  # the model directory, for `FBModel.load`
    metrics: Mapping[str, float]  # of the last update; empty if none was left to do


def train(
    config: FBConfig, out_dir: Path | str, on_progress: Callable[[Progress], object] | None = None
) -> Trained:
    """Collect random transitions, train, and save; continue if `out_dir` holds this run's start.

    On Ctrl-C the update under way is finished and saved, then KeyboardInterrupt is raised; a
    second Ctrl-C does not wait. The same call continues.

    Args:
        config: Settings.
        out_dir: The run directory; made if it does not exist.
        on_progress: Called at the start, every `REPORT_EVERY` updates and at the end.

    Raises:
        ValueError: If `out_dir` holds a run with other settings, or the environment does not fit.
        NotAModel: If a file of the run is damaged.
    """
    folder = Path(out_dir)
    folder.mkdir(parents=True, exist_ok=True)
    _claim(folder, config)
    report = on_progress or (lambda progress: None)
    with _threads(config.threads):
        agent, memory = _prepare(config, folder)
        metrics = _loop(agent, memory, folder, report)
        agent.model.save(folder / MODEL_FOLDER)
    return Trained(folder / MODEL_FOLDER, metrics)


def _claim(folder: Path, config: FBConfig) -> None:
    path = folder / CONFIG_FILE
    if not path.exists():
        write_text(path, config.to_json())
    elif path.read_text(encoding="utf-8") != config.to_json():
        raise ValueError(f"{folder} holds a run with other settings; choose another directory")


def _prepare(config: FBConfig, folder: Path) -> tuple[FBAgent, Memory]:
    env = make_world(config.env, config.env_kwargs, config.wrappers)
    try:
        check_spaces(env)
        if not (folder / DATA_FILE).exists():
            _data(config, env).save(folder / DATA_FILE)
    finally:
        env.close()
    dataset = Dataset.load(folder / DATA_FILE)
    space = env.action_space
    maker: type[FBAgent] = ContinuousFB
    count = math.prod(space.shape or ())
    if isinstance(space, gym.spaces.Discrete):
        maker, count = DiscreteFB, int(space.n)
    agent = maker.create(config, dataset, count)
    checkpoint = folder / CHECKPOINT_FILE
    if checkpoint.exists():
        try:
            agent.load_tensors(read_tensors(checkpoint))
        except (KeyError, RuntimeError) as error:
            raise NotAModel(f"{checkpoint} does not fit its run: {error}") from None
    return agent, agent.remember(dataset)


def _data(config: FBConfig, env: gym.Env[Any, Any]) -> Dataset:
    if config.data is None:
        return collect(env, config.data_steps, seed=config.seed, hold=config.hold)
    if config.wrappers:
        raise ValueError("FBConfig.wrappers: stored data are of the world without wrappers")
    return load_dataset(config.data, env).transitions()


def _loop(
    agent: FBAgent, memory: Memory, folder: Path, report: Callable[[Progress], object]
) -> dict[str, float]:
    total, metrics = agent.config.updates, dict[str, float]()
    log, watched = _open_log(folder / LOG_FILE, agent.updates), _watched(agent, memory)
    with _postponed_interrupt() as interrupted:

        def tell() -> None:
            try:
                report(Progress(agent.updates, total, metrics))
            except KeyboardInterrupt:  # no update is under way here: as good as a Ctrl-C
                interrupted.set()

        tell()
        while agent.updates < total and not interrupted.is_set():
            tensors = agent.update(memory)
            look = _due(agent.updates, agent.config.evaluate_every, total)
            if look or _due(agent.updates, REPORT_EVERY, total):
                metrics = _metrics(agent, tensors, watched)
                if look:
                    metrics |= _score(agent)
                log.append({"update": agent.updates, **metrics})
                tell()
            if agent.updates % agent.config.checkpoint_every == 0:
                write_tensors(folder / CHECKPOINT_FILE, agent.tensors())
                _write_log(folder / LOG_FILE, log)
        write_tensors(folder / CHECKPOINT_FILE, agent.tensors())
        _write_log(folder / LOG_FILE, log)
    if interrupted.is_set():
        raise KeyboardInterrupt(f"saved after {agent.updates} of {total} updates in {folder}")
    return metrics


def _due(updates: int, every: int, total: int) -> bool:
    return every > 0 and (updates % every == 0 or updates == total)


def _metrics(
    agent: FBAgent, tensors: Mapping[str, Tensor], watched: tuple[Tensor, Tensor]
) -> dict[str, float]:
    metrics = {name: float(value) for name, value in tensors.items()}
    _check_finite(metrics, agent.updates)
    told = log_metrics(agent.model, *watched)
    return metrics | {name: float(value) for name, value in told.items()}


def _score(agent: FBAgent) -> dict[str, float]:
    """The score of the moment; worlds without an oracle have none."""
    config = agent.config

    def make(task: Any) -> gym.Env[Any, Any]:
        return make_world(config.env, config.env_kwargs, config.wrappers, task)

    score = mean_score(agent.model, make, config.gamma, config.seed)
    return {"evaluation/score": score} if math.isfinite(score) else {}


def _watched(agent: FBAgent, memory: Memory) -> tuple[Tensor, Tensor]:
    """States and z of the diagnosis, the same in every report; training's draws are untouched."""
    generator = torch.Generator().manual_seed(agent.config.seed)
    rows = torch.randint(len(memory.transitions.actions), (WATCHED,), generator=generator)
    z = to_sphere(torch.randn(WATCHED, agent.model.shape.dim, generator=generator))
    return memory.transitions.next_features[rows], z


def _open_log(path: Path, updates: int) -> list[dict[str, float]]:
    """What was logged up to the update at which a run goes on."""
    if not path.exists():
        return []
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return [row for row in rows if row["update"] <= updates]
    except (ValueError, KeyError, TypeError) as error:
        raise NotAModel(f"{path} is damaged: {error}") from None


def _write_log(path: Path, rows: list[dict[str, float]]) -> None:
    write_text(path, "".join(json.dumps(row) + "\n" for row in rows))


def _check_finite(metrics: Mapping[str, float], updates: int) -> None:
    for name, value in metrics.items():
        if value != value or abs(value) == float("inf"):
            raise FloatingPointError(
                f"{name} is {value} after {updates} updates: training has diverged; "
                "lower the learning rates"
            )


@contextmanager
def _postponed_interrupt() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into an event, so that no update is cut in half."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked  # only the main thread receives signals
        return
    before = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: FrameType | None) -> Any:
        asked.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
