"""Subsets of a dataset: smaller, less diverse, of shorter trajectories, or of fewer layouts.

The settings are those along which "Learning from Reward-Free Offline Data: A Case for Planning with
Latent Dynamics Models" (2025, arXiv 2502.14819) varies its data: their amount, the length of
trajectories, the quality of the policy (a share of random actions), the number of layouts. `share`
of players, skills, tasks or starts is our measure of diversity. A subset is a folder of its own,
with copies of the rows, written shard by shard. Left out: subsets of several datasets.
"""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.datasets.coverage import cells
from zerogym.agents.datasets.stored import (
    StoredDataset,
    append_shard,
    empty_folder,
    write_manifest,
)
from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import check_types

Group = Literal["episodes", "players", "skills", "tasks", "variants", "starts"]
Rows = NDArray[np.int64]


@describe_fields
@dataclass(frozen=True)
class SubsetConfig:
    """Settings of a subset; the same settings and data give the same files.

    Raises:
        TypeError: If a value is not of its field's type; the message names it.
        ValueError: If a number is outside its range.
    """

    steps: int = 0  # transitions: pieces are drawn up to this number; 0: all
    length: int = 0  # episodes are cut into pieces of this many steps, the rest dropped; 0: whole
    share: float = 1.0  # share of the groups that is kept, at least one
    of: Group = "episodes"  # the groups; starts: episodes that start in the same cell
    random: float = -1.0  # share of pieces of random actions; below 0: unchanged
    variants: tuple[int, ...] = ()  # only these variants; empty: all
    shard_steps: int = 5_000  # a shard ends with the first piece that brings it to this size
    seed: int = 0  # seed of all draws

    def __post_init__(self) -> None:
        check_types(self)
        object.__setattr__(self, "variants", tuple(self.variants))
        for name, least in (("steps", 0), ("length", 0), ("seed", 0), ("shard_steps", 1)):
            if getattr(self, name) < least:
                found = getattr(self, name)
                raise ValueError(f"SubsetConfig.{name} must be at least {least}, got {found}")
        if not 0 < self.share <= 1:
            raise ValueError(f"SubsetConfig.share must be in (0, 1], got {self.share}")
        if not self.random <= 1:
            raise ValueError(f"SubsetConfig.random must be at most 1, got {self.random}")
        if self.of not in get_args(Group):
            raise ValueError(f"SubsetConfig.of must be one of {', '.join(get_args(Group))}")


def subset(dataset: StoredDataset, config: SubsetConfig, out_dir: Path | str) -> Path:
    """Write a subset of a dataset.

    Returns:
        The folder, for `load_dataset`.

    Raises:
        ValueError: If the data do not contain such a subset, or the folder is not empty.
    """
    folder = empty_folder(out_dir)
    chosen = _choose(dataset, config)
    folder.mkdir(parents=True, exist_ok=True)
    manifest = {**dataset.manifest, "complete": True, "shards": []}
    settings = json.loads(json.dumps(dataclasses.asdict(config)))
    manifest["origin"] = [*manifest.get("origin", ()), {"subset": settings}]
    waiting: list[Rows] = []
    for number, piece in enumerate(chosen):
        waiting.append(piece)
        if number + 1 == len(chosen) or sum(map(len, waiting)) >= config.shard_steps:
            columns = dataset.rows(np.concatenate(waiting))
            columns["starts"][np.cumsum([0, *map(len, waiting[:-1])])] = True
            append_shard(folder, manifest["shards"], columns)
            waiting = []
    write_manifest(folder, manifest)
    return folder


def _choose(dataset: StoredDataset, config: SubsetConfig) -> list[Rows]:
    """Return the rows of each piece, in the order of the data."""
    rng = np.random.default_rng(config.seed)
    labels = _labels(dataset, config)
    pieces, groups, envs = [], [], []
    variants = dataset.column("variants") if config.variants else None
    for number, rows in enumerate(dataset.episodes()):
        length = config.length or rows.stop - rows.start
        for first in range(rows.start, rows.stop - length + 1, length):
            pieces.append(np.arange(first, first + length))
            groups.append(labels[number])
            envs.append(0 if variants is None else int(variants[first]))
    kept = [i for i in range(len(pieces)) if not config.variants or envs[i] in config.variants]
    names = sorted({groups[i] for i in kept})
    if not names:
        raise ValueError(f"{dataset.path} holds no piece of that kind: {config}")
    count = max(1, round(config.share * len(names)))
    chosen = {names[i] for i in rng.permutation(len(names))[:count]}
    kept = [i for i in kept if groups[i] in chosen]
    order = [kept[i] for i in rng.permutation(len(kept))]
    if config.random >= 0:
        order = _mixed(dataset, [(i, int(pieces[i][0])) for i in order], config.random)
    total = sum(len(pieces[i]) for i in order)
    if total < config.steps or not order:
        raise ValueError(f"{dataset.path} has {total} such transitions, not {config.steps}")
    left, taken = config.steps or total, {}
    for i in order:  # the first pieces up to the number of steps, the last one cut
        if left > 0:
            taken[i] = pieces[i][:left]
        left -= len(pieces[i])
    return [taken[i] for i in sorted(taken)]


def _mixed(dataset: StoredDataset, drawn: list[tuple[int, int]], share: float) -> list[int]:
    """Return the most pieces (number, first row) with this share of random ones, interleaved."""
    mix = dataset.manifest["config"]["mix"]
    if "players" not in dataset.columns or "random" not in mix:
        raise ValueError(f"{dataset.path}: `random` needs data of a mixture with random actions")
    players = dataset.column("players")
    by_chance = [i for i, first in drawn if mix[int(players[first])] == "random"]
    others = [i for i, first in drawn if mix[int(players[first])] != "random"]
    most = [len(by_chance) / share] if share else []
    most += [len(others) / (1 - share)] if share < 1 else []
    total = int(min(most))
    found: list[int] = []
    for number in range(total):  # so that any prefix has the share as well
        chance = int((number + 1) * share) > int(number * share)
        pool = by_chance if chance else others
        if not pool:
            break  # the share of a whole number was rounded
        found.append(pool.pop())
    return found


def _labels(dataset: StoredDataset, config: SubsetConfig) -> list[Any]:
    """Return the group of each episode."""
    firsts = [rows.start for rows in dataset.episodes()]
    if config.of == "episodes":
        return list(range(len(firsts)))
    if config.of == "starts":
        with dataset.make() as env:
            return [tuple(row) for row in cells(dataset, env)[1][firsts].tolist()]
    if config.of not in dataset.columns:
        raise ValueError(
            f"{dataset.path} has no {config.of}; its columns: {', '.join(dataset.columns)}"
        )
    column = np.asarray(dataset.column(config.of)[firsts])
    return [tuple(np.atleast_1d(row).tolist()) for row in column]
