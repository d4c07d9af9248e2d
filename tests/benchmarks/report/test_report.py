"""The report: everything of the run is in it, and nothing a model wrote can act in it."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from helpers.bench_run import SUITE, WORLDS, cell, records
from helpers.svg import texts
from zerogym.benchmarks.report.charts import line_chart
from zerogym.benchmarks.report.markup import visible
from zerogym.benchmarks.report.picture import picture
from zerogym.benchmarks.report.report import write_report
from zerogym.benchmarks.report.terminal import render_table
from zerogym.benchmarks.suites.scores import tabulate


class Tags(HTMLParser):
    """Collects what a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def page(tmp_path: Path) -> str:
    return write_report(SUITE, records(), tmp_path / "report.html").read_text(encoding="utf-8")


def test_scores_by_hand() -> None:
    cells = tabulate(SUITE, records()).cells
    model = cells["Sums <b>", "model"]
    assert model.estimate is not None
    assert model.estimate.value == pytest.approx((0.5 - 0.25) / (1 - 0.25))
    assert model.estimate.low < model.estimate.value < model.estimate.high
    hands = cells["Hands", "model"]
    assert hands.exact
    assert hands.variants == (("a", 0.5), ("b", 0.5))
    assert hands.estimate is not None
    assert hands.estimate.low == hands.estimate.high == hands.estimate.value == 0.5


def test_total_is_the_iqm_over_worlds() -> None:
    totals = tabulate(SUITE, records()).totals
    assert totals["model"].estimate.value == pytest.approx((1 / 3 + 0.5) / 2)
    assert totals["model"].worlds == 2
    assert totals["random"].estimate.value == 0
    assert totals["oracle"].estimate.value == 1
    assert "gone" not in totals


def test_without_the_ends_there_is_no_scale() -> None:
    part = [r for r in records() if r.get("contender") != "oracle"]
    cells = tabulate(SUITE, part).cells
    assert cells["Hands", "model"].estimate is None
    assert cells["Hands", "model"].raw == 0.5


def test_the_last_record_of_a_cell_counts() -> None:
    healed = [*records(), cell(WORLDS[0], "gone", 1, 1, 1, 1)]
    assert tabulate(SUITE, healed).cells["Sums <b>", "gone"].raw == 1


def test_nothing_foreign_acts(page: str) -> None:
    tags = Tags()
    tags.feed(page)
    names = {tag for tag, _ in tags.tags}
    assert not names & {"script", "img", "iframe", "object", "embed", "link", "base", "form"}
    assert not [a for _, attributes in tags.tags for a in attributes if a.startswith("on")]
    assert "alert(1)" in tags.text, "it is shown as text"
    assert "{{ title }}" in tags.text, "and it is no placeholder of the template"
    assert "default-src 'none'" in page


def test_control_characters_are_shown_not_sent(page: str) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", page)
    assert "␀␛[31m\\u202e\\ud800" in page


def test_nothing_is_fetched(page: str) -> None:
    assert not re.search(r"(src|href|url\(|@import)\s*=?\s*[\"'(]?\s*(https?:)?//", page)
    assert "http" not in page.replace("http-equiv", "")


def test_every_part_is_there(page: str) -> None:
    for expected in (
        "2030-01-02 03:04",
        "c0ffee",
        "1.5 min",
        "0.50",
        "exact",
        ", left out: needs x",
    ):
        assert expected in page
    assert "prefers-color-scheme: dark" in page
    assert "Sums &lt;b&gt;" in page


def test_an_agent_that_cannot_play_has_no_column_and_is_named_once(page: str) -> None:
    assert page.count("needs x") == 1
    assert ">missing<" not in page
    [left_out] = tabulate(SUITE, records()).left_out
    assert not any(left_out.startswith(text) for text in texts(picture(tabulate(SUITE, records()))))


def test_an_empty_run_has_a_report(tmp_path: Path) -> None:
    text = write_report(SUITE, [], tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Nothing was trained" in text


@pytest.mark.parametrize("points", [[], [(0, 1)], [(0, 2.0), (1, 2.0)], [(0, 1e9), (1, -1e-9)]])
def test_charts_of_odd_data(points: list[tuple[float, float]]) -> None:
    chart = line_chart(points, "$x_{1", "y")
    assert "nan" not in chart.lower()
    assert bool(chart) == bool(points)
    if points:
        assert "$x_{1" in chart, "labels are no formulas"
        assert "var(--accent)" in chart and not re.search(r"#[0-9a-f]{6}\b", chart)


def test_ordinary_text_stays() -> None:
    text = "Żółw: 3 × 4 − 1\n\t日本"
    assert visible(text) == text


def test_the_terminal_table_says_the_same() -> None:
    from rich.console import Console

    console = Console(width=120, force_terminal=False)
    with console.capture() as capture:
        console.print(render_table(tabulate(SUITE, records())))
    text = capture.get()
    for expected in ("0.33", "0.50", "exact", ", left out: needs x", "Total"):
        assert expected in text
    assert "\x1b" not in text


def test_the_picture_is_wellformed_and_complete() -> None:
    written = texts(picture(tabulate(SUITE, records())))
    for expected in ("Sums <b>", "Hands", "Model", "0.33", "0.50"):
        assert expected in written
