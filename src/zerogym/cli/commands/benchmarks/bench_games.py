"""`zerogym bench games`: five games, players of every kind, one table."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from zerogym.cli.bench_screen import Screen
from zerogym.cli.console import (
    AsJson,
    friendly,
    interrupted,
    json_only,
    out,
    print_json,
    usage_errors,
)
from zerogym.errors import require


@friendly
def games(
    out_dir: Annotated[Path, typer.Option("--out", help="Folder of results and report.")] = Path(
        "results/games"
    ),
    seed: Annotated[int, typer.Option(min=0, help="Of deals, players and training.")] = 0,
    pairs: Annotated[
        int | None, typer.Option(min=2, help="Pairs of games of each match. Default: 300.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="A game or player of the table; may be repeated."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """LM, random, scripted, MCTS, PPO and exact play meet in five games. Continues after a stop."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: the networks are small
    json_only(as_json)
    require("jinja2", "bench", "the report")
    require("matplotlib", "bench", "the report")
    from zerogym.benchmarks.games.report import games_picture, write_games_report
    from zerogym.benchmarks.games.runner import run_games
    from zerogym.benchmarks.games.scores import tabulate
    from zerogym.benchmarks.games.suite import GAMES, part_of
    from zerogym.benchmarks.games.terminal import render_games
    from zerogym.benchmarks.results.results_file import read_records, write_whole

    suite = part_of(replace(GAMES, pairs=pairs or GAMES.pairs), only or [])
    screen = Screen(suite.name)
    kept = "finished matches are kept; the same command continues"
    with usage_errors(OSError, prefix=f"{out_dir}: "), interrupted(kept), screen.live():
        played = run_games(suite, out_dir, seed, screen.update)
    records = list(read_records(played.results))
    table = tabulate(suite, played.matches, records, seed)
    out.print(render_games(table))
    write_whole(out_dir / "table.svg", games_picture(table))
    report = write_games_report(table, records, out_dir / "report.html")
    out.print(f"[bold]Report[/]  {report.resolve().as_uri()}")
    out.print(f"[dim]Results {played.results}[/]")
    if as_json:
        rows = [
            {"game": game, "player": name, "payoff": one.value, "low": one.low, "high": one.high}
            for (game, name), one in table.payoffs.items()
        ]
        paths = {"results": played.results, "report": report}
        print_json({"suite": suite.name, "seed": seed, **paths, "rows": rows})
