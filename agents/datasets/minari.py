"""Datasets to and from Minari, the Farama Foundation's format for offline reinforcement learning.

A folder that is exported and imported again has the same bytes. Our columns beside observations,
actions and ends are `infos` of an episode, which have a row more than there are steps: the last is
not a number, or 0. Rewards are zeros, since a task relabels them. Other datasets are imported
if observations are one row of numbers and actions are one choice or one row of numbers;
of their infos `qpos` and `qvel` are kept, and their rewards, if any is not 0. Left out: spaces of
several parts, pixels, downloads (`minari download` first).
"""

import json
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

import zerogym
from zerogym.agents.datasets.checks import WrongDataset, check_shapes
from zerogym.agents.datasets.shards import Columns, NotADataset
from zerogym.agents.datasets.stored import (
    FORMAT,
    StoredDataset,
    append_shard,
    empty_folder,
    write_manifest,
)
from zerogym.errors import require

KEY = "zerogym"  # key of our manifest in Minari's metadata
SHARD_STEPS = 5_000  # a shard of foreign data ends with the episode that brings it to this size
_OWN = ("observations", "next_observations", "actions", "terminated", "truncated", "starts")
_KEPT = ("qpos", "qvel")  # of foreign infos


def export_minari(dataset: StoredDataset, name: str) -> str:
    """Write a dataset to the folder of Minari (`MINARI_DATASETS_PATH`).

    Args:
        dataset: The dataset.
        name: Its id there, such as `zerogym/walker-rnd-v0`.

    Returns:
        The id.

    Raises:
        ValueError: If the id is taken or malformed, or the data are of several variants.
    """
    minari = require("minari", "minari", "export to Minari")
    variants = np.unique(dataset.column("variants")).tolist() if dataset.variants else [0]
    if len(variants) > 1:
        raise ValueError(f"{dataset.path} has several variants, Minari has one: export subsets")
    with dataset.make(variants[0]) as env, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about an author's address
        made = minari.create_dataset_from_buffers(
            name,
            _buffers(dataset),
            env=env.spec,
            observation_space=env.observation_space,
            action_space=env.action_space,
            algorithm_name=str(dataset.manifest["config"].get("policy", "imported")),
            description=f"Reward-free transitions of {dataset.manifest['env']}.",
        )
    made.storage.update_metadata({KEY: json.dumps(dict(dataset.manifest))})
    return name


def _buffers(dataset: StoredDataset) -> Iterator[Any]:
    buffer = require("minari.data_collector", "minari", "export to Minari").EpisodeBuffer
    others = [name for name in dataset.columns if name not in (*_OWN, "rewards")]
    for number, rows in enumerate(dataset.episodes()):
        part = dataset.rows(np.arange(rows.start, rows.stop))
        yield buffer(
            id=number,
            observations=np.concatenate([part["observations"], part["next_observations"][-1:]]),
            actions=part["actions"],
            rewards=part.get("rewards", np.zeros(len(part["starts"]), np.float32)),
            terminations=part["terminated"],
            truncations=part["truncated"],
            infos={name: _padded(part[name]) for name in others},
        )


