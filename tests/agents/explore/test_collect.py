"""Collecting data: what is stored, that nothing is lost on the way, and what is refused."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file
from typer.testing import CliRunner

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.datasets.checks import WrongDataset
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.datasets.shards import NotADataset, read_shard, write_shard
from zerogym.agents.datasets.stored import load_dataset
from zerogym.agents.explore.collection import collect
from zerogym.agents.explore.config import CollectConfig
from zerogym.agents.explore.run import Progress
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.training.train import train
from zerogym.cli import app
from zerogym.errors import NoOracle, UnknownName

MAZE, ROOMS = "zerogym/PointMaze-v0", "zerogym/FourRooms-v0"
SMALL: dict[str, Any] = {"steps": 500, "shard_steps": 200, "warmup": 60, "hidden": 16, "waves": 4}


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three shards (240, 240 and 20 rows) of an explorer of the maze."""
    folder = tmp_path_factory.mktemp("data") / "rnd"
    return collect(CollectConfig(policy="rnd", **SMALL), folder)


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_transitions_chain_and_shards_begin_with_episodes(explored: Path) -> None:
    data = load_dataset(explored)
    assert [len(shard["starts"]) for shard in data.shards] == [240, 240, 20]
    assert len(data) == 500 and all(shard["starts"][0] for shard in data.shards)
    assert [rows.start for rows in data.episodes()] == list(range(0, 500, 80))
    assert data.episodes()[-1].stop == 500
    here, there = data.column("observations"), data.column("next_observations")
    starts, ends = data.column("starts"), data.column("truncated")
    np.testing.assert_array_equal(here[1:][~starts[1:]], there[:-1][~starts[1:]])
    np.testing.assert_array_equal(starts[1:], ends[:-1])
    assert not data.column("terminated").any()
    assert data.column("actions").dtype == np.float32
    env = data.make()
    env.reset(options={"start": here[0]})
    np.testing.assert_array_equal(env.step(data.column("actions")[0])[0], there[0])


def test_the_files_are_maps_and_any_safetensors_library_reads_them(explored: Path) -> None:
    path = explored / "shard-00000.safetensors"
    ours, theirs = read_shard(path), load_file(path)
    assert sorted(ours) == sorted(theirs)
    for name, column in ours.items():
        assert isinstance(column, np.memmap)
        np.testing.assert_array_equal(column, theirs[name])
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0


def test_rows_of_several_shards(explored: Path) -> None:
    data, index = load_dataset(explored), np.array([499, 0, 239, 240, 479, 480, 0])
    found = data.rows(index)
    for name in data.columns:
        np.testing.assert_array_equal(found[name], data.column(name)[index])


