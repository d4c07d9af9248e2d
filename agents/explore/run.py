"""The state of a collection run, and its files: `dataset.json` and the learners' checkpoints.

The manifest is written last, so that a shard counts only when its checkpoint is on disk.
"""

import importlib.metadata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium as gym

import zerogym
from zerogym.agents.atomic_files import read_tensors, write_tensors
from zerogym.agents.datasets.environments import task_names
from zerogym.agents.datasets.shards import NotADataset
from zerogym.agents.datasets.stored import (
    FORMAT,
    MANIFEST,
    load_dataset,
    read_manifest,
    write_manifest,
)
from zerogym.agents.explore.config import CollectConfig
from zerogym.agents.explore.learners.base import Explorer, below
from zerogym.agents.explore.players import ExploringPlayer, Player
from zerogym.agents.explore.replay_buffer import ReplayBuffer
from zerogym.agents.parts import recorded_part
from zerogym.envs.recorded import without_keys

_PACKAGES = ("gymnasium", "numpy", "torch", "mujoco")


@dataclass(frozen=True)
class Progress:
    """Progress of a collection."""

    steps: int  # done
    total: int  # requested
    metrics: Mapping[str, float]  # of the last gradient step; empty before the first


@dataclass
class Run:
    """A running collection."""

    config: CollectConfig
    folder: Path
    worlds: list[gym.Env[Any, Any]]  # one, or each variant
    players: list[Player]
    buffer: ReplayBuffer
    report: Callable[[Progress], object]
    shards: list[dict[str, Any]] = field(default_factory=list)
    episodes: int = 0
    metrics: dict[str, float] = field(default_factory=dict)

    @property
    def explorers(self) -> dict[int, Explorer]:
        """The explorers by the number of their player."""
        players = enumerate(self.players)
        return {n: player.explorer for n, player in players if isinstance(player, ExploringPlayer)}


def lock_folder(run: Run) -> None:
    """Claim a new folder, or load the state of this run from it."""
    path = run.folder / MANIFEST
    if not path.exists():
        run.folder.mkdir(parents=True, exist_ok=True)
        save_manifest(run)
        return
    manifest = read_manifest(run.folder)
    if manifest.get("origin"):
        raise ValueError(f"{run.folder} holds data made from other data; choose another folder")
    recorded_part(manifest["config"].get("policy"), path)
    recorded = CollectConfig(**manifest["config"]).to_dict()
    if without_keys(recorded) != without_keys(run.config.to_dict()):
        raise ValueError(f"{run.folder} holds data of other settings; choose another folder")
    if not manifest["shards"]:
        return
    for shard in load_dataset(run.folder).shards:
        run.buffer.extend(shard)
    run.shards = manifest["shards"]
    run.episodes = int(run.buffer.columns["starts"].sum())
    if not manifest["complete"]:
        load_checkpoint(run)


def save_manifest(run: Run) -> None:
    versions = {"zerogym": zerogym.__version__}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    config = run.config.to_dict()
    values = {
        "format": FORMAT,
        "env": run.config.env,
        "env_kwargs": config["env_kwargs"],
        "seed": run.config.seed,
        "complete": len(run.buffer) == run.config.steps,
        "shards": run.shards,
        "variants": config["variants"],
        "task_names": task_names(run.worlds[0]),
        "versions": versions,
        "config": config,
    }
    write_manifest(run.folder, values)


def checkpoint(run: Run) -> Path:
    return run.folder / f"checkpoint-{len(run.shards):05d}.safetensors"


def save_checkpoint(run: Run) -> None:
    tensors = {
        f"{place}/{name}": value
        for place, explorer in run.explorers.items()
        for name, value in explorer.tensors().items()
    }
    if tensors:
        write_tensors(checkpoint(run), tensors)


def load_checkpoint(run: Run) -> None:
    found = read_tensors(checkpoint(run)) if run.explorers else {}
    for place, explorer in run.explorers.items():
        try:
            explorer.load_tensors(below(f"{place}/", found))
        except (KeyError, RuntimeError) as error:
            raise NotADataset(f"{checkpoint(run)} does not fit its run: {error}") from None
