"""Curves of pass@k: their numbers by hand, the picture, and the section of a report."""

from pathlib import Path

import pytest

from helpers.bench_run import SUITE, records
from helpers.svg import texts
from zerogym.agents.llm.sampled_problem import SampledProblem
from zerogym.benchmarks.report.charts import figure
from zerogym.benchmarks.report.pass_curves import _draw, pass_panels, pass_picture
from zerogym.benchmarks.report.report import write_report
from zerogym.benchmarks.results.outcome_log import OutcomeLog, Outcomes, read_outcomes

RIGHT = (0, 1, 2, 4)  # of four samples of each problem


def log(path: Path, model: str, right: tuple[int, ...] = RIGHT, known: bool = True) -> Outcomes:
    """A log of four samples a problem, so many of which are right."""
    written = OutcomeLog(path, {"model": model, "env": "zerogym/Sums-v0", "samples": 4})
    for seed, count in enumerate(right):
        solved = tuple(place < count for place in range(4))
        scores = tuple(each / 2 for each in solved) if known else (0.5, 0.0, 0.25, 1.0)
        correct = solved if known else (None,) * 4
        written.append(SampledProblem(seed, f"{seed}", scores, correct, ("",) * 4))
    return read_outcomes(path)


def test_points_of_a_curve_by_hand(tmp_path: Path) -> None:
    """pass@2 of one right sample in four is 1 - 3/6, of two 1 - 1/6."""
    with figure(100, 100) as (_, axes):
        assert _draw(axes, [log(tmp_path / "a.jsonl", "tiny")]) == "pass@k"
        ((xs, ys),) = [line.get_data() for line in axes.get_lines()]
    assert list(xs) == [1, 2, 4]
    assert list(ys) == pytest.approx([(0.25 + 0.5 + 1) / 4, (0.5 + 5 / 6 + 1) / 4, 3 / 4])
    with figure(100, 100) as (_, axes):
        found = log(tmp_path / "b.jsonl", "tiny", known=False)
        assert _draw(axes, [found]) == "max@k"
        ((_, ys),) = [line.get_data() for line in axes.get_lines()]
    # rewards 0.5, 0, 0.25 and 1: the better of two is 1 in three pairs, 0.5 in two, 0.25 in one
    assert list(ys) == pytest.approx([1.75 / 4, 4.25 / 6, 1.0])


def test_a_picture_names_models_and_numbers(tmp_path: Path) -> None:
    models = [log(tmp_path / f"{name}.jsonl", name) for name in ("start <&$x$", "trained")]
    shown = texts(pass_picture(models))
    assert {"start <&$x$", "trained", "zerogym/Sums-v0", "1", "2", "4"} <= set(shown)


def test_a_report_has_the_curves_of_its_folder(tmp_path: Path) -> None:
    assert "Several samples" not in write_report(SUITE, records(), tmp_path / "a.html").read_text()
    log(tmp_path / "outcomes-a.jsonl", "<b>start")
    log(tmp_path / "outcomes-b.jsonl", "trained", (4, 4, 4, 4))
    (tmp_path / "outcomes-c.jsonl").write_text("{}\n")
    page = write_report(SUITE, records(), tmp_path / "a.html").read_text("utf-8")
    part = page.partition("Several samples a problem")[2].partition("<h2>")[0]
    assert part.count("<svg") == 1 and "pass@k in zerogym/Sums-v0" in part
    assert "<b>start" not in part and "&lt;b&gt;start" in part and "trained" in part
    assert "outcomes-c.jsonl is no log of" in part
    assert [name for name, _, _ in pass_panels(tmp_path)] == ["outcomes-c.jsonl", "zerogym/Sums-v0"]