@pytest.mark.proof
@pytest.mark.parametrize(
    "settings",
    [
        {"policy": "aps"},
        {"policy": "proto"},
        {"policy": "mixed", "mix": ("random", "disagreement", "expert")},
        {"policy": "max_info", "env": ROOMS},
        {"policy": "medium_replay", "env": ROOMS},
    ],
    ids=lambda settings: "-".join(str(value) for value in settings.values()),
)
def test_a_run_in_two_parts_leaves_the_same_bytes(tmp_path: Path, settings: dict[str, Any]) -> None:
    config = CollectConfig(**{**SMALL, **settings})
    whole = _bytes(collect(config, tmp_path / "whole"))
    assert not [name for name in whole if name.startswith(("checkpoint", "."))]
    for stop in (150, 450):
        parts, steps = tmp_path / str(stop), []

        def press(progress: Progress, stop: int = stop) -> None:
            if progress.steps == stop:
                raise KeyboardInterrupt

        def note(progress: Progress, steps: list[int] = steps) -> None:
            steps.append(progress.steps)

        with pytest.raises(KeyboardInterrupt):
            collect(config, parts, press)
        manifest = json.loads((parts / "dataset.json").read_text())
        kept = sum(shard["rows"] for shard in manifest["shards"])
        assert manifest["complete"] is False and (kept >= 200) == (stop > 240)
        assert _bytes(parts) != whole
        collect(config, parts, note)
        assert steps[0] == (kept // 50 + 1) * 50  # the finished shards were not made again
        assert _bytes(parts) == whole


def test_a_kill_before_the_manifest_costs_that_shard_only(tmp_path: Path, explored: Path) -> None:
    config = CollectConfig(policy="rnd", **SMALL)
    whole = _bytes(explored)

    def press(progress: Progress) -> None:
        if progress.steps == 450:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collect(config, tmp_path / "parts", press)
    shutil.copy(
        explored / "shard-00000.safetensors", tmp_path / "parts/shard-00001.safetensors"
    )  # as if the power had gone after a shard, before it counted
    assert len(load_dataset(tmp_path / "parts")) == 240
    collect(config, tmp_path / "parts")
    assert _bytes(tmp_path / "parts") == whole


def test_the_seed_decides(tmp_path: Path, explored: Path) -> None:
    other = load_dataset(
        collect(CollectConfig(policy="rnd", **{**SMALL, "seed": 1}), tmp_path / "1")
    )
    same = load_dataset(explored)
    assert not np.array_equal(other.column("observations"), same.column("observations"))
    before = _bytes(explored)
    assert _bytes(collect(CollectConfig(policy="rnd", **SMALL), explored)) == before


def test_an_expert_has_the_return_of_the_oracle(tmp_path: Path) -> None:
    config = CollectConfig(policy="expert", tasks=("goal_left", "goal_right"), steps=480)
    data = load_dataset(collect(config, tmp_path / "expert"))
    names, tasks = data.manifest["task_names"], data.column("tasks")
    env = data.make()
    for rows in data.episodes():
        name = names[tasks[rows.start]]
        assert name in config.tasks and len(set(tasks[rows])) == 1
        env.reset(options={"start": data.column("observations")[rows.start], "task": name})
        for action in data.column("actions")[rows]:
            np.testing.assert_array_equal(action, env.get_wrapper_attr("oracle_action")())
            env.step(action)


def test_grades_are_between_random_and_expert(tmp_path: Path) -> None:
    rewards = {}
    for grade in ("random", "medium_replay", "medium", "play", "expert"):
        config = CollectConfig(env=ROOMS, policy=grade, tasks=("goal_7_7",), steps=2_500)
        if grade == "random":
            config = CollectConfig(env=ROOMS, steps=2_500)
        data = load_dataset(collect(config, tmp_path / grade))
        task = data.make().unwrapped.tasks["goal_7_7"]  # type: ignore[attr-defined]
        batch = [data.column(name) for name in ("observations", "actions", "next_observations")]
        rewards[grade] = float(task.relabel(*batch).mean())
    assert list(rewards) == sorted(rewards, key=lambda grade: rewards[grade])
    assert (
        rewards["expert"] > 1.1 * rewards["play"]
        and rewards["medium_replay"] > 3 * rewards["random"]
    )


def test_players_of_a_mixture_take_turns(tmp_path: Path) -> None:
    config = CollectConfig(policy="mixed", mix=("random", "expert"), steps=400)
    data = load_dataset(collect(config, tmp_path / "mixed"))
    firsts = [rows.start for rows in data.episodes()]
    assert data.column("players")[firsts].tolist() == [0, 1, 0, 1, 0]
    assert (data.column("tasks")[firsts] >= 0).tolist() == [False, True, False, True, False]


@pytest.mark.parametrize(("policy", "steps"), [("diayn", 50), ("aps", 5)])
def test_skills_are_stored_and_kept_for_some_steps(tmp_path: Path, policy: Any, steps: int) -> None:
    config = CollectConfig(**{**SMALL, "policy": policy, "steps": 320, "update_every": 50})
    skills = load_dataset(collect(config, tmp_path / "data")).column("skills")
    drawn = []
    for first in range(0, 320, 80):  # an episode
        for start in range(first, first + 80, steps):
            held = skills[start : min(start + steps, first + 80)]
            assert (held == held[0]).all()
            drawn.append(held[0])
    assert len(np.unique(drawn, axis=0)) >= (len(drawn) if policy == "aps" else 5)


def test_held_random_actions(tmp_path: Path) -> None:
    data = load_dataset(collect(CollectConfig(hold=8, steps=160), tmp_path / "held"))
    actions = data.column("actions").reshape(-1, 8, 2)
    assert (actions == actions[:, :1]).all()
    assert len(np.unique(actions[:, 0], axis=0)) == 20


def test_data_of_another_world_are_refused(explored: Path, tmp_path: Path) -> None:
    assert len(load_dataset(explored, MAZE)) == 500
    env = load_dataset(explored).make(task="goal_left", horizon=10)
    assert len(load_dataset(explored, env)) == 500  # the physics is the same
    with pytest.raises(WrongDataset, match=rf"data of {MAZE}, not of {ROOMS}"):
        load_dataset(explored, ROOMS)
    with pytest.raises(WrongDataset, match=r"PointMaze-v0, not of zerogym/PointMaze-v1"):
        load_dataset(explored, "zerogym/PointMaze-v1")
    rooms = collect(CollectConfig(env=ROOMS, steps=60), tmp_path / "rooms")
    with pytest.raises(WrongDataset, match=r'FourRooms-v0, not of .*"layout": "u_map"'):
        load_dataset(rooms, ROOMS, {"layout": "u_map"})


def test_what_is_no_dataset_says_so(explored: Path, tmp_path: Path) -> None:
    with pytest.raises(NotADataset, match="no dataset of"):
        load_dataset(tmp_path / "missing")
    bad = tmp_path / "bad"
    shutil.copytree(explored, bad)
    shard = bad / "shard-00001.safetensors"
    whole = shard.read_bytes()
    for damaged in (whole[:-4], whole[:100], b"", b"{" * 500):
        shard.write_bytes(damaged)
        with pytest.raises(NotADataset, match="shard-00001"):
            load_dataset(bad)
    write_shard(
        shard, {name: np.array(c[:7]) for name, c in load_dataset(explored).shards[0].items()}
    )
    with pytest.raises(NotADataset, match="should have 240 rows"):
        load_dataset(bad)
    shard.unlink()
    with pytest.raises(NotADataset, match="shard-00001"):
        load_dataset(bad)
    manifest = json.loads((bad / "dataset.json").read_text())
    (bad / "dataset.json").write_text(json.dumps({**manifest, "format": 9}))
    with pytest.raises(WrongDataset, match="is of format 9, this zerogym reads 1"):
        load_dataset(bad)


def test_a_folder_with_other_data_is_left_alone(explored: Path) -> None:
    before = _bytes(explored)
    with pytest.raises(ValueError, match="other settings"):
        collect(CollectConfig(policy="random", **SMALL), explored)
    assert _bytes(explored) == before


def test_bad_settings(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"steps must be at least 1, got 0"):
        CollectConfig(steps=0)
    with pytest.raises(UnknownName, match=r"no policy 'rdn'.* mean 'rnd'"):
        CollectConfig(policy="rdn")
    with pytest.raises(ValueError, match="learns from its own episodes"):
        CollectConfig(policy="mixed", mix=("random", "diayn"))
    with pytest.raises(UnknownName, match="goal_left"):
        collect(CollectConfig(policy="expert", tasks=("goal_lef",)), tmp_path / "a")
    with pytest.raises(NoOracle, match="needs named tasks"):
        collect(CollectConfig(env="CartPole-v1", policy="expert"), tmp_path / "b")
    with pytest.raises(ValueError, match="must be a Box"):
        collect(CollectConfig(env=ROOMS, env_kwargs={"view": "text"}), tmp_path / "c")
    assert not list(tmp_path.iterdir())


def test_forward_backward_agents_learn_from_the_folder(explored: Path, tmp_path: Path) -> None:
    config = FBConfig(
        env=MAZE, data=str(explored), exact=False, updates=3, batch_size=16, dim=4, hidden=8
    )
    train(config, tmp_path / "fb")
    used, stored = Dataset.load(tmp_path / "fb/data.npz"), load_dataset(explored)
    np.testing.assert_array_equal(used.next_observations, stored.column("next_observations"))
    with pytest.raises(WrongDataset, match="UMap"):
        train(FBConfig(data=str(explored), updates=1), tmp_path / "other")


def test_worlds_that_end_are_stored_with_their_ends(tmp_path: Path) -> None:
    config = CollectConfig(
        env=ROOMS, env_kwargs={"task": "goal_1_2", "ends_at_goal": True}, steps=1_500
    )
    data = load_dataset(collect(config, tmp_path / "ends"))
    ended = data.column("terminated")
    assert ended.any() and data.column("starts")[1:][ended[:-1]].all()
    np.testing.assert_array_equal(data.transitions().terminated, ended)


def test_the_command_collects_and_says_what_it_has(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    typed = ["collect", "FourRooms", "--policy", "random", "--steps", "200", "--out", str(folder)]
    result = CliRunner().invoke(app, typed)
    assert result.exit_code == 0, result.output
    assert "200 transitions, 4 episodes" in result.output and " of 40, " in result.output
    card = json.loads((folder / "card.json").read_text())
    assert card["transitions"] == len(load_dataset(folder, ROOMS)) == 200
    again = CliRunner().invoke(app, ["collect", "--resume", str(folder)])
    assert again.exit_code == 0 and "200 transitions" in again.output
    other = CliRunner().invoke(app, ["collect", "--policy", "aps", "--out", str(folder)])
    assert other.exit_code == 2 and "other settings" in other.output
    assert CliRunner().invoke(app, ["collect", "--resume", str(tmp_path)]).exit_code == 2
    assert "--policy" in CliRunner().invoke(app, ["collect", "--help"]).output
