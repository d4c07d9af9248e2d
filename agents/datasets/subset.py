"""A part of a dataset: smaller, less diverse, of shorter trajectories, or of fewer layouts.

The knobs are those along which "Learning from Reward-Free Offline Data: A Case for Planning with
Latent Dynamics Models" (2025, arXiv 2502.14819) varies its data: how much there is, how long a
trajectory is, how good the policy was (a share of random actions), in how many layouts. `share` of
players, skills, tasks or starts is our way to diversity. A part is a folder of its own, read as any
other; it holds copies of the rows, written shard by shard. Left out: a part of several datasets.
"""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.datasets.coverage import cells
from zerogym.agents.datasets.shards import write_shard
from zerogym.agents.datasets.stored import MANIFEST, StoredDataset
from zerogym.agents.settings import check_types

Group = Literal["episodes", "players", "skills", "tasks", "variants", "starts"]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class SubsetConfig:
    """Which part; the same settings and data give the same files.

    Raises:
        TypeError: If a value is not of its field's type; the message names it.
        ValueError: If a number is outside its range.
    """

    steps: int = 0  # transitions: pieces are drawn until there are so many; 0: all
    length: int = 0  # episodes are cut into pieces of so many steps, the rest left out; 0: whole
    share: float = 1.0  # part of the groups that is kept, at least one
    of: Group = "episodes"  # what makes a group; starts: those in the same cell
    random: float = -1.0  # share of the pieces that random actions made; below 0: as it is
    variants: tuple[int, ...] = ()  # only these of the worlds that took turns; empty: all
    shard_steps: int = 5_000  # a shard ends with the first piece that brings it to this size
    seed: int = 0  # of all draws

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
    """Write a part of a dataset.

    Returns:
        The folder, for `load_dataset`.

    Raises:
        ValueError: If the data lack what is asked for, or the folder is not empty.
    """
    folder = Path(out_dir)
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"{folder} is not empty; choose another folder")
    chosen = _choose(dataset, config)
    folder.mkdir(parents=True, exist_ok=True)
    manifest = {**dataset.manifest, "complete": True, "shards": []}
    asked = json.loads(json.dumps(dataclasses.asdict(config)))
    manifest["origin"] = [*manifest.get("origin", ()), {"subset": asked}]
    waiting: list[Rows] = []
    for number, piece in enumerate(chosen):
        waiting.append(piece)
        if number + 1 == len(chosen) or sum(map(len, waiting)) >= config.shard_steps:
            manifest["shards"].append(_write(dataset, waiting, folder, len(manifest["shards"])))
            waiting = []
    text = json.dumps(manifest, indent=1) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")
    return folder


def _write(dataset: StoredDataset, pieces: list[Rows], folder: Path, number: int) -> dict[str, Any]:
    columns = dataset.rows(np.concatenate(pieces))
    columns["starts"][np.cumsum([0, *map(len, pieces[:-1])])] = True
    name = f"shard-{number:05d}.safetensors"
    write_shard(folder / name, columns)
    return {"file": name, "rows": len(columns["starts"])}


def _choose(dataset: StoredDataset, config: SubsetConfig) -> list[Rows]:
    """The rows of each piece, in the order of the data."""
    rng = np.random.default_rng(config.seed)
    labels = _labels(dataset, config)
    pieces, groups, worlds = [], [], []
    variants = dataset.column("variants") if config.variants else None
    for number, rows in enumerate(dataset.episodes()):
        length = config.length or rows.stop - rows.start
        for first in range(rows.start, rows.stop - length + 1, length):
            pieces.append(np.arange(first, first + length))
            groups.append(labels[number])
            worlds.append(0 if variants is None else int(variants[first]))
    kept = [i for i in range(len(pieces)) if not config.variants or worlds[i] in config.variants]
    names = sorted({groups[i] for i in kept})
    if not names:
        raise ValueError(f"{dataset.path} holds no piece of that kind: {config}")
    count = max(1, round(config.share * len(names)))
    wanted = {names[i] for i in rng.permutation(len(names))[:count]}
    kept = [i for i in kept if groups[i] in wanted]
    order = [kept[i] for i in rng.permutation(len(kept))]
    if config.random >= 0:
        order = _mixed(dataset, [(i, int(pieces[i][0])) for i in order], config.random)
    return _until(dataset, [(i, pieces[i]) for i in order], config.steps)


def _until(dataset: StoredDataset, drawn: list[tuple[int, Rows]], steps: int) -> list[Rows]:
    """The first pieces up to `steps` rows, the last cut; in the order of the data."""
    there = sum(len(rows) for _, rows in drawn)
    if there < steps or not drawn:
        raise ValueError(f"{dataset.path} holds {there} transitions of that kind, not {steps}")
    left, taken = steps or there, []
    for place, rows in drawn:
        if left > 0:
            taken.append((place, rows[:left]))
        left -= len(rows)
    return [rows for _, rows in sorted(taken, key=lambda each: each[0])]


def _mixed(dataset: StoredDataset, drawn: list[tuple[int, int]], share: float) -> list[int]:
    """As many of the pieces (place, first row) as make this share of them random, mixed evenly."""
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
    for number in range(total):  # so that any beginning has the share as well
        chance = int((number + 1) * share) > int(number * share)
        pool = by_chance if chance else others
        if not pool:
            break  # the share of a whole number was rounded
        found.append(pool.pop())
    return found


def _labels(dataset: StoredDataset, config: SubsetConfig) -> list[Any]:
    """The group of each episode."""
    firsts = [rows.start for rows in dataset.episodes()]
    if config.of == "episodes":
        return list(range(len(firsts)))
    if config.of == "starts":
        env = dataset.make()
        try:
            found = cells(dataset, env)[1][firsts]
        finally:
            env.close()
        return [tuple(row) for row in found.tolist()]
    if config.of not in dataset.columns:
        raise ValueError(
            f"{dataset.path} has no {config.of}; its columns: {', '.join(dataset.columns)}"
        )
    column = np.asarray(dataset.column(config.of)[firsts])
    return [tuple(np.atleast_1d(row).tolist()) for row in column]
