"""Trackio gets every metric of a run, in one run also after a stop."""

import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from helpers.llm.small_runs import lines_of
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.errors import MissingExtra

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("trackio")

from zerogym.agents.llm.training.grpo import train

# trackio reads where its folder is when it is imported: a process of its own.
RUNS = """
import json, sys
from contextlib import suppress
sys.path.insert(0, sys.argv[1])
from helpers.llm.small_runs import digits_registered
from zerogym.agents.llm.training.grpo import train
from zerogym.agents.llm.grpo_config import GRPOConfig

def until(last, error):
    def stop(metrics):
        if metrics["step"] == last:
            raise error
    return stop

with digits_registered() as env_id:
    for settings, last, resume in json.loads(sys.argv[2]):
        with suppress(ZeroDivisionError):  # before anything was saved
            error = KeyboardInterrupt if last else ZeroDivisionError
            train(GRPOConfig(**settings), until(last, error), resume=resume)
"""


@pytest.fixture
def config(tracked: GRPOConfig) -> GRPOConfig:
    return replace(tracked, track=("trackio",))


@pytest.fixture
def run(run_python: Callable[..., str], tmp_path: Path) -> Callable[..., str]:
    """Runs, each until after a step, anew or resumed; returns what they printed."""

    def run(*runs: tuple[GRPOConfig, int, bool]) -> str:
        arguments = [(asdict(config), last, resume) for config, last, resume in runs]
        here = str(Path(__file__).parents[4])
        return run_python(RUNS, here, json.dumps(arguments), TRACKIO_DIR=str(tmp_path / "kept"))

    return run


def kept(tmp_path: Path, table: str, value: str) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of each run in the database of the project."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    with closing(sqlite3.connect(tmp_path / "kept" / "zerogym.db")) as database:
        rows = database.execute(f"SELECT run_name, {value} FROM {table} ORDER BY id")
        for name, *values in rows:
            found.setdefault(name, []).append(tuple(values))
    return found


def reported(tmp_path: Path) -> dict[str, list[dict[str, float]]]:
    """The lines of each run."""
    return {
        name: [{"step": step, **json.loads(metrics)} for step, metrics in rows]
        for name, rows in kept(tmp_path, "metrics", "step, metrics").items()
    }


@pytest.mark.proof
def test_every_metric_and_setting_of_a_run(
    config: GRPOConfig, run: Callable[..., str], tmp_path: Path
) -> None:
    assert run((config, -1, False)) == ""
    ((name, lines),) = reported(tmp_path).items()
    assert name.startswith("run-") and lines == lines_of(config)
    ((text,),) = kept(tmp_path, "configs", "config")[name]
    given = {key: value for key, value in json.loads(text).items() if key[0] != "_"}
    assert given == json.loads(json.dumps(asdict(config)))


@pytest.mark.proof
def test_a_resumed_run_is_the_same_run_and_a_new_one_another(
    config: GRPOConfig, run: Callable[..., str], tmp_path: Path
) -> None:
    more = replace(config, steps=4)
    run((more, 0, False), (more, 3, False), (more, -1, True))
    lost, whole = reported(tmp_path).values()
    assert [line["step"] for line in lost] == [0] and whole == lines_of(config)
    assert [line["step"] for line in whole] == [0, 1, 2, 3, 4, 4]


def test_a_missing_package_is_named(config: GRPOConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trackio", None)
    with pytest.raises(MissingExtra, match=r"needs trackio: pip install 'zerogym\[trackio\]'"):
        train(config)
    assert not Path(config.out).exists()
