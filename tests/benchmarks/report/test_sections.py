"""The sections of the tasks, the CSV beside the page, and how to run and cite it again."""

import csv
import itertools
import re
import shlex
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

import zerogym
from helpers.bench_run import SUITE, WORLDS, cell, records
from helpers.svg import texts
from zerogym.benchmarks.report.picture import picture
from zerogym.benchmarks.report.report import write_report
from zerogym.benchmarks.report.reproduction import citation, command_of
from zerogym.benchmarks.report.terminal import render_table
from zerogym.benchmarks.report.transcripts import example_episodes
from zerogym.benchmarks.suites.external_models import with_external_models
from zerogym.benchmarks.suites.runner import only
from zerogym.benchmarks.suites.scores import tabulate
from zerogym.benchmarks.suites.suites import QUICK
from zerogym.cli import app


class Boxes(HTMLParser):
    """Collects ids, targets of links, and the boxes around tables."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.around_tables: list[str] = []
        self.last_class = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids += [found.get("id") or ""] if tag == "section" else []
        self.links += [found["href"] or ""] if tag == "a" else []
        if tag == "table":
            self.around_tables.append(self.last_class)
        self.last_class = found.get("class") or ""


@pytest.fixture
def page(tmp_path: Path) -> str:
    return write_report(SUITE, records(), tmp_path / "report.html").read_text(encoding="utf-8")


def test_each_row_leads_to_the_section_of_its_task(page: str) -> None:
    boxes = Boxes()
    boxes.feed(page)
    assert boxes.ids == ["task-sums-b", "task-hands"]
    assert boxes.links == ["results.csv", "#task-sums-b", "#task-hands"]
    assert "zerogym info RandomCalculation" in page and "zerogym/KuhnPoker-v0" in page


def test_names_that_look_alike_have_places_of_their_own(tmp_path: Path) -> None:
    worlds = tuple(replace(WORLDS[0], name=name) for name in ("A b", "a-b", "A_B"))
    path = write_report(replace(SUITE, worlds=worlds), [], tmp_path / "report.html")
    boxes = Boxes()
    boxes.feed(path.read_text())
    assert boxes.ids == ["task-a-b", "task-a-b-2", "task-a-b-3"]


def test_every_table_scrolls_in_a_box_with_a_hint(page: str) -> None:
    boxes = Boxes()
    boxes.feed(page)
    assert boxes.around_tables and set(boxes.around_tables) == {"scroll"}
    assert page.count('<p class="hint">') == len(boxes.around_tables)
    assert 'name="viewport" content="width=device-width' in page
    assert ".scroll { overflow-x: auto" in page
    assert not re.search(r"svg \{[^}]*min-width", page), "a chart is never wider than the page"


def test_best_worst_and_typical_by_return() -> None:
    record = cell(WORLDS[0], "model", 0.5, 0, 1, 0, 0.25)
    shown = example_episodes(record["episodes"])
    assert [(label, e["value"], e["seed"]) for label, e in shown] == [
        ("best", 1, 2), ("worst", 0, 1), ("typical", 0.25, 4),
    ]  # fmt: skip
    for episode in record["episodes"][2:]:  # as in a run that kept the first transcripts only
        episode["transcript"] = []
    assert [label for label, _ in example_episodes(record["episodes"])] == ["best kept", "worst"]
    assert [label for label, _ in example_episodes(cell(WORLDS[0], "x", 1, 1)["episodes"])] == [
        "typical"
    ]


def test_a_hand_beside_an_exact_value_is_shown() -> None:
    shown = example_episodes(cell(WORLDS[1], "model", 0, 1)["episodes"])
    assert shown and all(e["transcript"] for _, e in shown)


def test_the_csv_has_a_row_for_each_task_and_agent(tmp_path: Path) -> None:
    write_report(SUITE, records(), tmp_path / "report.html")
    with (tmp_path / "results.csv").open(newline="") as file:
        rows = {(row["task"], row["agent"]): row for row in csv.DictReader(file)}
    assert len(rows) == 7
    model = rows["Sums <b>", "model"]
    assert float(model["estimate"]) == pytest.approx(1 / 3, rel=1e-4)
    assert float(model["low"]) < 1 / 3 < float(model["high"])
    assert (model["n"], model["interval_over"], model["mean_return"]) == ("4", "4 episodes", "0.5")
    exact = rows["Hands", "model"]
    assert (exact["estimate"], exact["low"], exact["high"]) == ("0.5", "", "")
    assert exact["interval_over"] == "nothing: the value is exact"
    assert rows["Sums <b>", "gone"]["status"] == "missing"
    assert rows["Sums <b>", "gone"]["estimate"] == ""


@pytest.mark.parametrize(
    ("models", "names"),
    [([], []), ([], ["Countdown"]), (["./my model"], []), ([], ["fb", "U-map: goals"]),
     ([], ["random"]), (["./m"], ["./m", "SQL"]), ([], ["Four rooms: DQN's goal"])],
)  # fmt: skip
def test_the_command_makes_the_same_suite(models: list[str], names: list[str]) -> None:
    suite = only(with_external_models(QUICK, models), names)
    words = shlex.split(command_of(suite, 7))
    assert words[:5] == ["zerogym", "bench", "quick", "--seed", "7"]
    typed = {name: [v for o, v in itertools.pairwise(words) if o == name]
             for name in ("--model", "--only")}  # fmt: skip
    again = only(with_external_models(QUICK, typed["--model"]), typed["--only"])
    assert [w.name for w in again.worlds] == [w.name for w in suite.worlds]
    assert [a.name for a in again.agents] == [a.name for a in suite.agents]


def test_the_command_is_one_of_the_command_line() -> None:
    words = shlex.split(command_of(QUICK, 0))
    shown = CliRunner().invoke(app, [*words[1:3], "--help"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    assert all(word in shown.output for word in words if word.startswith("--"))


def test_a_suite_of_ones_own_has_no_command(page: str) -> None:
    assert command_of(SUITE, 0) == ""
    assert "started from Python" in page


def test_the_citation_is_that_of_the_repository(page: str) -> None:
    source = (Path(__file__).parents[3] / "CITATION.cff").read_text()
    entry = citation()
    title = re.search('title: "(.*)"', source)
    assert title is not None and f"title = {{{title[1]}}}" in entry
    assert f"version = {{{zerogym.__version__}}}" in entry
    assert "{{The zerogym authors}}" in entry
    assert "@software{zerogym" in page


def test_sessions_of_several_versions_are_named(tmp_path: Path) -> None:
    later = {"kind": "session", "zerogym": "10", "commit": "beef"}
    path = write_report(SUITE, [*records(), later], tmp_path / "report.html")
    assert "9 at commit c0ffee; then 10 at commit beef" in path.read_text()


def test_scores_of_an_agent_that_was_trained_elsewhere_have_a_dagger(tmp_path: Path) -> None:
    agents = tuple(
        replace(agent, trained_in=("zerogym/RandomCalculation-v0",)) if agent.name == "model"
        else agent
        for agent in SUITE.agents
    )  # fmt: skip
    suite = replace(SUITE, agents=agents)
    note = "† not trained here: Model was trained in RandomCalculation only."
    table = tabulate(suite, records())
    page = write_report(suite, records(), tmp_path / "report.html").read_text()
    assert note in page and page.count("0.50†") == 1 and "0.33†" not in page
    console = Console(width=300, force_terminal=False)
    with console.capture() as capture:
        console.print(render_table(table))
    assert note in capture.get() and "0.50†" in capture.get() and "0.33†" not in capture.get()
    assert any("0.50†" in text for text in texts(picture(table)))
    assert "†" not in write_report(SUITE, records(), tmp_path / "report.html").read_text()


def test_a_curve_without_returns_says_so(tmp_path: Path) -> None:
    curve = {"kind": "curve", "name": "FB, UMap", "x": "updates", "y": "mean score of its tasks"}
    loss = {**curve, "name": "FB, Old", "y": "loss of F and B", "points": [[0, 3], [1, 2]]}
    rows = [*records(), curve | {"points": []}, loss]
    page = write_report(SUITE, rows, tmp_path / "report.html").read_text()
    assert page.count("Its log has no evaluations") == 2 and "loss of F and B" not in page
    rows.append(curve | {"points": [[375, 0.2], [750, 0.9]]})
    page = write_report(SUITE, rows, tmp_path / "report.html").read_text()
    assert page.count("Its log has no evaluations") == 1
    assert 'aria-label="mean score of its tasks over updates"' in page
