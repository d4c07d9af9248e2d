"""Subsets of a dataset, data of several variants, data of another environment or version."""

import json
import shutil
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym
from zerogym.agents.datasets.card import make_card
from zerogym.agents.datasets.checks import WrongDataset
from zerogym.agents.datasets.stored import StoredDataset, load_dataset
from zerogym.agents.datasets.subset import SubsetConfig, subset
from zerogym.agents.explore.collection import collect
from zerogym.agents.explore.config import CollectConfig

MAZE, ROOMS = "zerogym/PointMaze-v0", "zerogym/FourRooms-v0"
LAYOUTS = ({"layout": "u", "horizon": 50}, {"layout": "medium", "horizon": 50})


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> StoredDataset:
    """30 episodes of 50 steps, by turns random and of the oracle."""
    config = CollectConfig(
        env=ROOMS, policy="mixed", mix=("random", "expert"), steps=1_500, shard_steps=400
    )
    return load_dataset(collect(config, tmp_path_factory.mktemp("data") / "mixed"))


def _part(data: StoredDataset, folder: Path, **settings: Any) -> StoredDataset:
    return load_dataset(subset(data, SubsetConfig(**settings), folder))


def _rows(data: StoredDataset) -> list[bytes]:
    names = ("observations", "actions", "next_observations")
    columns = [data.column(name) for name in names]
    return [b"".join(column[i].tobytes() for column in columns) for i in range(len(data))]


def test_a_part_of_everything_is_everything(mixed: StoredDataset, tmp_path: Path) -> None:
    same = _part(mixed, tmp_path / "same")
    for name in mixed.columns:
        np.testing.assert_array_equal(same.column(name), mixed.column(name))
    assert same.manifest["origin"][0]["subset"]["share"] == 1
    assert isinstance(same.shards[0]["observations"], np.memmap)


def test_size_is_exact_and_the_seed_decides(mixed: StoredDataset, tmp_path: Path) -> None:
    first, again, other = (
        _part(mixed, tmp_path / str(i), steps=320, seed=seed) for i, seed in enumerate((0, 0, 1))
    )
    assert len(first) == len(again) == len(other) == 320
    assert [rows.stop - rows.start for rows in first.episodes()].count(50) == 6
    assert _rows(first) == _rows(again) != _rows(other)
    assert set(_rows(first)) <= set(_rows(mixed))
    with pytest.raises(ValueError, match="has 1500 such transitions, not 1501"):
        _part(mixed, tmp_path / "more", steps=1_501)


def test_trajectories_are_cut_and_stay_whole_chains(mixed: StoredDataset, tmp_path: Path) -> None:
    short = _part(mixed, tmp_path / "short", length=16)
    assert len(short) == 30 * 3 * 16  # two steps of each episode are left out
    assert {rows.stop - rows.start for rows in short.episodes()} == {16}
    here, there = short.column("observations"), short.column("next_observations")
    inside = ~short.column("starts")[1:]
    np.testing.assert_array_equal(here[1:][inside], there[:-1][inside])
    card = make_card(short, most_tasks=2, episodes=1)
    assert card.origin[0]["subset"]["length"] == 16
    assert all(task.mean_return is None for task in card.tasks)  # a piece has no return


def test_fewer_tasks_or_starts_are_less_diverse(mixed: StoredDataset, tmp_path: Path) -> None:
    for group in ("tasks", "starts", "players"):
        half = _part(mixed, tmp_path / group, share=0.5, of=group)
        found, all_of_them = (
            {each.column("observations")[r.start].argmax() for r in each.episodes()}
            if group == "starts"
            else set(each.column(group).tolist())
            for each in (half, mixed)
        )
        assert len(found) == max(1, round(0.5 * len(all_of_them)))
        kept = set(_rows(half))
        if group == "players":
            assert len(kept) > 0 and len(half) == 750


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_the_share_of_random_actions(mixed: StoredDataset, tmp_path: Path, share: float) -> None:
    part = _part(mixed, tmp_path / "part", random=share, steps=400)
    by_chance = part.column("players") == 0
    assert by_chance.mean() == pytest.approx(share, abs=1e-9)
    assert len(part) == 400


