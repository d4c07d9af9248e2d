"""Weights & Biases gets every metric of a run, in one run also after a stop."""

import json
import struct
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from helpers.llm.small_runs import lines_of
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.errors import MissingExtra

pytest.importorskip("torch")
pytest.importorskip("transformers")
wandb = pytest.importorskip("wandb")
from wandb.proto.wandb_internal_pb2 import Record  # noqa: E402

from zerogym.agents.llm.training.grpo import train  # noqa: E402

BLOCK = 32768


@pytest.fixture
def config(tracked: GRPOConfig, monkeypatch: pytest.MonkeyPatch) -> GRPOConfig:
    monkeypatch.setenv("WANDB_MODE", "offline")
    wandb.teardown()  # what it has read of the variables before
    return replace(tracked, track=("wandb",))


def records(path: Path) -> Iterator[Any]:
    """Those of a file, which is a log of LevelDB: blocks of parts, each after seven bytes."""
    data, place, whole = path.read_bytes(), 7, b""
    while place + 7 <= len(data):
        if BLOCK - place % BLOCK < 7:
            place += BLOCK - place % BLOCK
            continue
        length, kind = struct.unpack("<HB", data[place + 4 : place + 7])
        whole += data[place + 7 : place + 7 + length]
        place += 7 + length
        if kind in (1, 4):  # all of a record, or its last part
            yield Record.FromString(whole)
            whole = b""


def parts(config: GRPOConfig) -> list[list[Any]]:
    """The records of each time that the run was begun or gone on with, in order.

    The end of a run goes to wandb's other process, for which its teardown alone waits: a
    file that is read before may be empty.
    """
    wandb.teardown()
    found = sorted(Path(config.out).glob("wandb/offline-run-*/*.wandb"))
    return [list(records(path)) for path in found]


def lines(kept: list[Any]) -> dict[int, dict[str, float]]:
    """The metrics of each step."""
    reported = {}
    for record in kept:
        if record.WhichOneof("record_type") == "history":
            items = {i.key or i.nested_key[0]: i.value_json for i in record.history.item}
            own = {name: json.loads(text) for name, text in items.items() if name[0] != "_"}
            reported[int(items["_step"])] = own
    return reported


def logged(config: GRPOConfig) -> dict[int, dict[str, float]]:
    """Those of `metrics.jsonl`."""
    reported: dict[int, dict[str, float]] = {}
    for line in lines_of(config):
        reported.setdefault(line.pop("step"), {}).update(line)
    return reported


def runs(kept: list[Any]) -> list[Any]:
    return [record.run for record in kept if record.WhichOneof("record_type") == "run"]


def test_every_metric_and_setting_of_a_run(config: GRPOConfig) -> None:
    train(config)
    (kept,) = parts(config)
    assert lines(kept) == logged(config)
    assert list(lines(kept)) == [0, 1, 2]
    (run,) = runs(kept)
    assert (run.project, run.display_name) == ("zerogym", "run")
    given = {item.key: json.loads(item.value_json) for item in run.config.update}
    given.pop("_wandb")
    assert given == json.loads(json.dumps(asdict(config)))


def test_a_resumed_run_is_the_same_run(config: GRPOConfig) -> None:
    def stop(metrics: Any) -> None:
        if metrics["step"] == 3:
            raise KeyboardInterrupt

    more = replace(config, steps=4)
    assert train(more, stop).status == "interrupted"
    train(more, resume=True)
    first, second = parts(config)
    assert runs(first)[0].run_id == runs(second)[0].run_id
    assert list(lines(first)) == [0, 1, 2, 3] and list(lines(second)) == [4]
    assert lines(first) | lines(second) == logged(config)


def test_a_run_that_begins_anew_is_another_run(config: GRPOConfig) -> None:
    def fail(metrics: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train(config, fail)
    train(config)
    first, second = parts(config)
    assert runs(first)[0].run_id != runs(second)[0].run_id


@pytest.mark.proof
def test_a_server_that_cannot_be_reached_does_not_end_the_run(
    config: GRPOConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    wandb.teardown()
    monkeypatch.setenv("WANDB_MODE", "online")
    monkeypatch.setenv("WANDB_API_KEY", "0" * 40)
    monkeypatch.setenv("WANDB_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("WANDB_INIT_TIMEOUT", "2")
    with pytest.warns(UserWarning, match="wandb fails"):
        assert train(config).status == "done"
    assert [line["step"] for line in lines_of(config)] == [0, 1, 2, 2]


def test_a_missing_package_is_named(config: GRPOConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(MissingExtra, match=r"needs wandb: pip install 'zerogym\[wandb\]'"):
        train(config)
    assert not Path(config.out).exists()
