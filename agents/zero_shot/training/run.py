"""One run of training: its directory, data, agent and log.

The directory holds `config.json`, `data.npz` (the transitions), `checkpoint.safetensors`,
`log.jsonl` (losses, and metrics of `diagnosis.py`) and, in the end, `model/`.
"""

import copy
import dataclasses
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym
import torch
from torch import Tensor

from zerogym.agents.atomic_files import NotAModel, read_json, read_tensors, write_text
from zerogym.agents.datasets.dataset import Dataset, check_encodable, collect
from zerogym.agents.datasets.environments import make_wrapped_env
from zerogym.agents.datasets.stored import load_dataset
from zerogym.agents.json_lines import NotALog, read_rows
from zerogym.agents.parts import recorded_part
from zerogym.agents.zero_shot.algorithms.base import FBAgent
from zerogym.agents.zero_shot.algorithms.creation import create_agent
from zerogym.agents.zero_shot.algorithms.optimisers import below
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.evaluation.diagnosis import log_metrics
from zerogym.agents.zero_shot.evaluation.returns import mean_score
from zerogym.agents.zero_shot.models.encoders import encoding_of
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.models.networks import to_sphere
from zerogym.agents.zero_shot.training.divergence import is_good, sign_of_divergence
from zerogym.envs.recorded import without_keys
from zerogym.errors import TrainingDiverged

CONFIG_FILE, DATA_FILE, CHECKPOINT_FILE = "config.json", "data.npz", "checkpoint.safetensors"
MODEL_FOLDER, LOG_FILE = "model", "log.jsonl"
PLACES = (
    "device",
    "compile",
    "cuda_graph",
    "threads",
    "evaluate_every",
)  # change the model by rounding at most
DIVERGED = "diverged"  # key of the log's last row then
DIAGNOSED = 256  # states of the diagnosis in the log


class Run:
    """An agent in training, with its directory.

    Args:
        config: Settings of one seed.
        folder: Its directory; made if it does not exist.

    Raises:
        ValueError: If the directory holds a run with other settings, or the environment does not
            fit.
        NotAModel: If a file of the run is damaged.
    """

    def __init__(self, config: FBConfig, folder: Path) -> None:
        lock_settings(folder, config)
        self.config, self.folder = config, folder
        with make_wrapped_env(config.env, config.env_kwargs, config.wrappers) as env:
            check_encodable(env)
            if not (folder / DATA_FILE).exists():
                _data(config, env).save(folder / DATA_FILE)
        dataset = Dataset.load(folder / DATA_FILE)
        self.agent = _create(config, dataset, env.action_space)
        self.data = self.agent.to_tensors(dataset)
        self.metrics: dict[str, float] = {}  # of the last report
        self.log: list[dict[str, float]] = []
        # The same in every report, without draws of the training's generator.
        generator = torch.Generator().manual_seed(config.seed)
        rows = torch.randint(len(dataset), (DIAGNOSED,), generator=generator)
        z = to_sphere(torch.randn(DIAGNOSED, self.agent.model.shape.dim, generator=generator))
        self._z = z.to(self.agent.device)
        self._states = self.agent.gather(self.data, rows.to(self.agent.device)).next_features

    @property
    def checkpoint(self) -> Path:
        """Return the file of the agent's tensors."""
        return self.folder / CHECKPOINT_FILE

    def open_log(self) -> None:
        """Load the rows logged up to the agent's current update.

        Raises:
            TrainingDiverged: If the run has diverged: with its settings it would again.
        """
        path = self.folder / LOG_FILE
        if not path.exists():
            return
        try:
            rows = read_rows(path)
            self.log = [row for row in rows if row["update"] <= self.agent.updates]
            diverged = [row["update"] for row in rows if DIVERGED in row]
        except (KeyError, TypeError, NotALog) as error:
            raise NotAModel(f"{path} is damaged: {error}") from None
        if diverged:
            raise TrainingDiverged(
                f"{self.folder} holds a run that diverged after {diverged[0]} updates, as it would "
                f"again; {self.kept()}"
            )

    def inspect(self, tensors: Mapping[str, Tensor]) -> dict[str, float]:
        """Return the metrics of an update, with the diagnosis of the state after it.

        Raises:
            TrainingDiverged: If they show a divergence, which the log then notes.
        """
        metrics = {name: float(value) for name, value in tensors.items()}
        weights = self.agent.tensors().values()
        # Without rows there is no running level: all that is left are numbers that are not finite.
        sign = sign_of_divergence(metrics, self.log if self.config.stop_diverged else [])
        if sign is None and not all(bool(one.isfinite().all()) for one in weights):
            sign = "a weight is not finite"
        if sign is not None:
            finite = {name: value for name, value in metrics.items() if math.isfinite(value)}
            self.log.append({"update": self.agent.updates, **finite, DIVERGED: 1.0})
            raise TrainingDiverged(
                f"training of seed {self.config.seed} has diverged after {self.agent.updates} "
                f"updates: {sign}"
            )
        diagnosed = log_metrics(self.agent.model, self._states, self._z)
        return metrics | {name: float(value) for name, value in diagnosed.items()}

    def report(self, tensors: Mapping[str, Tensor], score: bool) -> None:
        """Log what `inspect` returns; with `score` also the score on tasks."""
        self.metrics = self.inspect(tensors)
        if score:
            # Policies act on a CPU, wherever they are trained.
            on_cpu = self.agent.device.type == "cpu"
            model = self.agent.model if on_cpu else copy.deepcopy(self.agent.model).cpu()
            found = score_of(model, self.config)
            # An environment without an oracle has no score.
            self.metrics |= {"evaluation/score": found} if math.isfinite(found) else {}
        self.log.append({"update": self.agent.updates, **self.metrics})

    def is_good(self, tensors: Mapping[str, Tensor]) -> bool:
        """Return whether the state after an update may replace the checkpoint."""
        return is_good(self.inspect(tensors), self.log)

    def kept(self) -> str:
        """Return a clause that names the last good model, for messages."""
        after = f"the last good model, after {self.agent.updates} updates, is in"
        model = self.folder / MODEL_FOLDER
        advice = "train with lower learning rates in another directory"
        return f"{after} {model}; {advice}" if model.exists() else f"no state was kept; {advice}"

    def save_log(self) -> None:
        """Write the log."""
        rows = "".join(json.dumps(row) + "\n" for row in self.log)
        write_text(self.folder / LOG_FILE, rows)

    def save_model(self) -> Path:
        """Write the model; returns its directory."""
        self.agent.model.save(self.folder / MODEL_FOLDER)
        return self.folder / MODEL_FOLDER


