"""Datasets to and from Minari, the Farama Foundation's format for offline reinforcement learning.

A folder that is exported and imported again has the same bytes. Our columns beside observations,
actions and ends are `infos` of an episode, which have a row more than there are steps: the last is
not a number, or 0. Rewards are zeros, since a task relabels them. Datasets that are not ours are
imported where observations are one row of numbers and actions are one choice or one row of numbers;
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
from zerogym.agents.datasets.shards import Columns, NotADataset, write_shard
from zerogym.agents.datasets.stored import FORMAT, MANIFEST, StoredDataset
from zerogym.errors import require

KEY = "zerogym"  # of our manifest in Minari's metadata
SHARD_STEPS = 5_000  # a shard of foreign data ends with the episode that brings it to this size
_OWN = ("observations", "next_observations", "actions", "terminated", "truncated", "starts")
_KEPT = ("qpos", "qvel")  # of foreign infos


def export_minari(dataset: StoredDataset, name: str) -> str:
    """Write a dataset where Minari keeps its own (`MINARI_DATASETS_PATH`).

    Args:
        dataset: Which.
        name: Its id there, such as `zerogym/walker-rnd-v0`.

    Returns:
        The id.

    Raises:
        ValueError: If the id is taken or malformed, or the data are of several worlds.
    """
    minari = require("minari", "minari", "export to Minari")
    worlds = np.unique(dataset.column("variants")).tolist() if dataset.variants else [0]
    if len(worlds) > 1:
        raise ValueError(f"{dataset.path} is of several worlds, Minari's are of one: export parts")
    env = dataset.make(worlds[0])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # it wants an author's address
            made = minari.create_dataset_from_buffers(
                name,
                _buffers(dataset),
                env=env.spec,
                observation_space=env.observation_space,
                action_space=env.action_space,
                algorithm_name=str(dataset.manifest["config"].get("policy", "imported")),
                description=f"Reward-free transitions of {dataset.manifest['env']}.",
            )
    finally:
        env.close()
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
    """With the row that belongs to the last observation."""
    last = np.full_like(column[:1], np.nan if column.dtype.kind == "f" else 0)
    return np.concatenate([column, last])


def import_minari(
    name: str,
    out_dir: Path | str,
    env: str | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
) -> Path:
    """Make a folder of a Minari dataset that is on this machine.

    Args:
        name: Its id.
        out_dir: The folder; must not exist, or be empty.
        env: The environment that the data are of, if they do not say, or to be checked.
        env_kwargs: Its arguments.

    Returns:
        The folder, for `load_dataset`.

    Raises:
        NotADataset: If there is no such dataset, or it is damaged.
        WrongDataset: If its spaces cannot be stored, or are not those of `env`.
        ValueError: If the folder is not empty.
    """
    minari = require("minari", "minari", "import from Minari")
    folder = Path(out_dir)
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"{folder} is not empty; choose another folder")
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
            _check_world(name, columns, env, env_kwargs or {})
        file = f"shard-{len(shards):05d}.safetensors"
        write_shard(folder / file, columns)
        shards.append({"file": file, "rows": len(columns["starts"])})
    manifest["shards"] = shards
    text = json.dumps(manifest, indent=1) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")
    return folder


def _manifest(
    data: Any, name: str, env: str | None, env_kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Ours, if the data were; else what is known of them."""
    metadata, spec = data.storage.metadata, data.spec.env_spec
    if KEY in metadata:
        found: dict[str, Any] = json.loads(metadata[KEY])
        if env is not None and found["env"] != env:
            raise WrongDataset(f"{name} holds data of {found['env']}, not of {env}")
        return found
    _check_spaces(name, data.observation_space, data.action_space)
    if env is None and spec is None:
        raise WrongDataset(f"{name} does not say which environment it is of: give its id as `env`")
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


def _check_spaces(name: str, observations: gym.Space[Any], actions: gym.Space[Any]) -> None:
    box, choice = gym.spaces.Box, gym.spaces.Discrete
    if not (isinstance(observations, box) and len(observations.shape) == 1):
        raise WrongDataset(f"{name}: observations must be a Box of one axis, are {observations}")
    if not (isinstance(actions, choice) or (isinstance(actions, box) and len(actions.shape) == 1)):
        raise WrongDataset(f"{name}: actions must be Discrete or a Box of one axis, are {actions}")


def _check_world(name: str, columns: Columns, env: str, kwargs: Mapping[str, Any]) -> None:
    world = gym.make(env, **kwargs)
    try:
        check_shapes(Path(name), columns, world)
    finally:
        world.close()


def _shards(data: Any, name: str, sizes: list[int]) -> Iterator[Columns]:
    """Columns of whole episodes: of these sizes, or of at least `SHARD_STEPS` rows."""
    is_paid = not sizes and any(np.any(episode.rewards) for episode in data.iterate_episodes())
    parts: list[Columns] = []
    rows, number = 0, 0
    for episode in data.iterate_episodes():
        parts.append(_columns(episode, name, bool(sizes), is_paid))
        rows += len(parts[-1]["starts"])
        if rows >= (sizes[number] if sizes else SHARD_STEPS):
            yield _joined(parts)
            parts, rows, number = [], 0, number + 1
    if parts:
        yield _joined(parts)


def _joined(parts: list[Columns]) -> Columns:
    return {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}


def _columns(episode: Any, name: str, is_ours: bool, is_paid: bool) -> Columns:
    steps, seen = len(episode.rewards), np.asarray(episode.observations)
    done = np.asarray(episode.actions)
    if len(seen) != steps + 1 or len(done) != steps or not np.isfinite(seen).all():
        raise NotADataset(
            f"{name}: episode {episode.id} has {steps} steps, {len(seen)} observations and "
            f"{len(done)} actions, or a number that is not finite"
        )
    infos = episode.infos or {}
    kept = infos if is_ours else {key: infos[key] for key in _KEPT if key in infos}
    found = {
        "observations": seen[:-1].astype(np.float32),
        "actions": done.astype(np.int64 if done.dtype.kind in "iu" else np.float32),
        "next_observations": seen[1:].astype(np.float32),
        "terminated": np.asarray(episode.terminations, bool),
        "truncated": np.asarray(episode.truncations, bool),
        "starts": np.arange(steps) == 0,
    }
    if is_paid:
        found["rewards"] = np.asarray(episode.rewards, np.float32)
    return found | {key: np.asarray(value)[:steps] for key, value in kept.items()}
