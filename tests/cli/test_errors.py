"""Errors of the command line: one line that names the reason, and no traceback."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from typer.testing import CliRunner

from helpers.full_disk import files_up_to
from zerogym.agents.datasets.stored import MANIFEST
from zerogym.agents.explore.collection import collect
from zerogym.agents.explore.config import CollectConfig
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.training.train import train
from zerogym.cli import app

SMALL = ("--data-steps", "50", "--batch-size", "8", "--dim", "4", "--hidden", "8", "--updates", "1")


class Line(gym.Env[Any, Any]):
    """A walk of one's own, without zerogym's bases."""

    observation_space = gym.spaces.Box(-9, 9, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, length: int = 20) -> None:
        self.length = length

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.place = np.zeros(1, np.float32)
        self.turn = 0
        return self.place, {}

    def step(self, action: Any) -> Any:
        self.turn += 1
        self.place = np.clip(self.place + (2 * int(action) - 1), -9, 9).astype(np.float32)
        return self.place, 0.0, False, self.turn >= self.length, {}


@pytest.fixture
def line() -> Iterator[str]:
    gym.register("tests/Line-v0", Line)
    yield "tests/Line-v0"
    del gym.registry["tests/Line-v0"]


def fails(*arguments: object) -> str:
    """Run a command that must fail with one line; return that."""
    found = CliRunner().invoke(app, [str(each) for each in arguments], env={"COLUMNS": "200"})
    assert found.exit_code == 2, (found.output, found.exception)
    assert isinstance(found.exception, SystemExit)  # and not the error itself
    errors = [row for row in found.stderr.splitlines() if row.strip()]
    assert len(errors) == 1, errors
    return errors[0]


def test_no_space_is_one_line_with_the_path(tmp_path: Path) -> None:
    with files_up_to(3000):
        shown = fails("collect", "FourRooms", "--steps", 300, "--out", tmp_path / "data")
        assert "shard-00000.safetensors cannot be written" in shown and "too large" in shown
        shown = fails("train", "fb", *SMALL, "--out", tmp_path / "fb")
        assert "cannot be written" in shown and str(tmp_path / "fb") in shown


@pytest.mark.parametrize("verb", ["collect FourRooms --steps 20", "bench quick", "train fb"])
def test_a_folder_that_cannot_be_made_is_one_line(verb: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()  # root may write anywhere, but nothing is below a file
    shown = fails(*verb.split(), "--out", tmp_path / "file" / "run")
    assert str(tmp_path / "file") in shown and "Not a directory" in shown


def test_empty_folders_are_one_line(tmp_path: Path) -> None:
    assert "not a run" in fails("infer", tmp_path)
    assert "not a run" in fails("predict", tmp_path, tmp_path)
    assert "no dataset" in fails("data", "card", tmp_path)
    assert "no dataset" in fails("data", "subset", tmp_path, "--out", tmp_path / "other")
    assert "no dataset" in fails("collect", "--resume", tmp_path)
    assert "not a run directory" in fails("train", "fb", "--resume", tmp_path)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"env": "tests/Nowhere-v0"}, "tests/Nowhere-v0 cannot be made: Namespace tests not found"),
        ({"env_kwargs": {"layuot": "u_map"}}, "did you mean 'layout'"),
        ({"env_kwargs": {"slip": 7}}, "slip must be a probability"),
    ],
)
def test_data_of_an_unknown_environment(
    changed: dict[str, Any], words: str, tmp_path: Path
) -> None:
    collect(CollectConfig("zerogym/FourRooms-v0", steps=60), tmp_path)
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    manifest["config"] |= changed | {"steps": 120}
    (tmp_path / MANIFEST).write_text(json.dumps(manifest | changed | {"complete": False}))
    assert words in fails("data", "card", tmp_path)
    assert words in fails("collect", "--resume", tmp_path)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"config": []}, "config is not of the type dict"),
        ({"config": {"reset_options": [1]}}, "reset_options is not of the type dict"),
        ({"shards": ["shard-00000.safetensors"]}, "shards does not list objects"),
        ({"variants": "abc"}, "variants does not list objects"),
    ],
)
def test_a_damaged_record_of_data(changed: dict[str, Any], words: str, tmp_path: Path) -> None:
    collect(CollectConfig("zerogym/FourRooms-v0", steps=20), tmp_path)
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    (tmp_path / MANIFEST).write_text(json.dumps(manifest | changed))
    assert words in fails("data", "card", tmp_path)


def test_brackets_without_end_are_one_line(tmp_path: Path) -> None:
    """Python's parser calls itself for each of them."""
    deep = 100_000 * "["
    data, run = tmp_path / "data", tmp_path / "run"
    collect(CollectConfig("zerogym/FourRooms-v0", steps=20), data)
    (data / MANIFEST).write_text(deep)
    assert "no dataset" in fails("data", "card", data)
    run.mkdir()
    for name in ("config.json", "results.jsonl"):
        (run / name).write_text(f"{deep}\n")
    assert "maximum recursion depth" in fails("train", "fb", "--resume", run)
    assert "line 1 is torn" in fails("compare", run, run)
    assert "brackets without end" in fails("train", "fb", "--env-kwargs", deep)
    assert "nested too deeply" in fails("play", "ChainSum", "--arg", f"difficulty={deep}")


def test_a_record_that_has_no_end_is_not_read(tmp_path: Path) -> None:
    """A link to a device in a folder of a stranger would fill the memory."""
    for name in (MANIFEST, "config.json"):
        (tmp_path / name).symlink_to("/dev/zero")
    for verb in (("data", "card"), ("infer",), ("train", "fb", "--resume")):
        assert "it is no regular file" in fails(*verb, tmp_path)


def test_runs_of_unknown_environments_and_wrappers(tmp_path: Path, line: str) -> None:
    train(FBConfig(line, data_steps=40, batch_size=8, dim=4, hidden=8, updates=1), tmp_path)
    assert "tests/Line-v0 has no named tasks" in fails("infer", tmp_path)
    path = tmp_path / "config.json"
    found = json.loads(path.read_text())
    for name, value, words in (
        ("env", "tests/Lime-v0", "tests/Lime-v0 cannot be made"),
        ("env_kwargs", {"lenght": 3}, "unexpected keyword argument 'lenght'"),
        ("wrappers", {"NoisyObservatoin": {}}, "Did you mean 'NoisyObservation'"),
        ("wrappers", {"NoisyObservation": {"nose": 1}}, "does not fit tests/Line-v0"),
    ):
        path.write_text(json.dumps(found | {name: value}))
        assert words in fails("infer", tmp_path)
        assert words in fails("train", "fb", "--resume", tmp_path)


def test_a_model_needs_text(tmp_path: Path) -> None:
    short = ("--model", "tiny", "--steps", 1, "--eval-episodes", 0)
    shown = fails("train", "llm", "--env", "CartPole", "--out", tmp_path / "run", *short)
    assert "a language model needs text" in shown
    shown = fails("train", "llm", "--env", "nowhere/X-v0", "--out", tmp_path / "other", *short)
    assert "Namespace nowhere not found" in shown


def test_unknown_ids_and_arguments() -> None:
    assert "Namespace nowhere not found" in fails("collect", "nowhere/Chain-v0")
    shown = fails("play", "Countdown", "--arg", "difficult=3")
    assert "unexpected keyword argument 'difficult' (did you mean 'difficulty'? known:" in shown
    shown = fails("play", "Countdown", "--arg", "difficulty=1e308")
    assert "difficulty must be a number from 0 to 1e+09" in shown
