"""The public function that runs a suite leaves a whole folder behind, which `compare` reads."""

from pathlib import Path

import pytest

from zerogym.benchmarks import compare, run_suite
from zerogym.benchmarks.results.schema import Agent, Suite, World
from zerogym.benchmarks.suites import agents as build
from zerogym.errors import UnknownName

NAMES = ("random", "same", "oracle")
SUITE = Suite(
    "small",
    (
        World("Sums", "zerogym/RandomCalculation-v0", "", NAMES, 6, {"difficulty": (0.0, 0.5)}),
        World("Numbers", "zerogym/Countdown-v0", "", NAMES, 4),
    ),
    tuple(
        Agent(name, name, "", build.oracle if name == "oracle" else build.random, view="text")
        for name in NAMES
    ),
)


def test_a_folder_has_results_report_table_and_picture(tmp_path: Path) -> None:
    table = run_suite(SUITE, tmp_path / "a", only=["sums"], processes=False)
    assert [world.name for world in table.suite.worlds] == ["Sums"]
    assert table.cells["Sums", "oracle"].raw == 1
    names = {path.name for path in (tmp_path / "a").iterdir()}
    assert names >= {"results.jsonl", "report.html", "results.csv", "table.svg"}
    run_suite(SUITE, tmp_path / "b", only=["sums"], processes=False)
    (row,) = compare([tmp_path / "a", tmp_path / "b"]).rows
    (difference,) = row.differences
    assert row.agents == ("same", "same") and difference is not None
    assert difference.paired and difference.estimate.value == 0


def test_the_settings_of_the_tasks_are_recorded(tmp_path: Path) -> None:
    run_suite(SUITE, tmp_path / "a", only=["sums"], processes=False)
    harder = Suite("small", (World("Sums", "zerogym/RandomCalculation-v0", "", NAMES, 6),
                             SUITE.worlds[1]), SUITE.agents)  # fmt: skip
    run_suite(harder, tmp_path / "b", only=["sums"], processes=False)
    with pytest.raises(ValueError, match=r"Sums: arguments {'difficulty': \[0\.0, 0\.5\]} and {}"):
        compare([tmp_path / "a", tmp_path / "b"])


def test_an_unknown_suite_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'quick'"):
        run_suite("quik", tmp_path)
    assert not list(tmp_path.iterdir())
