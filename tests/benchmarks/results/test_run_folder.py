"""Folders that hold no readable run are named in one line."""

import json
from pathlib import Path

import pytest

from helpers.bench_run import records, write_run
from zerogym.benchmarks.results.run_folder import NotARun, read_run


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path / "run"))
    assert list(run.tasks) == ["Sums <b>", "Hands"]
    assert run.cells["Hands", "model"]["kind"] == "cell"
    assert run.cells["Sums <b>", "gone"]["kind"] == "error"
    assert run.session["commit"] == "c0ffee" and run.ends == ("random", "oracle")


def test_what_is_no_run_is_named(tmp_path: Path) -> None:
    (tmp_path / "trained/model").mkdir(parents=True)
    for name in ("config.json", "log.jsonl"):
        (tmp_path / "trained" / name).write_text("{}\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    games = [{"kind": "session", "suite": "games"}, {"kind": "end", "seconds": 1}]
    foreign = [{"text": "some other file of JSON lines"}]
    odd = [{"kind": "session"}, {"kind": "cell", "world": "a"}]
    for name, rows in {"games": games, "foreign": foreign, "odd": odd}.items():
        write_run(tmp_path / name, rows)
    for name, words in {
        "nowhere": "there is no such folder",
        "file": "there is no such folder",
        "empty": "holds nothing, no results.jsonl",
        "trained": "holds config.json, log.jsonl, model, no results.jsonl",
        "games": "its suite is 'games'",
        "foreign": "no line says which suite",
        "odd": "a cell has no 'contender'",
    }.items():
        with pytest.raises(NotARun, match=words) as error:
            read_run(tmp_path / name)
        assert str(tmp_path / name) in str(error.value) and "\n" not in str(error.value)


def test_a_torn_line_is_named(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run") / "results.jsonl"
    whole = path.read_bytes()
    for torn in (whole[:-20], whole.replace(b'"seed"', b'"se', 1), whole + b"[1, 2]\n"):
        path.write_bytes(torn)
        with pytest.raises(NotARun, match=r"results\.jsonl: line \d+ is torn"):
            read_run(tmp_path / "run")
    path.write_text("\n".join(map(json.dumps, records())))
    assert read_run(tmp_path / "run").cells, "only the end of the last line is missing"
