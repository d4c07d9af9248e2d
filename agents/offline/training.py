"""Train an offline agent on one task of a world, from collected data or given ones.

The directory holds `config.json`, `log.jsonl` and `model/`, which `OfflineAgent.load` reads.
"""

import dataclasses
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from zerogym.agents.atomic_files import write_text
from zerogym.agents.datasets.dataset import check_spaces, collect
from zerogym.agents.datasets.environments import make_env, task_names
from zerogym.agents.datasets.stored import load_dataset
from zerogym.agents.field_comments import describe_fields
from zerogym.agents.offline.agent import OfflineAgent
from zerogym.agents.offline.config import OfflineConfig
from zerogym.agents.offline.draws import DRAWS, Draw
from zerogym.agents.offline.method import METHODS, Method
from zerogym.agents.offline.transitions import relabelled
from zerogym.agents.run_lock import locked
from zerogym.agents.settings import check_at_least, check_types
from zerogym.agents.zero_shot.evaluation.returns import evaluate_returns
from zerogym.errors import UnknownName

CONFIG_FILE, LOG_FILE, MODEL_FOLDER = "config.json", "log.jsonl", "model"
_EVERY = 500  # updates between rows of the log


@describe_fields
@dataclass(frozen=True)
class OfflineRunConfig:
    """Everything that decides a training run of an offline agent.

    Raises:
        TypeError: If a value is not of its field's type; the message names it.
        ValueError: If a number is outside its range.
        UnknownName: If there is no such method or draw.
    """

    env: str = "zerogym/UMap-v0"  # a registered environment with tasks
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)  # its arguments, JSON values
    task: str = "goal_1_1"  # whose rewards the transitions get; one of the world's
    method: str | Method | Mapping[str, Any] = field(
        default="iql", metadata={"parts": METHODS}
    )  # what learns
    draw: str | Draw | Mapping[str, Any] = field(
        default="uniform", metadata={"parts": DRAWS}
    )  # how likely each transition is in a batch
    data: str | None = None  # a folder of `zerogym collect` to learn from, instead of collecting
    data_steps: int = 20_000  # transitions collected by a random policy before training
    hold: int = 1  # steps for which a random action is repeated while collecting
    updates: int = 3_000  # gradient steps
    batch_size: int = 256  # transitions an update
    hidden: int = 256  # width of the hidden layers
    layers: int = 2  # hidden layers; 0: linear
    lr: float = 3e-4  # Adam's rate, of all networks
    gamma: float = 0.95  # discount a step, in [0, 1]
    tau: float = 0.005  # part of the way that target networks move
    episodes: int = 20  # of the task that are played at the end, for the log; 0: none
    seed: int = 0  # of data, weights, batches and episodes

    def __post_init__(self) -> None:
        check_types(self)
        try:
            values = json.loads(json.dumps(dict(self.env_kwargs)))
        except TypeError as error:
            raise TypeError(f"OfflineRunConfig.env_kwargs must be JSON values: {error}") from None
        object.__setattr__(self, "env_kwargs", MappingProxyType(values))
        check_at_least(self, data_steps=1, hold=1, episodes=0)
        self.learner()

    def learner(self) -> OfflineConfig:
        """Return the settings of the agent itself."""
        names = [one.name for one in dataclasses.fields(OfflineConfig)]
        return OfflineConfig(**{name: getattr(self, name) for name in names})

    def record(self) -> dict[str, Any]:
        """Return the settings as JSON values."""
        values = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        return {**values, "env_kwargs": dict(self.env_kwargs), **self.learner().record()}


def train_offline(
    config: OfflineRunConfig,
    out_dir: Path | str,
    on_progress: Callable[[int, Mapping[str, float]], object] | None = None,
) -> dict[str, float]:
    """Collect or read data, learn one task from them, save, and play it.

    Args:
        config: Settings.
        out_dir: The run directory, made here; it must not hold a run.
        on_progress: Called with the updates so far and the losses of the last one.

    Returns:
        The losses of the last update, and `evaluation/return` if episodes are played.

    Raises:
        ValueError: If `out_dir` holds a run, or world, data and method do not fit.
        UnknownName: If the world has no such task.
        FloatingPointError: If a loss is not finite.
    """
    folder, report = Path(out_dir), on_progress or (lambda updates, metrics: None)
    env = make_env(config.env, config.env_kwargs)
    check_spaces(env)
    names = task_names(env)
    if config.task not in names:
        raise UnknownName(f"task of {config.env}", config.task, names)
    world: Any = env.unwrapped
    with locked(folder):
        if (folder / CONFIG_FILE).exists():
            raise ValueError(f"{folder} holds a run; choose another directory")
        dataset = (
            collect(env, config.data_steps, seed=config.seed, hold=config.hold)
            if config.data is None
            else load_dataset(config.data, env).transitions()
        )
        data = relabelled(dataset, world.tasks[config.task])
        agent = OfflineAgent(config.learner(), data, getattr(env.action_space, "n", None))
        write_text(folder / CONFIG_FILE, json.dumps(config.record(), indent=2))
        metrics: dict[str, float] = {}
        rows: list[str] = []
        while agent.updates < config.updates:
            metrics = agent.learn(data, min(_EVERY, config.updates - agent.updates))
            if not all(map(math.isfinite, metrics.values())):
                raise FloatingPointError(
                    f"training has diverged before update {agent.updates}: {metrics}"
                )
            rows.append(json.dumps({"update": agent.updates, **metrics}))
            write_text(folder / LOG_FILE, "\n".join(rows) + "\n")
            report(agent.updates, metrics)
        agent.save(folder / MODEL_FOLDER)
        if config.episodes:
            own = make_env(config.env, {**config.env_kwargs, "task": config.task})
            found = evaluate_returns(agent, own, config.episodes, config.seed)
            metrics = {**metrics, "evaluation/return": found}
            rows.append(json.dumps({"update": agent.updates, **metrics}))
            write_text(folder / LOG_FILE, "\n".join(rows) + "\n")
            own.close()
    env.close()
    return metrics
