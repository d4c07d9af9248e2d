"""Normalised scores: by hand, by the best inside the data, and what is said when one is missing."""

import json
import math
import shlex
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from typer.testing import CliRunner

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.datasets.stored import load_dataset
from zerogym.agents.explore.collection import collect
from zerogym.agents.explore.config import CollectConfig
from zerogym.benchmarks.baselines.exact import exact_returns
from zerogym.benchmarks.baselines.measure import about, control_worlds
from zerogym.benchmarks.baselines.scores import (
    MissingReference,
    Scale,
    normalised_score,
    scale,
    scale_inside,
)
from zerogym.benchmarks.baselines.scripts import needs_no_learner
from zerogym.benchmarks.baselines.store import NoRecords, Records, file_of, sampled_row, save
from zerogym.cli import app
from zerogym.errors import UnknownName

ENTRIES = {entry.name: entry for entry in control_worlds()}


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["baselines", *arguments], env={"COLUMNS": "150"})


def records_by_hand(folder: Path) -> None:
    entry = ENTRIES["Cheetah"]
    world: Any = gym.make(entry.id).unwrapped
    records = Records("Cheetah", about(world, entry), [{"command": "c"}])
    records.add(sampled_row("run", "random", 0, (0,), [[4.0, 6.0]]))
    records.add(sampled_row("run", "sac", 100, (0,), [[20.0, 30.0]]))
    records.add(sampled_row("run", "sac", 900, (0,), [[100.0, 110.0]]))
    records.add(sampled_row("walk", "random", 0, (0,), [[1.0, 1.0]]))
    save(records, folder)


def test_a_score_by_hand(tmp_path: Path) -> None:
    records_by_hand(tmp_path)
    folders = (tmp_path,)
    assert scale("Cheetah", "run", folders) == Scale(
        "Cheetah", "run", 5.0, 105.0, "sac after 900 steps"
    )
    for value, score in ((5.0, 0.0), (105.0, 1.0), (55.0, 0.5), (-5.0, -0.1), (205.0, 2.0)):
        assert normalised_score(value, "zerogym/Cheetah-v0", "run", folders) == pytest.approx(score)
    assert math.isnan(Scale("w", "t", 1.0, 1.0, "exact").score(3.0))
    with pytest.raises(
        MissingReference, match="zerogym baselines Cheetah --task walk --agent planner"
    ):
        normalised_score(1.0, "Cheetah", "walk", folders)
    with pytest.raises(MissingReference, match=r"random return.*baselines Cheetah --task flip$"):
        normalised_score(1.0, "Cheetah", "flip", folders)
    with pytest.raises(UnknownName, match="'run'"):
        normalised_score(1.0, "Cheetah", "rum", folders)
    with pytest.raises(UnknownName, match="'Cheetah'"):
        normalised_score(1.0, "Chetah", "run", folders)


@pytest.mark.parametrize(
    ("world", "task", "learns"),
    [
        ("SlipperyGrid", "goal_1_1", False),
        ("PointMaze", "goal_left", False),
        ("Reacher", "reach_top_left", False),
        ("Reacher", "spin", True),
        ("Ant", "jump", True),
        ("KeyCorridor", "hold_grey_key", False),  # 0 is the best where a level has none
    ],
)
def test_a_learner_is_named_where_no_script_knows_the_task(
    world: str, task: str, learns: bool
) -> None:
    assert needs_no_learner(ENTRIES[world], task) is not learns


def test_the_command_that_an_error_names_makes_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folders = (Path("results/control"),)
    with pytest.raises(MissingReference) as caught:
        normalised_score(3.0, "RiverSwim", "far_end", folders)
    words = shlex.split(str(caught.value).partition("measure it: ")[2])
    assert words[:2] == ["zerogym", "baselines"]
    done = run(*words[2:])
    assert done.exit_code == 0, done.output
    assert 0.8 < normalised_score(3.0, "RiverSwim", "far_end", folders) < 1


def test_records_of_another_world_are_refused(tmp_path: Path) -> None:
    records_by_hand(tmp_path)
    path = file_of("Cheetah", tmp_path)
    found = json.loads(path.read_text())
    path.write_text(json.dumps({**found, "horizon": 10}))
    with pytest.raises(NoRecords, match=r"'horizon': 10.*measure it again"):
        normalised_score(1.0, "Cheetah", "run", (tmp_path,))
    path.write_text(json.dumps({**found, "rows": [{**found["rows"][0], "mean": float("nan")}]}))
    with pytest.raises(NoRecords, match="nan"):
        normalised_score(1.0, "Cheetah", "run", (tmp_path,))
    path.write_text("{")
    with pytest.raises(NoRecords, match="holds no baselines"):
        normalised_score(1.0, "Cheetah", "run", (tmp_path,))


def test_the_best_inside_the_data(tmp_path: Path) -> None:
    """Returns are added up here row by row, and grouped by the task of the oracle."""
    config = CollectConfig(
        env="zerogym/UMap-v0", policy="medium", tasks=("goal_1_1", "goal_7_8"), steps=1020
    )
    data = load_dataset(collect(config, tmp_path / "data"))
    world: Any = gym.make("zerogym/UMap-v0", task=None).unwrapped
    task = world.tasks["goal_1_1"]
    returns: dict[int, list[float]] = {}
    for rows in data.episodes():
        if rows.stop - rows.start < world.horizon:
            continue  # the data end within it
        given = int(data.column("tasks")[rows.start])
        total = 0.0
        for row in range(rows.start, rows.stop):
            total += float(
                world.state_of(data.column("next_observations")[row]) == world.state_of(task.goal)
            )
        returns.setdefault(given, []).append(total)
    assert len(returns) == 2
    best = max(max(group) for group in returns.values())
    mean = max(float(np.mean(group)) for group in returns.values())
    found = scale_inside(data, "goal_1_1", random=1.0)
    assert (found.random, found.best) == (1.0, pytest.approx(best))
    assert found.score(best) == pytest.approx(1) and best > 5
    policy = scale_inside(data, "goal_1_1", "policy", random=1.0)
    assert policy.best == pytest.approx(mean) and mean < best
    with pytest.raises(MissingReference, match="baselines UMap --task goal_1_1 --agent random"):
        scale_inside(data, "goal_1_1", folders=(tmp_path / "none",))
    run("UMap", "--task", "goal_1_1", "--agent", "random", "--out", str(tmp_path / "refs"))
    stored = scale_inside(data, "goal_1_1", folders=(tmp_path / "refs",))
    expected = exact_returns(world, task)[0]
    assert stored.random == pytest.approx(expected, abs=1e-6)


def test_data_of_other_starts_need_their_own_floor(tmp_path: Path) -> None:
    config = CollectConfig(
        env="zerogym/UMap-v0", reset_options={"start": [1, 1]}, steps=60, policy="random"
    )
    data = load_dataset(collect(config, tmp_path / "data"))
    with pytest.raises(MissingReference, match=r"start.*give `random`"):
        scale_inside(data, "goal_1_1")
    assert scale_inside(data, "goal_1_1", random=0.0).random == 0.0
