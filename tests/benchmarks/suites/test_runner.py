"""The runner keeps what is done, whatever happens to the rest."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from zerogym.benchmarks.report.terminal import render_table
from zerogym.benchmarks.results.results_file import ResultsFile, read_records
from zerogym.benchmarks.results.schema import Agent, Curve, ModelCache, PolicyMaker, Suite, World
from zerogym.benchmarks.suites import agents as build
from zerogym.benchmarks.suites.runner import Progress, only, run_cells, suite_cells
from zerogym.benchmarks.suites.scores import tabulate
from zerogym.benchmarks.suites.suites import QUICK
from zerogym.cli.bench_screen import Screen
from zerogym.errors import MissingExtra, ModelNotFound, UnknownName

NAMES = ("random", "half", "broken", "bare", "oracle")


def half(world: World, cache: ModelCache) -> PolicyMaker:
    """Gives the right answer every other time."""
    cache.keep_curve(Curve("half", "x", "y", ((0.0, 1.0),)))

    class Half:
        def __init__(self, envs: Any) -> None:
            self.envs, self.turn = envs, 0

        def predict(self, *rest: Any) -> tuple[list[str], None]:
            self.turn += 1
            right = self.turn % 2 == 0
            return [e.get_wrapper_attr("oracle_action")() if right else "" for e in self.envs], None

    return lambda envs, variant: Half(envs)


def broken(world: World, cache: ModelCache) -> PolicyMaker:
    raise RuntimeError("the \x00 model exploded")


def bare(world: World, cache: ModelCache) -> PolicyMaker:
    raise MissingExtra("tests needs nothing: pip install 'zerogym[nothing]'")


def interrupted(world: World, cache: ModelCache) -> PolicyMaker:
    raise KeyboardInterrupt


def agent(name: str, builder: Callable[..., PolicyMaker], lane: str = "arrays") -> Agent:
    return Agent(name, name, f"about {name}", builder, deterministic=False, lane=lane)


SUITE = Suite(
    "small",
    (
        World("Sums", "zerogym/RandomCalculation-v0", "", NAMES, episodes=8, batch=4),
        World("Numbers", "zerogym/Countdown-v0", "", ("random", "oracle"), episodes=4),
    ),
    (
        agent("random", build.random),
        agent("half", half),
        agent("broken", broken),
        agent("bare", bare),
        agent("oracle", build.oracle),
    ),
)


def kinds(path: Path) -> list[tuple[str, str]]:
    return [(r["kind"], r.get("contender", "")) for r in read_records(path)]


def test_a_run_writes_every_cell_and_survives_failures(tmp_path: Path) -> None:
    events: list[Progress] = []
    path = run_cells(SUITE, tmp_path, callback=events.append, processes=False)
    assert kinds(path) == [
        ("session", ""),
        *[("cell", "random")] * 2,
        *[("cell", "oracle")] * 2,
        ("curve", ""),
        ("cell", "half"),
        ("error", "broken"),
        ("error", "bare"),
        ("end", ""),
    ]
    assert (events[-1].done, events[-1].total) == (7, 7)
    table = tabulate(SUITE, read_records(path))
    assert table.cells["Sums", "oracle"].raw == 1
    assert table.cells["Sums", "half"].raw == 0.5
    assert "exploded" in table.cells["Sums", "broken"].error
    assert table.cells["Sums", "bare"].missing
    assert not table.cells["Sums", "broken"].missing


@pytest.mark.parametrize("kind", [MissingExtra, ModelNotFound])
def test_what_is_not_prepared_is_left_out_and_named_once(
    kind: type[Exception], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent(world: World, cache: ModelCache) -> PolicyMaker:
        raise kind("once: zerogym model small")

    names = ("random", "small", "oracle")
    worlds = tuple(replace(world, agents=names) for world in SUITE.worlds)
    players = (agent("random", build.random), agent("small", absent), agent("oracle", build.oracle))
    suite = Suite("absent", worlds, players)
    path = run_cells(suite, tmp_path, callback=Screen("absent").update, processes=False)
    shown = capsys.readouterr().out
    assert shown.count("once: zerogym model small") == 1
    Console(width=100).print(render_table(tabulate(suite, read_records(path))))
    table = capsys.readouterr().out
    assert "small, left out: once: zerogym model small" in table
    assert "failed" not in table and "missing" not in table


def test_a_second_run_plays_only_what_failed(tmp_path: Path) -> None:
    path = run_cells(SUITE, tmp_path, processes=False)
    before = len(list(read_records(path)))
    run_cells(SUITE, tmp_path, processes=False)
    again = kinds(path)[before:]
    assert again == [("session", ""), ("error", "broken"), ("error", "bare"), ("end", "")]


def test_a_torn_line_is_played_again(tmp_path: Path) -> None:
    whole = run_cells(SUITE, tmp_path / "whole", processes=False).read_bytes()
    lines = whole.split(b"\n")
    path = tmp_path / "torn" / "results.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"\n".join(lines[:2]) + b"\n" + lines[2][:50])
    run_cells(SUITE, path.parent, processes=False)
    for record in path.read_text().splitlines():
        json.loads(record)
    cells = [r for r in read_records(path) if r["kind"] == "cell"]
    assert len(cells) == len({r["key"] for r in cells}) == 5
    expected = {r["key"]: r["episodes"] for r in map(json.loads, lines[:-1]) if "episodes" in r}
    assert {r["key"]: r["episodes"] for r in cells} == expected


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    stopped = replace(
        SUITE,
        agents=(*SUITE.agents[:1], agent("half", interrupted), *SUITE.agents[2:]),
    )
    with pytest.raises(KeyboardInterrupt):
        run_cells(stopped, tmp_path, processes=False)
    path = run_cells(SUITE, tmp_path, processes=False)
    cells = [r["contender"] for r in read_records(path) if r["kind"] == "cell"]
    assert cells == ["random", "random", "oracle", "oracle", "half"]


def test_lanes_in_processes_give_the_same_episodes(tmp_path: Path) -> None:
    names = ("random", "oracle")
    suite = replace(
        SUITE,
        worlds=tuple(replace(w, agents=names) for w in SUITE.worlds),
        agents=(agent("random", build.random), agent("oracle", build.oracle, "other")),
    )

    def played(processes: bool) -> dict[str, Any]:
        path = run_cells(suite, tmp_path / str(processes), processes=processes)
        return {r["key"]: r["episodes"] for r in read_records(path) if r["kind"] == "cell"}

    apart = played(True)
    assert len(apart) == 4
    assert apart == played(False)


def test_a_killed_process_leaves_error_rows(tmp_path: Path) -> None:
    # As if the system had killed it. (Where a child cannot import this file, it dies as well.)
    suite = replace(
        SUITE,
        worlds=(replace(SUITE.worlds[0], agents=("random", "dead")),),
        agents=(
            agent("random", build.random),
            agent("dead", _exit_in_child, "other"),
        ),
    )
    path = run_cells(suite, tmp_path)
    assert ("cell", "random") in kinds(path)
    errors = [r for r in read_records(path) if r["kind"] == "error"]
    assert [r["contender"] for r in errors] == ["dead"]
    assert "ended with code" in errors[0]["message"]


def _exit_in_child(*rest: Any) -> PolicyMaker:
    os._exit(9)


def test_another_seed_wants_another_folder(tmp_path: Path) -> None:
    run_cells(SUITE, tmp_path, processes=False)
    with pytest.raises(ValueError, match="choose another --out"):
        run_cells(SUITE, tmp_path, seed=1, processes=False)


def test_only_keeps_the_ends_of_the_scale() -> None:
    part = only(QUICK, ["kuhn-POKER", "sb3"])
    assert [w.name for w in part.worlds] == ["Kuhn poker"]
    assert [c.name for c in part.agents] == ["random", "sb3", "oracle"]
    with pytest.raises(UnknownName, match="Kuhn poker"):
        only(QUICK, ["Kuhn pokr"])


def test_results_hold_no_nan_and_any_text(tmp_path: Path) -> None:
    file = ResultsFile(tmp_path / "r.jsonl")
    file.append({"kind": "x", "value": float("nan"), "text": "\x00\ud800 é\n", "deep": [(1, 2)]})
    assert "NaN" not in file.path.read_text()
    (record,) = file
    assert record == {"kind": "x", "value": None, "text": "\x00\ud800 é\n", "deep": [[1, 2]]}


def test_every_cell_of_the_quick_suite_can_be_run() -> None:
    import gymnasium as gym

    known = {c.name for c in QUICK.agents}
    for world in QUICK.worlds:
        assert set(world.agents) <= known
        assert set(world.limits) <= known
        assert {QUICK.floor, QUICK.ceiling} <= set(world.agents)
        for variant in (*world.variants, *([world.training_task] if world.training_task else [])):
            gym.make(world.env_id, **world.kwargs, **variant.kwargs).close()
    names = [w.name for w in QUICK.worlds]
    assert len(set(names)) == len(names)
    assert len(list(suite_cells(QUICK))) == sum(len(w.agents) for w in QUICK.worlds)
