"""One run of training: its directory, data, agent and log.

The directory holds `config.json`, `data.npz` (the transitions), `checkpoint.safetensors`,
`log.jsonl` (losses, and what `diagnosis.py` says of the networks) and, in the end, `model/`.
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
from zerogym.agents.zero_shot.algorithms.base import FBAgent
from zerogym.agents.zero_shot.algorithms.fb_continuous import ContinuousFB
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.algorithms.flow_bc import FlowFB
from zerogym.agents.zero_shot.algorithms.optimisers import below
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.evaluation.diagnosis import log_metrics
from zerogym.agents.zero_shot.evaluation.returns import mean_score
from zerogym.agents.zero_shot.models.encoders import encoding_of
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.models.networks import to_sphere

CONFIG_FILE, DATA_FILE, CHECKPOINT_FILE = "config.json", "data.npz", "checkpoint.safetensors"
MODEL_FOLDER, LOG_FILE = "model", "log.jsonl"
PLACES = ("device", "compile", "cuda_graph", "threads")  # settings of how, not of what
WATCHED = 256  # states that the diagnosis in the log looks at


class Run:
    """An agent in training, and what is kept of it.

    Args:
        config: Settings of one seed.
        folder: Its directory; made if it does not exist.

    Raises:
        ValueError: If the directory holds a run with other settings, or the environment does not
            fit.
        NotAModel: If a file of the run is damaged.
    """

    def __init__(self, config: FBConfig, folder: Path) -> None:
        claim(folder, config)
        self.config, self.folder = config, folder
        self.agent, dataset = _agent(config, folder)
        self.data = self.agent.to_tensors(dataset)
        self.metrics: dict[str, float] = {}  # of the last report
        self.log: list[dict[str, float]] = []
        # The same in every report; training's draws are untouched.
        generator = torch.Generator().manual_seed(config.seed)
        rows = torch.randint(len(dataset), (WATCHED,), generator=generator)
        z = to_sphere(torch.randn(WATCHED, self.agent.model.shape.dim, generator=generator))
        self._z = z.to(self.agent.device)
        self._states = self.agent.gather(self.data, rows.to(self.agent.device)).next_features

    @property
    def checkpoint(self) -> Path:
        """Where the agent's tensors are kept."""
        return self.folder / CHECKPOINT_FILE

    def open_log(self) -> None:
        """Take up what was logged before the update at which the agent is."""
        path = self.folder / LOG_FILE
        if not path.exists():
            return
        try:
            rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            self.log = [row for row in rows if row["update"] <= self.agent.updates]
        except (ValueError, KeyError, TypeError) as error:
            raise NotAModel(f"{path} is damaged: {error}") from None

    def report(self, tensors: Mapping[str, Tensor], score: bool) -> None:
        """Note the metrics of an update and the diagnosis; if asked, the score on tasks.

        Raises:
            FloatingPointError: If a metric is not finite.
        """
        metrics = {name: float(value) for name, value in tensors.items()}
        _check_finite(metrics, self.agent.updates)
        told = log_metrics(self.agent.model, self._states, self._z)
        self.metrics = metrics | {name: float(value) for name, value in told.items()}
        if score:
            # Policies act on a CPU, wherever they are trained.
            model = self.agent.model
            found = score_of(
                model if self.agent.device.type == "cpu" else copy.deepcopy(model).cpu(),
                self.config,
            )
            # A world without an oracle has no score.
            self.metrics |= {"evaluation/score": found} if math.isfinite(found) else {}
        self.log.append({"update": self.agent.updates, **self.metrics})

    def save_log(self) -> None:
        """Write the log."""
        rows = "".join(json.dumps(row) + "\n" for row in self.log)
        write_text(self.folder / LOG_FILE, rows)

    def save_model(self) -> Path:
        """Write the model; returns its directory."""
        self.agent.model.save(self.folder / MODEL_FOLDER)
        return self.folder / MODEL_FOLDER


def score_of(model: FBModel, config: FBConfig) -> float:
    """The mean score of a model on the tasks of its world; NaN without tasks or an oracle.

    Args:
        model: Trained or in training.
        config: Of its training; the seed decides on the starts.
    """

    def make(task: Any) -> gym.Env[Any, Any]:
        return make_wrapped_env(config.env, config.env_kwargs, config.wrappers, task)

    with make_wrapped_env(config.env, config.env_kwargs, config.wrappers) as env:
        if not hasattr(env.unwrapped, "tasks"):
            return math.nan
    return mean_score(model, make, config.gamma, config.seed)


def check(config: FBConfig) -> None:
    """Refuse settings with which no run can begin: an agent is made of a single transition.

    What only all of the data can show, such as too few places for anchors, is seen later.

    Raises:
        ValueError: If there is no such world, or data or settings do not fit it.
    """
    with make_wrapped_env(config.env, config.env_kwargs, config.wrappers) as env:
        check_encodable(env)
        few = collect(env, 1) if config.data is None else _data(config, env).take(1)
        encoding_of(config, few)
        _create(dataclasses.replace(config, anchors=0), few, env.action_space)


def claim(folder: Path, config: FBConfig) -> None:
    """Write the settings into a directory, or see that they are those of the run in it.

    A run may go on on another device; what it computes is then the same but for its bits.

    Raises:
        ValueError: If they are not.
        NotAModel: If what is in it are no settings.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / CONFIG_FILE
    if not path.exists():
        write_text(path, config.to_json())
        return
    here = {name: getattr(config, name) for name in PLACES}
    if dataclasses.replace(_settings(path), **here) != config:
        raise ValueError(f"{folder} holds a run with other settings; choose another directory")


def _settings(path: Path) -> FBConfig:
    """What was written, with today's values where it is older than a setting."""
    try:
        return FBConfig(**read_json(path))
    except (TypeError, ValueError) as error:
        raise NotAModel(f"{path} holds no settings of a run: {error}") from None


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


def _agent(config: FBConfig, folder: Path) -> tuple[FBAgent, Dataset]:
    with make_wrapped_env(config.env, config.env_kwargs, config.wrappers) as env:
        check_encodable(env)
        if not (folder / DATA_FILE).exists():
            _data(config, env).save(folder / DATA_FILE)
    dataset = Dataset.load(folder / DATA_FILE)
    return _create(config, dataset, env.action_space), dataset


def _create(config: FBConfig, dataset: Dataset, space: gym.Space[Any]) -> FBAgent:
    if isinstance(space, gym.spaces.Discrete):
        return DiscreteFB.create(config, dataset, int(space.n))
    maker = FlowFB if config.flow_bc > 0 else ContinuousFB
    return maker.create(config, dataset, math.prod(space.shape or ()))


def _data(config: FBConfig, env: gym.Env[Any, Any]) -> Dataset:
    if config.data is None:
        return collect(env, config.data_steps, seed=config.seed, hold=config.hold)
    if config.wrappers:
        raise ValueError("FBConfig.wrappers: stored data are of the world without wrappers")
    return load_dataset(config.data, env).transitions()


def _check_finite(metrics: Mapping[str, float], updates: int) -> None:
    for name, value in metrics.items():
        if not math.isfinite(value):
            raise FloatingPointError(
                f"{name} is {value} after {updates} updates: training has diverged; "
                "lower the learning rates"
            )