def _padded(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column with a row more, for the last observation."""
    last = np.full_like(column[:1], np.nan if column.dtype.kind == "f" else 0)
    return np.concatenate([column, last])


def import_minari(
    name: str,
    out_dir: Path | str,
    env: str | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
) -> Path:
    """Write a folder from a local Minari dataset.

    Args:
        name: Its id.
        out_dir: The folder; must not exist, or be empty.
        env: The environment of the data, if they name none, or to be checked.
        env_kwargs: Its arguments.

    Returns:
        The folder, for `load_dataset`.

    Raises:
        NotADataset: If there is no such dataset, or it is damaged.
        WrongDataset: If its spaces cannot be stored, or are not those of `env`.
        ValueError: If the folder is not empty.
    """
    minari = require("minari", "minari", "import from Minari")
    folder = empty_folder(out_dir)
    try:
        data = minari.load_dataset(name)
    except (OSError, ValueError) as error:
        raise NotADataset(f"there is no Minari dataset {name!r} here: {error}") from None
    manifest = _manifest(data, name, env, env_kwargs or {})
    sizes = [shard["rows"] for shard in manifest["shards"]]
    is_ours = sum(sizes) == data.total_steps
    folder.mkdir(parents=True, exist_ok=True)
    shards: list[dict[str, Any]] = []
    for columns in _shards(data, name, sizes if is_ours else []):
        if env is not None and not shards:
            with gym.make(env, **(env_kwargs or {})) as made:
                check_shapes(Path(name), columns, made)
        append_shard(folder, shards, columns)
    write_manifest(folder, manifest | {"shards": shards})
    return folder


def _manifest(
    data: Any, name: str, env: str | None, env_kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Return our manifest if the data have it, else one from their metadata."""
    metadata, spec = data.storage.metadata, data.spec.env_spec
    if KEY in metadata:
        found: dict[str, Any] = json.loads(metadata[KEY])
        if env is not None and found["env"] != env:
            raise WrongDataset(f"{name} holds data of {found['env']}, not of {env}")
        return found
    box, choice = gym.spaces.Box, gym.spaces.Discrete
    observations, actions = data.observation_space, data.action_space
    if not (isinstance(observations, box) and len(observations.shape) == 1):
        raise WrongDataset(f"{name}: observations must be a Box of one axis, are {observations}")
    if not (isinstance(actions, choice) or (isinstance(actions, box) and len(actions.shape) == 1)):
        raise WrongDataset(f"{name}: actions must be Discrete or a Box of one axis, are {actions}")
    if env is None and spec is None:
        raise WrongDataset(f"{name} names no environment: give its id as `env`")
    if env is not None and spec is not None and spec.id != env:
        raise WrongDataset(f"{name} holds data of {spec.id}, not of {env}")
    kwargs = dict(env_kwargs) if spec is None else spec.kwargs
    return {
        "format": FORMAT,
        "env": env or spec.id,
        "env_kwargs": json.loads(json.dumps(kwargs, default=str)),
        "complete": True,
        "shards": [],
        "versions": {"zerogym": zerogym.__version__},
        "config": {"reset_options": {}, "mix": []},
        "origin": [{"minari": name}],
    }


def _shards(data: Any, name: str, sizes: list[int]) -> Iterator[Columns]:
    """Yield columns of whole episodes: of these sizes, or of at least `SHARD_STEPS` rows."""
    has_rewards = not sizes and any(np.any(episode.rewards) for episode in data.iterate_episodes())
    parts: list[Columns] = []
    rows, number = 0, 0
    for episode in data.iterate_episodes():
        parts.append(_columns(episode, name, bool(sizes), has_rewards))
        rows += len(parts[-1]["starts"])
        if rows >= (sizes[number] if sizes else SHARD_STEPS):
            yield _joined(parts)
            parts, rows, number = [], 0, number + 1
    if parts:
        yield _joined(parts)


def _joined(parts: list[Columns]) -> Columns:
    return {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}


def _columns(episode: Any, name: str, is_ours: bool, has_rewards: bool) -> Columns:
    steps, obs = len(episode.rewards), np.asarray(episode.observations)
    actions = np.asarray(episode.actions)
    if len(obs) != steps + 1 or len(actions) != steps or not np.isfinite(obs).all():
        raise NotADataset(
            f"{name}: episode {episode.id} has {steps} steps, {len(obs)} observations and "
            f"{len(actions)} actions, or a number that is not finite"
        )
    infos = episode.infos or {}
    kept = infos if is_ours else {key: infos[key] for key in _KEPT if key in infos}
    found = {
        "observations": obs[:-1].astype(np.float32),
        "actions": actions.astype(np.int64 if actions.dtype.kind in "iu" else np.float32),
        "next_observations": obs[1:].astype(np.float32),
        "terminated": np.asarray(episode.terminations, bool),
        "truncated": np.asarray(episode.truncations, bool),
        "starts": np.arange(steps) == 0,
    }
    if has_rewards:
        found["rewards"] = np.asarray(episode.rewards, np.float32)
    return found | {key: np.asarray(value)[:steps] for key, value in kept.items()}
