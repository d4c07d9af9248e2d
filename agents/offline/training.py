"""Train an offline agent on one task of a world, from collected data or given ones.

The directory holds `config.json`, `data.npz` (the transitions), `checkpoint.safetensors` (saved
every 500 updates: an interrupted run continues from there, to the bit), `log.jsonl` and, in the
end, `model/`, which `OfflineAgent.load` or `DecisionTransformer.load` reads.
"""

import json
import math
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym

from zerogym.agents.atomic_files import (
    NotAModel,
    read_json,
    read_tensors,
    write_tensors,
    write_text,
)
from zerogym.agents.datasets.dataset import Dataset, check_spaces, collect
from zerogym.agents.datasets.environments import make_env, task_names
from zerogym.agents.datasets.stored import load_dataset
from zerogym.agents.json_lines import read_rows
from zerogym.agents.offline.evaluation import playing
from zerogym.agents.offline.run_config import Agent, OfflineRunConfig
from zerogym.agents.offline.transitions import relabelled
from zerogym.agents.run_lock import locked
from zerogym.agents.zero_shot.evaluation.returns import evaluate_returns
from zerogym.envs.recorded import without_keys
from zerogym.errors import UnknownName

CONFIG_FILE, DATA_FILE, CHECKPOINT_FILE = "config.json", "data.npz", "checkpoint.safetensors"
LOG_FILE, MODEL_FOLDER = "log.jsonl", "model"
_EVERY = 500  # updates between checkpoints, and rows of the log


def train_offline(
    config: OfflineRunConfig,
    out_dir: Path | str,
    on_progress: Callable[[int, Mapping[str, float]], object] | None = None,
) -> dict[str, float]:
    """Collect or read data, learn one task from them, save, and play it.

    If `out_dir` holds the start of this run, it goes on from its last checkpoint.

    Args:
        config: Settings.
        out_dir: The run directory; made if it does not exist.
        on_progress: Called with the updates so far and the losses of the last one, at the start
            and after every checkpoint.

    Returns:
        The losses of the last update, and if episodes are played `evaluation/return`, and
        `evaluation/cost` where the world reports costs: means over episodes. Decision transformers
        have the target and budget that `DecisionTransformer.conditions` takes from the data.

    Raises:
        ValueError: If `out_dir` holds another run, or world, data and method do not fit.
        UnknownName: If the world has no such task.
        FloatingPointError: If a loss is not finite.
        FolderInUse: If another process writes into `out_dir`.
        NotAModel: If a file of the run is damaged.
    """
    folder, report = Path(out_dir), on_progress or (lambda updates, metrics: None)
    env = make_env(config.env, config.env_kwargs)
    check_spaces(env)
    names = task_names(env)
    if config.task not in names:
        raise UnknownName(f"task of {config.env}", config.task, names)
    world: Any = env.unwrapped
    task = world.tasks[config.task]
    with locked(folder):
        _check_folder(folder, config)
        dataset = _dataset(folder, config, env)
        data = relabelled(dataset, task)
        agent = config.agent(data, getattr(env.action_space, "n", None))
        if not (folder / CONFIG_FILE).exists():
            write_text(folder / CONFIG_FILE, json.dumps(config.record(), indent=2))
            dataset.save(folder / DATA_FILE)
        rows = _resumed(folder, agent)
        metrics = {name: value for name, value in (rows or [{}])[-1].items() if name != "update"}
        report(agent.updates, metrics)
        while agent.updates < config.updates:
            metrics = agent.learn(data, min(_EVERY, config.updates - agent.updates))
            if not all(map(math.isfinite, metrics.values())):
                raise FloatingPointError(
                    f"training has diverged before update {agent.updates}: {metrics}"
                )
            rows.append({"update": agent.updates, **metrics})
            _write_log(folder, rows)
            write_tensors(folder / CHECKPOINT_FILE, agent.tensors())
            report(agent.updates, metrics)
        if not (folder / CHECKPOINT_FILE).exists():
            write_tensors(folder / CHECKPOINT_FILE, agent.tensors())
        agent.save(folder / MODEL_FOLDER)
        if config.episodes:
            metrics = {**metrics, **_evaluate(config, agent, task)}
            _write_log(folder, [*rows, {"update": agent.updates, **metrics}])
    env.close()
    return metrics


def _evaluate(config: OfflineRunConfig, agent: Agent, task: Any) -> dict[str, float]:
    own = make_env(config.env, {**config.env_kwargs, "task": config.task})
    played = playing(agent, own, task)
    mean = evaluate_returns(played.policy, played.env, config.episodes, config.seed)
    own.close()
    found = {"evaluation/return": mean}
    if played.env.reported:
        found["evaluation/cost"] = sum(played.env.costs) / config.episodes
    return found


def _dataset(folder: Path, config: OfflineRunConfig, env: gym.Env[Any, Any]) -> Dataset:
    if (folder / CONFIG_FILE).exists() and (folder / DATA_FILE).exists():
        return Dataset.load(folder / DATA_FILE)
    if config.data is not None:
        return load_dataset(config.data, env).transitions()
    return collect(env, config.data_steps, seed=config.seed, hold=config.hold)


def _check_folder(folder: Path, config: OfflineRunConfig) -> None:
    """Refuse a folder with a run that is not this one, or that cannot go on."""
    if not (folder / CONFIG_FILE).exists():
        return
    record = json.loads(json.dumps(config.record()))
    if without_keys(read_json(folder / CONFIG_FILE)) != without_keys(record):
        raise ValueError(f"{folder} holds a run with other settings; choose another directory")
    if (folder / MODEL_FOLDER).exists() and not (folder / CHECKPOINT_FILE).exists():
        raise ValueError(
            f"{folder} holds a run of an earlier version, which cannot go on; choose another "
            "directory"
        )


def _resumed(folder: Path, agent: Agent) -> list[dict[str, float]]:
    """Bring the agent to the last checkpoint, and return the rows of the log up to there."""
    path = folder / CHECKPOINT_FILE
    if not path.exists():
        return []
    found = read_tensors(path)
    try:
        agent.load_tensors(found)
        rows = read_rows(folder / LOG_FILE) if (folder / LOG_FILE).exists() else []
        return [
            row for row in rows
            if row["update"] <= agent.updates and "evaluation/return" not in row
        ]  # fmt: skip
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise NotAModel(f"{folder} holds a damaged run: {error}") from None


def _write_log(folder: Path, rows: Collection[Mapping[str, float]]) -> None:
    write_text(folder / LOG_FILE, "".join(json.dumps(row) + "\n" for row in rows))
