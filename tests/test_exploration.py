"""The committed figure of coverage: it is what its numbers say, and they say what is claimed."""

import json
from pathlib import Path

import numpy as np
import pytest

from zerogym.agents.explore.config import CollectConfig
from zerogym.benchmarks.coverage_picture import coverage_picture
from zerogym.benchmarks.exploration import CONTENDERS, EVERY, curve


@pytest.fixture
def record(root: Path) -> dict:
    return json.loads((root / "docs/exploration.json").read_text("utf-8"))


def test_the_picture_is_made_from_the_numbers(record: dict, root: Path) -> None:
    assert coverage_picture(record) == (root / "docs/exploration.svg").read_text("utf-8")
    assert list(record["curves"]) == list(CONTENDERS)


def test_explorers_see_more_than_random_actions_with_every_seed(record: dict) -> None:
    last = {name: [rows[-1] for rows in curves] for name, curves in record["curves"].items()}
    for name in ("rnd", "disagreement", "max_info", "aps", "diayn"):
        assert min(last[name]) > max(last["random"])
    for name in ("icm", "proto"):  # what the text admits
        assert min(last[name]) < max(last["random"])
    assert min(last["random, held 8 steps"]) > max(max(last[name]) for name in ("rnd", "aps"))


def test_a_curve_again(record: dict, tmp_path: Path) -> None:
    config = CollectConfig(reset_options={"start": record["start"]}, steps=4 * EVERY, seed=1)
    assert curve(config, tmp_path / "random") == record["curves"]["random"][1][:4]
    assert np.all(np.diff(record["curves"]["rnd"][0]) >= 0)
