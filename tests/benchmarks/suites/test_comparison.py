"""Runs side by side: differences by hand, and what may not be compared."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from helpers.bench_run import SUITE, WORLDS, cell, records, write_run
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.suites.comparable import RunsDiffer, described
from zerogym.benchmarks.suites.comparison import Comparison, NothingInCommon, Row, compare
from zerogym.cli import app
from zerogym.errors import UnknownName

SUMS, HANDS = WORLDS


def better() -> list[Record]:
    """The run after the model has learned: all sums right, hands as before."""
    return [*records(), cell(SUMS, "model", 1, 1, 1, 1), {"kind": "end", "seconds": 1}]


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    return [write_run(tmp_path / "a"), write_run(tmp_path / "b", better())]


def row(comparison: Comparison, task: str) -> Row:
    (found,) = (row for row in comparison.rows if row.task == task)
    return found


def test_differences_by_hand(runs: list[Path]) -> None:
    found = compare(runs, ["model"])
    assert [r.task for r in found.rows] == ["Sums <b>", "Hands", "Total"]
    sums, hands, total = found.rows
    before, after = sums.values
    assert before is not None and before.value == pytest.approx(1 / 3)
    assert after is not None and after.value == 1
    (difference,) = sums.differences
    assert difference is not None and difference.paired
    assert difference.estimate.value == pytest.approx(2 / 3)
    assert difference.estimate.low < 2 / 3 < difference.estimate.high
    (exact,) = hands.differences
    assert exact is not None and exact.estimate.value == 0 and not exact.paired
    (whole,) = total.differences
    assert whole is not None and whole.estimate.value == pytest.approx(1 / 3)
    assert sums.episodes == (4, 4) and sums.unit == "score"


def test_all_common_agents_but_the_ends_are_compared(runs: list[Path]) -> None:
    found = compare([*runs, runs[0]])
    assert {r.agents for r in found.rows} == {("model",) * 3}, "of 'gone' there is no value"
    back = row(found, "Sums <b>").differences
    assert [d and round(d.estimate.value, 3) for d in back] == [0.667, 0]


def test_agents_of_one_run(runs: list[Path]) -> None:
    found = compare([runs[0]] * 2, ["random", "model"], only=["sums B"])
    (difference,) = found.rows[0].differences
    assert difference is not None and difference.paired
    assert difference.estimate.value == pytest.approx(1 / 3)


def test_other_seeds_are_unpaired_and_a_note_says_so(tmp_path: Path, runs: list[Path]) -> None:
    moved = better()
    for record in moved:
        for episode in record.get("episodes", ()):
            episode["seed"] += 100 if episode["seed"] >= 0 else 0
    moved[0] |= {"seed": 1}
    found = compare([runs[0], write_run(tmp_path / "c", moved)], ["model"])
    (difference,) = row(found, "Sums <b>").differences
    assert difference is not None and not difference.paired
    assert found.notes == ("The seeds differ: none, 1, so nothing is paired.",)


def test_without_an_oracle_returns_are_compared(tmp_path: Path, runs: list[Path]) -> None:
    bare = [r for r in better() if r.get("contender") != "oracle"]
    found = row(compare([runs[0], write_run(tmp_path / "c", bare)], ["model"]), "Sums <b>")
    assert found.unit == "return"
    (difference,) = found.differences
    assert difference is not None and difference.estimate.value == 0.5


def test_a_failed_cell_has_no_difference(tmp_path: Path, runs: list[Path]) -> None:
    failed = [*records(), {**records()[3], "contender": "model"}]
    found = row(compare([runs[0], write_run(tmp_path / "c", failed)], ["model"]), "Sums <b>")
    assert found.values[0] is not None and found.values[1] is None
    assert found.differences == (None,)


def newer(rows: list[Record]) -> None:
    rows[0]["zerogym"] = "10"


def harder(rows: list[Record]) -> None:
    rows[0]["tasks"]["Sums <b>"]["arguments"] = {"difficulty": 2}


def renamed(rows: list[Record]) -> None:
    rows[0]["tasks"]["Hands"]["env_id"] = "zerogym/KuhnPoker-v1"


def shorter(rows: list[Record]) -> None:
    del rows[0]["tasks"]["Hands"]
    rows[:] = [r for r in rows if r.get("world") != "Hands"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (newer, "zerogym 9 and 10"),
        (harder, "Sums <b>: arguments {} and {'difficulty': 2}"),
        (renamed, "Hands: env_id zerogym/KuhnPoker-v0 and zerogym/KuhnPoker-v1"),
        (shorter, "Hands only in"),
    ],
)
def test_other_tasks_and_versions_are_refused_by_name(
    tmp_path: Path, change: Callable[[list[Record]], None], words: str
) -> None:
    rows: list[Any] = [{**records()[0], **described(SUITE)}, *records()[1:]]
    first = write_run(tmp_path / "a", rows)
    rows = json.loads(json.dumps(rows, default=str))
    change(rows)
    second = write_run(tmp_path / "b", rows)
    with pytest.raises(RunsDiffer) as error:
        compare([first, second])
    assert words in str(error.value) and "\n" not in str(error.value)
    if change is shorter:
        assert compare([first, second], only=["Sums <b>"]).rows
    assert compare([first, first]).rows, "its own settings after JSON are the same"


def test_older_runs_are_distinguished_by_the_keys_of_their_cells(
    tmp_path: Path, runs: list[Path]
) -> None:
    other = [r | {"key": "other"} if r.get("contender") == "oracle" else r for r in records()]
    with pytest.raises(RunsDiffer, match="Sums <b>: other settings or episodes; Hands: other"):
        compare([runs[0], write_run(tmp_path / "c", other)])


def test_wrong_names_and_numbers(tmp_path: Path, runs: list[Path]) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'model'"):
        compare(runs, ["modl"])
    with pytest.raises(UnknownName, match="task of these runs 'Hans'"):
        compare(runs, only=["Hans"])
    with pytest.raises(ValueError, match="2 runs need one agent or 2, not 3"):
        compare(runs, ["model"] * 3)
    with pytest.raises(ValueError, match="at least two"):
        compare(runs[:1])
    renamed = [r | {"contender": "mine"} if r.get("contender") in ("model", "gone") else r
               for r in records()]  # fmt: skip
    with pytest.raises(NothingInCommon, match=r"a has model, gone; .*c has mine; name the agent"):
        compare([runs[0], write_run(tmp_path / "c", renamed)])


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["compare", *map(str, arguments)])


def test_the_command_prints_a_table_json_and_a_page(tmp_path: Path, runs: list[Path]) -> None:
    shown = run(*runs, "--agent", "model", "--out", tmp_path / "page")
    assert shown.exit_code == 0, shown.output
    for part in ("Sums <b>", "0.33", "1.00", "+0.67", "paired", "exact", "Total", "compare.html"):
        assert part in shown.output
    page = (tmp_path / "page/compare.html").read_text()
    assert "+0.67" in page and "Sums &lt;b&gt;" in page and "<script" not in page
    assert f"zerogym compare {runs[0]} {runs[1]} --agent model</pre>" in page
    rows = json.loads(run(*runs, "--json").output)["rows"]
    assert rows[0]["differences"][0]["estimate"]["value"] == pytest.approx(2 / 3)
    assert rows[1]["differences"][0]["estimate"]["low"] is None, "JSON has no NaN"


def test_the_command_refuses_in_one_line(tmp_path: Path, runs: list[Path]) -> None:
    for arguments, words in (
        ((runs[0], tmp_path / "nowhere"), "there is no such folder"),
        ((runs[0], tmp_path), "no results.jsonl"),
        ((runs[0],), "at least two runs"),
        ((*runs, "--agent", "modl"), "Did you mean 'model'"),
    ):
        failed = run(*arguments)
        assert failed.exit_code == 2 and words in failed.output
        assert len(failed.output.strip().splitlines()) == 1, failed.output
