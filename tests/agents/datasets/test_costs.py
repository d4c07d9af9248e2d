"""Costs of worlds in their data: kept as they were reported, stored, exported, and refused."""

import math
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from typer.testing import CliRunner

torch = pytest.importorskip("torch")

import zerogym  # noqa: E402, F401 (registers the ids)
from zerogym.agents.datasets.dataset import Dataset, collect  # noqa: E402
from zerogym.agents.datasets.minari import export_minari, import_minari  # noqa: E402
from zerogym.agents.datasets.stored import (  # noqa: E402
    append_shard,
    load_dataset,
    read_manifest,
    write_manifest,
)
from zerogym.agents.datasets.subset import SubsetConfig, subset  # noqa: E402
from zerogym.agents.explore import collection  # noqa: E402
from zerogym.agents.explore.config import CollectConfig  # noqa: E402
from zerogym.agents.offline import relabelled  # noqa: E402
from zerogym.cli import app  # noqa: E402

RADIO, TASK = "zerogym/CognitiveRadio-v0", "avoid"
SHORT: dict[str, Any] = {"horizon": 12}


def test_costs_of_a_world_go_into_its_data() -> None:
    env = gym.make(RADIO, **SHORT)
    data = collect(env, 30, seed=4)
    found, again = [], gym.make(RADIO, **SHORT)
    for row, action in enumerate(data.actions):
        if row % 12 == 0:
            again.reset(seed=4) if row == 0 else again.reset()
        found.append(again.step(action)[4]["cost"])
    assert data.costs is not None and data.costs.dtype == np.float32
    assert data.costs.tolist() == found and 0 < sum(found) < 30
    world: Any = env.unwrapped
    assert relabelled(data, world.tasks[TASK]).costs.tolist() == found

    def twice(obs: Any, *_: Any) -> Any:
        return np.full(len(obs), 2.0)

    given = relabelled(data, world.tasks[TASK], costs=twice).costs
    assert given is not None and given.tolist() == [2.0] * 30
    assert collect(gym.make("zerogym/UMap-v0"), 5).costs is None


class Costly(gym.Wrapper[Any, Any, Any, Any]):
    """The costs of a list, one a step; None: a step that reports none."""

    def __init__(self, costs: list[Any]) -> None:
        super().__init__(gym.make("zerogym/UMap-v0"))
        self.costs = list(costs)

    def step(self, action: Any) -> Any:
        cost = self.costs.pop(0)
        found = self.env.step(action)
        return *found[:4], {} if cost is None else {"cost": cost}


def test_the_first_step_says_whether_there_are_costs_and_each_is_a_number() -> None:
    kept = collect(Costly([1, None, 0.5]), 3).costs
    assert kept is not None and kept.tolist() == [1.0, 0.0, 0.5]
    assert collect(Costly([None, 1, 1]), 3).costs is None
    for bad in (math.nan, math.inf, "much", [1, 2]):
        with pytest.raises(ValueError, match=r"info\['cost'\] of a step must be a finite number"):
            collect(Costly([0, bad]), 2)
    flat = np.zeros((2, 1), np.float32)
    for costs, word in ((np.array([0, np.nan]), "not finite"), (flat, "shape"), (flat[:1, 0], "1")):
        with pytest.raises(ValueError, match=word):
            Dataset(flat, np.arange(2), flat, costs=costs)


def stored(folder: Path, **changes: Any) -> Path:
    config = CollectConfig(**{"env": RADIO, "env_kwargs": SHORT, "steps": 30, "seed": 3} | changes)
    return collection.collect(config, folder)


def test_stored_data_keep_them_also_in_a_part_and_in_minari(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = load_dataset(stored(tmp_path / "data", shard_steps=12))
    assert len(data.shards) == 3
    env, found = gym.make(RADIO, **SHORT), []
    for episode, rows in enumerate(data.episodes()):
        # The seeds of `collect`: family 0, number of the episode.
        seed = np.random.SeedSequence([3, 0, episode]).generate_state(1)[0]
        env.reset(seed=int(seed))
        found += [env.step(act)[4]["cost"] for act in data.column("actions")[rows]]
    assert data.column("costs").dtype == np.float32
    assert data.column("costs").tolist() == found and 0 < sum(found) < 30
    costs = data.transitions().costs
    assert costs is not None and costs.tolist() == found
    part = load_dataset(subset(data, SubsetConfig(steps=15, length=5), tmp_path / "part"))
    rows = [data.column("observations").tolist().index(row)
            for row in part.column("observations").tolist()]  # fmt: skip
    assert part.column("costs").tolist() == [found[row] for row in rows]
    assert (
        "costs"
        not in load_dataset(stored(tmp_path / "umap", env="zerogym/UMap-v0", env_kwargs={})).columns
    )
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    pytest.importorskip("minari")
    export_minari(data, "zerogym/costs-v0")
    back = load_dataset(import_minari("zerogym/costs-v0", tmp_path / "back"))
    assert back.column("costs").tolist() == found and back.columns == data.columns


def test_a_constrained_agent_refuses_stored_data_without_costs_or_with_damaged_ones(
    tmp_path: Path,
) -> None:
    folder = stored(tmp_path / "data")
    columns = load_dataset(folder).rows(np.arange(30))

    def train(data: Path) -> str:
        found = CliRunner().invoke(app, [
            "train", "offline", "--env=CognitiveRadio", '--env-kwargs={"horizon": 12}',
            "--task=avoid", "--method=constrained_decision_transformer", "--updates=1",
            "--method.width=4", "--episodes=0", f"--data={data}", f"--out={data}-run",
        ])  # fmt: skip
        shown = " ".join(found.output.split())
        assert "Traceback" not in shown and found.exit_code == (0 if "Model:" in shown else 2)
        return shown

    assert "Model:" in train(folder)
    bad = columns["costs"].copy()
    bad[7] = np.nan
    for name, costs, words in (
        ("nan", bad, "costs of the dataset have a number that is not finite"),
        ("wide", columns["costs"][:, None], "costs must have shape (N,)"),
        ("none", None, "these transitions have no costs"),
    ):
        kept = {key: value for key, value in columns.items() if key != "costs"}
        made = tmp_path / name
        made.mkdir()
        shards: list[Any] = []
        append_shard(made, shards, kept if costs is None else kept | {"costs": costs})
        write_manifest(made, read_manifest(folder) | {"shards": shards})
        assert words in train(made)
        assert not Path(f"{made}-run").exists()
