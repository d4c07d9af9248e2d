"""A run whose programs had no sandbox says so, and a failure of a sandbox is nobody's score."""

import io
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from rich.console import Console

from zerogym.benchmarks.report.report import write_report
from zerogym.benchmarks.report.terminal import render_table
from zerogym.benchmarks.results.results_file import Record, read_records
from zerogym.benchmarks.results.schema import Agent, Suite, World
from zerogym.benchmarks.suites import agents as build
from zerogym.benchmarks.suites.runner import run_cells
from zerogym.benchmarks.suites.scores import tabulate

NAMES = ("random", "oracle")


class Ran(gym.Env[int, int]):
    """One step; `info` says in which sandbox code ran, and whether that failed."""

    observation_space = gym.spaces.Discrete(2)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, level: str, unavailable: bool = False) -> None:
        self._info = {"sandbox": level, **({"unavailable": True} if unavailable else {})}

    def reset(self, **_: Any) -> tuple[int, dict[str, Any]]:
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 0, float(action), True, False, self._info

    def oracle_action(self) -> int:
        return 1

    def random_action(self, rng: Any) -> int:
        return 0


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = gym.envs.registration.EnvSpec("test/Ran-v0", entry_point=Ran, disable_env_checker=True)
    monkeypatch.setitem(gym.registry, "test/Ran-v0", spec)


def run(out: Path, **kwargs: Any) -> tuple[Suite, list[Record]]:
    worlds = (
        World("Programs", "test/Ran-v0", "", NAMES, episodes=2, kwargs=kwargs, batch=1),
        World("Sums", "zerogym/RandomCalculation-v0", "", NAMES, episodes=2, batch=1),
    )
    made = {"random": build.random, "oracle": build.oracle}
    suite = Suite("sandboxes", worlds, tuple(Agent(n, n, "", made[n]) for n in NAMES))
    return suite, list(read_records(run_cells(suite, out, processes=False)))


def shown(suite: Suite, records: list[Record], folder: Path) -> tuple[str, str]:
    """The table in the terminal, and the page."""
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(render_table(tabulate(suite, records)))
    return console.export_text(), write_report(suite, records, folder / "page.html").read_text()


def test_a_run_without_a_sandbox_is_marked(tmp_path: Path) -> None:
    suite, records = run(tmp_path, level="unsafe-local")
    assert tabulate(suite, records).unsafe == ["Programs"]
    printed, page = shown(suite, records, tmp_path)
    assert "No sandbox (unsafe-local)" in printed and "ran unisolated in Programs." in printed
    assert printed.count(" unsafe") >= len(NAMES)  # each cell of the world
    assert '<p class="warning">' in page and "in: Programs." in page
    assert page.count("<b>unsafe-local</b>") == len(NAMES)


def test_a_run_in_a_sandbox_is_not(tmp_path: Path) -> None:
    suite, records = run(tmp_path, level="strong")
    assert tabulate(suite, records).unsafe == []
    printed, page = shown(suite, records, tmp_path)
    assert "unsafe" not in printed
    assert '<p class="warning">' not in page and "unsafe-local" not in page


def test_a_sandbox_that_failed_makes_an_error_and_no_score(tmp_path: Path) -> None:
    suite, records = run(tmp_path, level="strong", unavailable=True)
    score = tabulate(suite, records).cells["Programs", "oracle"]
    assert score.estimate is None
    assert "failed by itself" in score.error and not score.missing