def test_impossible_subsets_are_refused(mixed: StoredDataset, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has no skills; its columns: "):
        _part(mixed, tmp_path / "a", of="skills")
    with pytest.raises(ValueError, match="no piece of that kind"):
        _part(mixed, tmp_path / "a", length=51)
    with pytest.raises(ValueError, match=r"share must be in \(0, 1\], got 0"):
        SubsetConfig(share=0)
    with pytest.raises(ValueError, match="of must be one of episodes, players"):
        SubsetConfig(of="player")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="is not empty"):
        subset(mixed, SubsetConfig(), mixed.path)
    alone = load_dataset(collect(CollectConfig(env=ROOMS, steps=60), tmp_path / "alone"))
    with pytest.raises(ValueError, match="needs data of a mixture with random actions"):
        _part(alone, tmp_path / "a", random=0.5)
    assert not (tmp_path / "a").exists()


def test_a_part_is_not_collected_further(mixed: StoredDataset, tmp_path: Path) -> None:
    part = _part(mixed, tmp_path / "part", steps=100)
    with pytest.raises(ValueError, match="made from other data"):
        collect(CollectConfig(**part.manifest["config"]), part.path)
    assert len(load_dataset(part.path)) == 100


def test_several_layouts_take_turns(tmp_path: Path) -> None:
    config = CollectConfig(
        variants=LAYOUTS, policy="mixed", mix=("random", "rnd"), steps=400, warmup=60, hidden=8
    )
    data = load_dataset(collect(config, tmp_path / "both"))
    firsts = [rows.start for rows in data.episodes()]
    assert data.column("variants")[firsts].tolist() == [0, 0, 1, 1, 0, 0, 1, 1]
    for number, layout in enumerate(LAYOUTS):
        env = data.make(number)
        assert env.unwrapped.layout == layout["layout"]  # type: ignore[attr-defined]
        for i in np.flatnonzero(data.column("variants") == number)[::17]:
            env.reset(options={"start": data.column("observations")[i]})
            following = env.step(data.column("actions")[i])[0]
            np.testing.assert_array_equal(following, data.column("next_observations")[i])
    card = make_card(data)
    assert card.worlds == 2 and card.tasks == () and card.coverage.quantities[0] == "variant"
    one = _part(data, tmp_path / "one", variants=(1,))
    assert set(one.column("variants").tolist()) == {1} and len(one) == 200
    less = make_card(one).coverage.states
    assert less < card.coverage.states
    again = collect(CollectConfig(**config.to_dict()), tmp_path / "both")
    assert len(load_dataset(again, MAZE)) == 400


def test_worlds_that_do_not_look_alike_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"variant \{'layout': 'u_map'\} has other spaces"):
        variants = ({"layout": "four_rooms"}, {"layout": "u_map"})
        collect(CollectConfig(env=ROOMS, variants=variants), tmp_path / "a")
    with pytest.raises(ValueError, match="has other tasks"):
        collect(CollectConfig(variants=LAYOUTS, policy="expert"), tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_data_of_another_version_or_shape_are_refused(mixed: StoredDataset, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    shutil.copytree(mixed.path, bad)
    manifest = json.loads((bad / "dataset.json").read_text())
    newer = {**manifest["versions"], "zerogym": "7.3.1"}
    (bad / "dataset.json").write_text(json.dumps({**manifest, "versions": newer}))
    with pytest.raises(WrongDataset, match=rf"zerogym 7.3.1, this is {zerogym.__version__}"):
        load_dataset(bad, ROOMS)
    assert len(load_dataset(bad)) == 1_500  # to be looked at
    (bad / "dataset.json").write_text(json.dumps({**manifest, "env": MAZE}))
    with pytest.raises(WrongDataset, match=r"observations of shape \(40,\).*\(2,\)"):
        load_dataset(bad, MAZE)
    with pytest.raises(WrongDataset, match=r"actions of shape \(\) and kind i, .*\(6,\) and f"):
        (bad / "dataset.json").write_text(json.dumps({**manifest, "env": "x/Other-v0"}))
        load_dataset(bad, _Other())


class _Other(gym.Env[Any, Any]):
    """Observations of four rooms, actions of a walker."""

    def __init__(self) -> None:
        self.observation_space = gym.spaces.Box(0, 1, (40,), np.float32)
        self.action_space = gym.spaces.Box(-1, 1, (6,), np.float32)
        self.spec = gym.envs.registration.EnvSpec("x/Other-v0")
