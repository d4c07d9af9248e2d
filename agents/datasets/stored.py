"""A dataset of reward-free transitions: a folder of shards and `dataset.json`.

| column | shape, type | content |
|---|---|---|
| `observations` | (N, k) float32 | before the step |
| `actions` | (N,) int64, or (N, m) float32 | the actions |
| `next_observations` | (N, k) float32 | the true successor, also at the end of an episode |
| `terminated`, `truncated` | (N,) bool | True if the step ended the episode so |
| `starts` | (N,) bool | True for the first of an episode |
| `costs` | (N,) float32 | `info["cost"]` of the step, of worlds that report one |
| `qpos`, `qvel` | (N, ..) float64 | MuJoCo: the state in which the action was taken |
| `skills` | (N, s) float32 | DIAYN, APS: the skill of the policy |
| `tasks` | (N,) int16 | of an oracle: its task, a place in `task_names`; -1 for none |
| `players` | (N,) uint8 | the player, a place in `config["mix"]` |
| `variants` | (N,) uint8 | the variant, a place in `config["variants"]` |
| `rewards` | (N,) float32 | imported data: their own rewards |

A task relabels the transitions. `dataset.json` names the environment with its version and
arguments, the settings, the versions of the packages and the shards with their checksums. Data of
another environment or format are refused (`checks.py`). Parts: `subset.py`; Minari's format:
`minari.py`. Left out: compression, pixels.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.agents.checksums import check_file, check_regular, checksum
from zerogym.agents.datasets.checks import WrongDataset, check_env_matches, check_shapes
from zerogym.agents.datasets.environments import make_env
from zerogym.agents.datasets.shards import Columns, NotADataset, read_shard, write_shard
from zerogym.envs.recorded import recorded_id, without_keys

if TYPE_CHECKING:
    from zerogym.agents.datasets.dataset import Dataset

FORMAT = 1
MANIFEST = "dataset.json"
_ENTRIES = {"env": str, "env_kwargs": dict, "config": dict, "shards": list, "complete": bool}
_NEEDED = ("observations", "actions", "next_observations", "terminated", "truncated", "starts")


@dataclass(frozen=True, eq=False)
class StoredDataset:
    """Transitions on disk, mapped into memory; `load_dataset` makes it.

    Attributes:
        path: The folder.
        manifest: The content of `dataset.json`.
        shards: The columns of each file, in order.
    """

    path: Path
    manifest: Mapping[str, Any]
    shards: Sequence[Columns]

    def __len__(self) -> int:
        return int(self._ends[-1])

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        return np.cumsum([len(shard["starts"]) for shard in self.shards])

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.shards[0])

    def column(self, name: str) -> NDArray[Any]:
        """Return all N rows of a column: a map if there is one shard, else a copy in memory."""
        parts = [shard[name] for shard in self.shards]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def rows(self, index: NDArray[np.integer[Any]]) -> Columns:
        """Return the rows (n,) of an index as arrays in memory; only these are read."""
        index = np.asarray(index)
        which = np.searchsorted(self._ends, index, side="right")
        found = {
            name: np.empty((len(index), *column.shape[1:]), column.dtype)
            for name, column in self.shards[0].items()
        }
        for number in np.unique(which):
            here = which == number
            first = self._ends[number] - len(self.shards[number]["starts"])
            for name, column in self.shards[number].items():
                found[name][here] = column[index[here] - first]
        return found

    def episodes(self) -> list[slice]:
        """Return the rows of each episode; the last may be cut short by the end of the data."""
        starts = np.flatnonzero(self.column("starts"))
        return [slice(*ends) for ends in zip(starts, [*starts[1:], len(self)], strict=True)]

    @property
    def variants(self) -> list[dict[str, Any]]:
        """The arguments of each variant; empty without variants."""
        return list(self.manifest.get("variants", ()))

    def make(self, variant: int = 0, **changes: Any) -> gym.Env[Any, Any]:
        """Return the environment of the data, without a task; arguments may be changed.

        Raises:
            ImportRefused: If it is `module:ID`, and that module has not been imported.
        """
        own = self.variants[variant] if self.variants else {}
        named = recorded_id(self.manifest["env"], self.path / MANIFEST)
        arguments = without_keys({**self.manifest["env_kwargs"], **own})
        return make_env(named, {**arguments, **changes})

    def transitions(self) -> "Dataset":
        """Return the transitions for learners."""
        from zerogym.agents.datasets.dataset import Dataset

        names = ["observations", "actions", "next_observations", "starts"]
        if self.column("terminated").any():
            names.append("terminated")
        if "costs" in self.columns:
            names.append("costs")
        return Dataset(**{name: np.array(self.column(name)) for name in names})


def load_dataset(
    path: Path | str,
    env: str | gym.Env[Any, Any] | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
) -> StoredDataset:
    """Open a dataset, complete or not.

    Args:
        path: The folder that `zerogym collect` wrote.
        env: The required environment or its id; None accepts any.
        env_kwargs: The arguments of that id.

    Raises:
        NotADataset: If it is none, or a file is missing or damaged.
        WrongDataset: If it is of another environment, version or format.
    """
    folder = Path(path)
    manifest = read_manifest(folder)
    if env is not None:
        check_env_matches(folder, manifest, env, env_kwargs or {})
    if not manifest["shards"]:
        raise NotADataset(f"{folder} holds no finished shard yet")
    shards = []
    for entry in manifest["shards"]:
        columns = read_shard(folder / entry["file"])
        rows = {name: len(columns.get(name, ())) for name in (*_NEEDED, *columns)}
        if set(rows.values()) != {entry["rows"]}:
            raise NotADataset(
                f"{folder / entry['file']} should have {entry['rows']} rows, has {rows}"
            )
        try:
            check_file(folder / entry["file"], entry.get("sha256"))
        except ValueError as error:
            raise NotADataset(str(error)) from None
        shards.append(columns)
    if env is not None:
        world = make_env(env, env_kwargs or {}) if isinstance(env, str) else env
        check_shapes(folder, shards[0], world)
        if world is not env:
            world.close()
    return StoredDataset(folder, manifest, tuple(shards))


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return `dataset.json` of a folder.

    Raises:
        NotADataset: If there is none, or it lacks an entry.
        WrongDataset: If it is of another format.
    """
    try:
        check_regular(folder / MANIFEST)
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        version = manifest["format"]
        if version != FORMAT:
            raise WrongDataset(f"{folder} is of format {version}, this zerogym reads {FORMAT}")
        for name, kind in _ENTRIES.items():
            if not isinstance(manifest[name], kind):
                raise ValueError(f"{name} is not of the type {kind.__name__}")
        if not isinstance(manifest["config"].get("reset_options", {}), dict):
            raise ValueError("reset_options is not of the type dict")
        for name in ("shards", "variants", "origin"):
            if not all(isinstance(part, dict) for part in manifest.get(name, ())):
                raise ValueError(f"{name} does not list objects")
    except WrongDataset:
        raise
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise NotADataset(f"{folder} is no dataset of `zerogym collect`: {error}") from None
    return dict(manifest)


def empty_folder(path: Path | str) -> Path:
    """Return the path of a new dataset; ValueError if it exists and is not empty."""
    folder = Path(path)
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"{folder} is not empty; choose another folder")
    return folder


def append_shard(folder: Path, shards: list[dict[str, Any]], columns: Columns) -> None:
    """Write the next shard of a folder, and add it to the manifest's list."""
    name = f"shard-{len(shards):05d}.safetensors"
    write_shard(folder / name, columns)
    digest = checksum(folder / name)
    shards.append({"file": name, "rows": len(columns["starts"]), "sha256": digest})


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write `dataset.json` atomically."""
    from zerogym.agents.atomic_files import write_text  # it needs torch, reading does not

    write_text(folder / MANIFEST, json.dumps(manifest, indent=1) + "\n")
