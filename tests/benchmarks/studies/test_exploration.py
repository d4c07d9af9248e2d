"""Curves of coverage: counted again by hand, in order, and kept when a run is stopped."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.svg import texts
from zerogym.agents.datasets.stored import load_dataset
from zerogym.agents.explore.collection import collect
from zerogym.benchmarks.report.charts import coverage_picture
from zerogym.benchmarks.studies import exploration
from zerogym.benchmarks.studies.exploration import (
    AGENTS,
    EVERY,
    WORLDS,
    curve,
    measure,
    settings,
)

# What the text says of each world: who see more than random actions, with every seed.
BETTER = {
    "Point maze": {"rnd", "icm", "disagreement", "diayn", "aps"},
    "Walker": {"rnd", "icm", "disagreement", "max_info", "aps", "proto"},
}


@pytest.fixture
def record(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / "docs/exploration.json").read_text("utf-8"))
    return found


def test_the_committed_picture_is_made_from_the_numbers(record: dict[str, Any], root: Path) -> None:
    # Versions of matplotlib differ in digits of the layout; what is written is the same.
    committed = (root / "docs/exploration.svg").read_text("utf-8")
    assert texts(coverage_picture(record)) == texts(committed)
    assert record["worlds"] == json.loads(json.dumps(WORLDS))
    assert len(record["provenance"]["commit"]) >= 12
    for world in WORLDS:
        assert list(record["curves"][world]) == list(AGENTS)
        assert {len(rows) for rows in record["curves"][world].values()} == {3}


@pytest.mark.parametrize("world", list(WORLDS))
def test_who_beats_random_is_what_the_text_says(record: dict[str, Any], world: str) -> None:
    last = {
        name: [row["cells"][-1] for row in rows] for name, rows in record["curves"][world].items()
    }
    most, held = max(last.pop("random")), max(last.pop("random, held 8 steps"))
    assert {name for name, cells in last.items() if min(cells) > most} == BETTER[world]
    far = {name for name, cells in last.items() if min(cells) > held}
    assert far == ({"rnd", "icm", "disagreement", "max_info"} if world == "Walker" else set())
    assert f"{np.mean(last['rnd']):.0f}" in (exploration.__doc__ or "")


def test_a_committed_curve_again(record: dict[str, Any], tmp_path: Path) -> None:
    again = curve(settings("Point maze", "random", 4 * EVERY, 1), tmp_path / "random")
    assert again["cells"] == record["curves"]["Point maze"]["random"][1]["cells"][:4]


def test_a_curve_counts_the_cells_entered_so_far(tmp_path: Path) -> None:
    config = settings("Point maze", "random", 3 * EVERY, 1)
    data = load_dataset(collect(config, tmp_path / "same"))
    places = np.floor(data.column("next_observations") / (6.5 / 20))
    by_hand = [len({tuple(p) for p in places[: EVERY * part]}) for part in (1, 2, 3)]
    assert curve(config, tmp_path / "random")["cells"] == by_hand
    assert (data.column("observations")[data.column("starts")] == 0.25).all()


def test_a_measurement_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, done = tmp_path / "x.partial.json", []

    def fake(config: Any, folder: Path) -> dict[str, Any]:
        done.append((config.env, config.policy, config.hold, config.seed))
        if len(done) == 5:
            raise KeyboardInterrupt
        return {"cells": [len(done)], "entropy": 0.5}

    monkeypatch.setattr(exploration, "curve", fake)
    with pytest.raises(KeyboardInterrupt):
        measure(EVERY, 2, kept)
    record = measure(EVERY, 2, kept)
    assert len(done) == 18 * 2 + 1 and len(set(done)) == 18 * 2 and done[4] == done[5]
    assert json.loads(kept.read_text()) == record
    assert [row["cells"] for row in record["curves"]["Point maze"]["random"]] == [[1], [20]]
    assert measure(EVERY, 2, kept) == record and len(done) == 18 * 2 + 1
    with pytest.raises(ValueError, match="of another run"):
        measure(2 * EVERY, 2, kept)
    picture = coverage_picture(record)
    assert "Walker: cells" in picture and "mean and range of 2 seeds" in picture