def score_of(model: FBModel, config: FBConfig) -> float:
    """Return the mean score on the tasks of the environment; NaN without tasks or an oracle.

    Args:
        model: Trained or in training.
        config: Settings of its training; the seed is also that of the starts.
    """

    def make(task: Any) -> gym.Env[Any, Any]:
        return make_wrapped_env(config.env, config.env_kwargs, config.wrappers, task)

    with make_wrapped_env(config.env, config.env_kwargs, config.wrappers) as env:
        if not hasattr(env.unwrapped, "tasks"):
            return math.nan
    return mean_score(model, make, config.gamma, config.seed)


def check(config: FBConfig) -> None:
    """Refuse settings with which no run can begin, by an agent for a single transition.

    Faults that depend on all of the data, such as too few states for anchors, are raised later.

    Raises:
        ValueError: If there is no such environment, or data or settings do not fit it.
    """
    with make_wrapped_env(config.env, config.env_kwargs, config.wrappers) as env:
        check_encodable(env)
        few = collect(env, 1) if config.data is None else _data(config, env).take(1)
        encoding_of(config, few)
        _create(dataclasses.replace(config, anchors=0), few, env.action_space)


def lock_settings(folder: Path, config: FBConfig) -> None:
    """Write the settings into a directory, or check that they equal those of its run.

    A run may continue on another device, with the same results up to rounding, and with other
    evaluations in its log.

    Raises:
        ValueError: If they differ.
        NotAModel: If its file holds no settings.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / CONFIG_FILE
    if not path.exists():
        write_text(path, config.to_json())
        return
    try:
        values = read_json(path)
        recorded_part(values.get("features"), path)
        saved = FBConfig(**values)  # settings that did not exist then have their defaults
    except (TypeError, ValueError) as error:
        raise NotAModel(f"{path} holds no settings of a run: {error}") from None
    here = {name: getattr(config, name) for name in PLACES}
    saved = dataclasses.replace(saved, **here)
    if without_keys(json.loads(saved.to_json())) != without_keys(json.loads(config.to_json())):
        raise ValueError(f"{folder} holds a run with other settings; choose another directory")


def load_checkpoint(path: Path, agents: Mapping[str, FBAgent]) -> None:
    """Continue from a file, if there is one.

    Args:
        path: The file.
        agents: By the prefix of their tensors' names.

    Raises:
        NotAModel: If it is damaged, or of other networks.
    """
    if not path.exists():
        return
    found = read_tensors(path)
    try:
        for prefix, agent in agents.items():
            agent.load_tensors(below(prefix, found))
    except (KeyError, RuntimeError) as error:
        raise NotAModel(f"{path} does not fit its run: {error}") from None


def _create(config: FBConfig, dataset: Dataset, space: gym.Space[Any]) -> FBAgent:
    return create_agent(config, dataset, *actions_of(space))


def actions_of(space: gym.Space[Any]) -> tuple[int, bool]:
    """Return the number of actions or of their coordinates, and whether they are discrete."""
    if isinstance(space, gym.spaces.Discrete):
        return int(space.n), True
    return math.prod(space.shape or ()), False


def _data(config: FBConfig, env: gym.Env[Any, Any]) -> Dataset:
    if config.data is None:
        return collect(env, config.data_steps, seed=config.seed, hold=config.hold)
    if config.wrappers:
        raise ValueError("FBConfig.wrappers: stored data are of the environment without wrappers")
    return load_dataset(config.data, env).transitions()
