"""Minari: what goes out comes back byte for byte, and what others wrote is read or refused."""

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from typer.testing import CliRunner

from zerogym.agents.datasets.card import make_card
from zerogym.agents.datasets.checks import WrongDataset
from zerogym.agents.datasets.minari import export_minari, import_minari
from zerogym.agents.datasets.shards import NotADataset
from zerogym.agents.datasets.stored import load_dataset
from zerogym.agents.datasets.subset import SubsetConfig, subset
from zerogym.agents.explore.collection import collect
from zerogym.agents.explore.config import CollectConfig
from zerogym.cli import app
from zerogym.envs.lookup import reward_free
from zerogym.errors import MissingExtra

MAZE = "zerogym/PointMaze-v0"
KINDS: dict[str, dict[str, Any]] = {
    "skills": {"policy": "aps", "steps": 300, "shard_steps": 150, "warmup": 100, "hidden": 8},
    "physics": {"env": "zerogym/Walker-v0", "env_kwargs": {"horizon": 70}, "shard_steps": 100},
    "players": {"env": "zerogym/FourRooms-v0", "policy": "mixed", "mix": ("random", "expert")},
    "ends": {"env": "CartPole-v1"},
}


@pytest.fixture
def minari(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The package, with a folder of its own for its datasets."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    return pytest.importorskip("minari")


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("kind", list(KINDS))
def test_the_way_there_and_back_is_exact(minari: Any, tmp_path: Path, kind: str) -> None:
    folder = collect(CollectConfig(**{"steps": 230, **KINDS[kind]}), tmp_path / "data")
    data = load_dataset(folder)
    name = export_minari(data, f"zerogym/{kind}-v0")
    assert _bytes(import_minari(name, tmp_path / "back")) == _bytes(folder)
    theirs = minari.load_dataset(name)
    assert (theirs.total_steps, theirs.total_episodes) == (len(data), len(data.episodes()))
    for episode, rows in zip(theirs.iterate_episodes(), data.episodes(), strict=True):
        np.testing.assert_array_equal(episode.observations[:-1], data.column("observations")[rows])
        last = data.column("next_observations")[rows.stop - 1]
        np.testing.assert_array_equal(episode.observations[-1], last)
        np.testing.assert_array_equal(episode.terminations, data.column("terminated")[rows])
        if kind == "physics":
            np.testing.assert_array_equal(episode.infos["qpos"][:-1], data.column("qpos")[rows])
            assert len(episode.infos["qvel"]) == len(episode) + 1
            assert np.isnan(episode.infos["qvel"][-1]).all()
    env = theirs.recover_environment()
    assert env.spec.id == data.manifest["env"]
    assert dict(env.spec.kwargs) == {**reward_free(env.spec.id), **data.manifest["env_kwargs"]}


def test_a_part_goes_the_same_way(minari: Any, tmp_path: Path) -> None:
    data = load_dataset(collect(CollectConfig(steps=240), tmp_path / "data"))
    part = load_dataset(subset(data, SubsetConfig(length=20, share=0.5), tmp_path / "part"))
    export_minari(part, "part-v0")
    assert _bytes(import_minari("part-v0", tmp_path / "back")) == _bytes(part.path)


def test_data_of_several_worlds_go_one_by_one(minari: Any, tmp_path: Path) -> None:
    layouts = ({"layout": "u", "horizon": 20}, {"layout": "medium", "horizon": 20})
    data = load_dataset(collect(CollectConfig(variants=layouts, steps=80), tmp_path / "data"))
    with pytest.raises(ValueError, match="several variants"):
        export_minari(data, "both-v0")
    one = load_dataset(subset(data, SubsetConfig(variants=(1,)), tmp_path / "one"))
    export_minari(one, "one-v0")
    env = minari.load_dataset("one-v0").recover_environment()
    assert env.unwrapped.layout == "medium"
    assert _bytes(import_minari("one-v0", tmp_path / "back")) == _bytes(one.path)


def _foreign(minari: Any, name: str, env: str | None, spaces: Any = None, **changes: Any) -> None:
    """Three episodes written by Minari itself."""
    buffer = pytest.importorskip("minari.data_collector").EpisodeBuffer

    made = gym.make(env) if env is not None else None
    observed, done = spaces or (made.observation_space, made.action_space)  # type: ignore[union-attr]
    observed.seed(0)
    done.seed(0)
    buffers = []
    for steps in (3, 5, 4):
        rows = {
            "observations": np.array([observed.sample() for _ in range(steps + 1)]),
            "actions": np.array([done.sample() for _ in range(steps)]),
            "rewards": np.arange(steps, dtype=np.float64),
            "terminations": np.arange(steps) == steps - 1,
            "truncations": np.zeros(steps, bool),
            "infos": {"qpos": np.arange(2 * steps + 2.0).reshape(-1, 2), "other": np.ones(steps)},
        }
        buffers.append(buffer(**{**rows, **changes}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        minari.create_dataset_from_buffers(
            name, buffers, env=env, observation_space=observed, action_space=done
        )


def test_data_of_others_are_read(minari: Any, tmp_path: Path) -> None:
    _foreign(minari, "pole-v0", "CartPole-v1")
    data = load_dataset(import_minari("pole-v0", tmp_path / "pole"), "CartPole-v1")
    assert [rows.stop - rows.start for rows in data.episodes()] == [3, 5, 4]
    assert data.column("rewards").tolist() == [0, 1, 2, 0, 1, 2, 3, 4, 0, 1, 2, 3]
    assert data.column("terminated").sum() == 3 and data.column("actions").dtype == np.int64
    theirs = minari.load_dataset("pole-v0")[1]
    np.testing.assert_array_equal(data.column("observations")[3:8], theirs.observations[:-1])
    np.testing.assert_array_equal(data.column("next_observations")[3:8], theirs.observations[1:])
    np.testing.assert_array_equal(data.column("qpos")[3:8], theirs.infos["qpos"][:-1])
    assert "other" not in data.columns
    card = make_card(data)
    assert card.transitions == 12 and card.origin == ({"minari": "pole-v0"},)
    with pytest.raises(ValueError, match="made from other data"):
        collect(CollectConfig(env="CartPole-v1"), data.path)


def test_data_of_others_without_a_world_are_given_one(minari: Any, tmp_path: Path) -> None:
    observed = gym.spaces.Box(0, 1, (2,), np.float32)
    _foreign(minari, "points-v0", None, (observed, gym.spaces.Box(-1, 1, (2,), np.float32)))
    with pytest.raises(WrongDataset, match="names no environment"):
        import_minari("points-v0", tmp_path / "points")
    data = load_dataset(import_minari("points-v0", tmp_path / "points", MAZE), MAZE)
    assert data.manifest["env"] == MAZE and len(data) == 12
    with pytest.raises(WrongDataset, match=r"shape \(2,\).*\(40,\)"):
        import_minari("points-v0", tmp_path / "rooms", "zerogym/FourRooms-v0")


def test_what_cannot_be_stored_is_named(minari: Any, tmp_path: Path) -> None:
    flat, choice = gym.spaces.Box(0, 1, (2,), np.float32), gym.spaces.Discrete(3)
    _foreign(minari, "square-v0", None, (gym.spaces.Box(0, 1, (2, 2), np.float32), choice))
    with pytest.raises(
        WrongDataset, match=r"observations must be a Box of one axis, are Box.*2, 2"
    ):
        import_minari("square-v0", tmp_path / "a", MAZE)
    _foreign(minari, "both-v0", None, (flat, gym.spaces.MultiDiscrete([2, 3])))
    with pytest.raises(WrongDataset, match=r"actions must be Discrete .* are MultiDiscrete"):
        import_minari("both-v0", tmp_path / "a", MAZE)
    _foreign(minari, "nan-v0", None, (flat, choice), observations=np.full((4, 2), np.nan))
    with pytest.raises(NotADataset, match="episode 0 has 3 steps, 4 observations"):
        import_minari("nan-v0", tmp_path / "nan", "CartPole-v1")
    _foreign(minari, "pole-v0", "CartPole-v1")
    with pytest.raises(WrongDataset, match="holds data of CartPole-v1, not of Pendulum-v1"):
        import_minari("pole-v0", tmp_path / "a", "Pendulum-v1")
    with pytest.raises(NotADataset, match="no Minari dataset 'pole-v7' here"):
        import_minari("pole-v7", tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_the_command_exports_and_imports(minari: Any, tmp_path: Path) -> None:
    data, back = tmp_path / "data", tmp_path / "back"
    collect(CollectConfig(steps=100), data)
    run = CliRunner()
    assert run.invoke(app, ["data", "export", str(data), "maze-v0"]).exit_code == 0
    taken = run.invoke(app, ["data", "export", str(data), "maze-v0"])
    assert taken.exit_code == 2 and "already exists" in taken.output
    assert run.invoke(app, ["data", "export", str(data), "no version"]).exit_code == 2
    assert run.invoke(app, ["data", "import", "maze-v0", "--out", str(back)]).exit_code == 0
    assert _bytes(back) == _bytes(data)
    full = run.invoke(app, ["data", "import", "maze-v0", "--out", str(back)])
    assert full.exit_code == 2 and "not empty" in full.output


def test_without_minari_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "minari", None)
    data = load_dataset(collect(CollectConfig(steps=20), tmp_path / "data"))
    with pytest.raises(MissingExtra, match=r"needs minari: pip install 'zerogym\[minari\]'"):
        export_minari(data, "maze-v0")
    with pytest.raises(MissingExtra, match=r"zerogym\[minari\]"):
        import_minari("maze-v0", tmp_path / "back")


def test_the_command_cuts_and_describes(tmp_path: Path) -> None:
    data, part = tmp_path / "data", tmp_path / "part"
    collect(CollectConfig(steps=240), data)
    run = CliRunner()
    typed = ["data", "subset", str(data), "--out", str(part), "--length", "20", "--steps", "100"]
    cut = run.invoke(app, typed)
    assert cut.exit_code == 0 and "100 transitions, 5 episodes" in cut.output
    assert json.loads((part / "card.json").read_text())["origin"][0]["subset"]["length"] == 20
    shown = run.invoke(app, ["data", "card", str(part), "--reference", str(data)])
    assert shown.exit_code == 0 and "of all (SACo)" in shown.output
    assert run.invoke(app, ["data", "subset", str(data), "--out", str(part)]).exit_code == 2
    wrong = run.invoke(app, [*typed[:4], str(tmp_path / "x"), "--of", "policies"])
    assert wrong.exit_code == 2 and "must be one of episodes" in wrong.output
    assert run.invoke(app, ["data", "card", str(tmp_path)]).exit_code == 2
