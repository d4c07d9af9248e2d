"""Train any agent of the table `agents.py`, by the interface of `protocol.py` alone.

The directory holds `config.json`, `data.npz` (the transitions), `log.jsonl` and `model/`, which is
saved after every `checkpoint_every` updates: an interrupted run continues from there, to the bit.
"""

import dataclasses
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from zerogym.agents.atomic_files import read_json, write_text
from zerogym.agents.datasets.dataset import Dataset, check_spaces, collect
from zerogym.agents.datasets.environments import make_env
from zerogym.agents.datasets.stored import load_dataset
from zerogym.agents.field_comments import describe_fields
from zerogym.agents.parts import recorded_part
from zerogym.agents.run_lock import locked
from zerogym.agents.settings import check_types
from zerogym.agents.zero_shot.agents import AGENTS, Agent, Start
from zerogym.agents.zero_shot.evaluation.returns import mean_score
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.protocol import ZeroShotAgent, ZeroShotModel
from zerogym.agents.zero_shot.settings.checks import check_least
from zerogym.agents.zero_shot.training.run import (
    CONFIG_FILE,
    DATA_FILE,
    LOG_FILE,
    MODEL_FOLDER,
    actions_of,
)
from zerogym.agents.zero_shot.training.train import Progress, Trained
from zerogym.envs.recorded import without_keys


@describe_fields
@dataclass(frozen=True)
class ZeroShotConfig:
    """Everything that decides a training run of an agent of the table.

    Raises:
        TypeError: If a value is not of its field's type; the message names it.
        ValueError: If a number is outside its range.
    """

    env: str = "zerogym/UMap-v0"  # a registered environment; made without a task (reward-free)
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)  # its arguments, JSON values
    agent: str | Agent | Mapping[str, Any] = field(
        default="fb", metadata={"parts": AGENTS}
    )  # what learns; see `zerogym parts agent`
    seed: int = 0  # of the data, the initial weights and the batches
    data: str | None = None  # a folder of `zerogym collect` to learn from, instead of collecting
    data_steps: int = 20_000  # transitions collected by a random policy before training
    hold: int = 1  # steps for which a random action is repeated while collecting
    updates: int = 3_000  # steps of learning
    checkpoint_every: int = 1_000  # updates between saved models and rows of the log
    evaluate: bool = False  # score the world's own tasks at the end, for the log

    def __post_init__(self) -> None:
        check_types(self)
        try:
            values = json.loads(json.dumps(dict(self.env_kwargs)))
        except TypeError as error:
            raise TypeError(f"ZeroShotConfig.env_kwargs must be JSON values: {error}") from None
        object.__setattr__(self, "env_kwargs", MappingProxyType(values))
        check_least(self, data_steps=1, hold=1, checkpoint_every=1, seed=0, updates=0)
        object.__setattr__(self, "agent", AGENTS.make(self.agent))

    def record(self) -> dict[str, Any]:
        """Return the settings as JSON values."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        part = AGENTS.make(self.agent)
        return values | {"env_kwargs": dict(self.env_kwargs), "agent": part.record()}


def train_agent(
    config: ZeroShotConfig,
    out_dir: Path | str,
    on_progress: Callable[[Progress], object] | None = None,
) -> Trained:
    """Collect random transitions, learn, and save; continue if `out_dir` holds this run's start.

    Args:
        config: Settings.
        out_dir: The run directory; made if it does not exist.
        on_progress: Called at the start and after every `checkpoint_every` updates.

    Raises:
        ValueError: If `out_dir` holds a run with other settings, or world, data and agent do not
            fit.
        FolderInUse: If another process writes into `out_dir`.
        NotAModel: If a file of the run is damaged.
    """
    folder = Path(out_dir)
    report = on_progress or (lambda progress: None)
    part, env = AGENTS.make(config.agent), make_env(config.env, config.env_kwargs)
    check_spaces(env)
    actions, discrete = actions_of(env.action_space)
    with locked(folder):
        _lock_settings(folder, config)
        if not (folder / DATA_FILE).exists():
            data = (
                collect(env, config.data_steps, seed=config.seed, hold=config.hold)
                if config.data is None
                else load_dataset(config.data, env).transitions()
            )
            data.save(folder / DATA_FILE)
        dataset = Dataset.load(folder / DATA_FILE)
        model: ZeroShotAgent
        if (folder / MODEL_FOLDER).exists():
            model = part.model_class().load(folder / MODEL_FOLDER)
        else:
            start = Start(config.env, dataset, actions, discrete, config.updates, config.seed)
            model = part(start)
        metrics: dict[str, float] = {}
        report(Progress(model.updates, config.updates, metrics))
        while model.updates < config.updates:
            step = min(config.checkpoint_every, config.updates - model.updates)
            metrics = {name: float(value) for name, value in model.learn(dataset, step).items()}
            if not all(map(math.isfinite, metrics.values())):
                raise FloatingPointError(
                    f"training has diverged before update {model.updates}: {metrics}"
                )
            if config.evaluate and model.updates == config.updates:
                metrics["evaluation/score"] = score_of(model, config)
            model.save(folder / MODEL_FOLDER)
            _log(folder / LOG_FILE, {"update": model.updates, **metrics})
            report(Progress(model.updates, config.updates, metrics))
        if not (folder / MODEL_FOLDER).exists():
            model.save(folder / MODEL_FOLDER)
    env.close()
    return Trained(folder / MODEL_FOLDER, metrics)


def load_model(path: Path | str, agent: Any = "fb") -> ZeroShotModel:
    """Return the model of a run directory's `model/`.

    Args:
        path: The model directory.
        agent: What `config.json` of the run names; "fb" where it names none.

    Raises:
        NotAModel: If it is none.
        ImportRefused: If the agent is `module:Name` of a module that is not imported.
    """
    part = AGENTS.make(recorded_part(agent, Path(path).parent / CONFIG_FILE))
    kind = FBModel if part.title() == "fb" else part.model_class()
    model: ZeroShotModel = kind.load(path)
    return model


def score_of(model: ZeroShotModel, config: ZeroShotConfig) -> float:
    """Return the mean score on the tasks of the world, from 0 (random) to 1 (oracle)."""
    gamma = getattr(config.agent, "gamma", 0.95)

    def make(task: Any) -> Any:
        return make_env(config.env, {**config.env_kwargs, "task": task})

    return mean_score(model, make, gamma, config.seed)


def _lock_settings(folder: Path, config: ZeroShotConfig) -> None:
    """Write the settings into a directory, or check that they equal those of its run."""
    path, record = folder / CONFIG_FILE, json.loads(json.dumps(config.record()))
    if not path.exists():
        write_text(path, json.dumps(record, indent=2))
    elif without_keys(read_json(path)) != without_keys(record):
        raise ValueError(f"{folder} holds a run with other settings; choose another directory")


def _log(path: Path, row: Mapping[str, float]) -> None:
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    write_text(path, f"{before}{json.dumps(row)}\n")
