"""`zerogym league kuhn_poker --players random,scripted,cfr`: everybody against everybody."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from zerogym.cli.agents import entrant
from zerogym.cli.commands.benchmarks.exploit import interval
from zerogym.cli.console import (
    AsJson,
    friendly,
    interrupted,
    json_only,
    out,
    print_json,
    printable,
    usage_errors,
)
from zerogym.cli.names import make_game


@friendly
def league(
    name: Annotated[str, typer.Argument(metavar="GAME", help="For example kuhn_poker.")],
    players: Annotated[
        str,
        typer.Option(
            help="Names with commas between: random, scripted, minimax, cfr, mcts:N, past:FOLDER, "
            "ppo:STEPS, self_play, llm:tiny, llm:FOLDER, module:Name, or several as a+b. "
            "Default: all that need no training."
        ),
    ] = "",
    pairs: Annotated[
        int, typer.Option(min=2, help="Deals of each match; with two seats, two games.")
    ] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Of deals, players and training.")] = 0,
    file: Annotated[
        Path | None,
        typer.Option("--out", help="JSON lines. Default: one in results/league for each setting."),
    ] = None,
    adversary: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="STEPS",
            help="Where exploitability cannot be computed, train an adversary for so many steps: "
            "what it wins is a lower bound. 0: do not.",
        ),
    ] = 0,
    arg: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Parameter of the game.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """A league: ratings and payoffs with intervals. Run again to continue after a stop."""
    from zerogym.benchmarks.league.exploit import ExploitConfig
    from zerogym.benchmarks.league.league import play_league
    from zerogym.benchmarks.league.match import seatings
    from zerogym.benchmarks.league.standings import standings
    from zerogym.benchmarks.league.table import render_standings
    from zerogym.benchmarks.results.results_file import ResultsFile
    from zerogym.envs.games.opponents.registry import opponent_names

    json_only(as_json)
    game = make_game(name, arg or [])
    names = [part.strip() for part in players.split(",") if part.strip()]
    entrants = [entrant(game, each, seed) for each in names or opponent_names(game)]
    path = file or Path("results/league") / f"{game.name}-{pairs}-{seed}.jsonl"
    kept = "finished matches are kept; the same command continues"
    with usage_errors(OSError, prefix=f"{path}: "), interrupted(kept):
        matches = play_league(game, entrants, pairs, seed, path, _show_match)
    rows = standings(game, entrants, matches, seed)
    ResultsFile(path).append({"kind": "standings", "rows": [asdict(row) for row in rows]})
    games = pairs * len(seatings(game.num_seats))
    out.print(render_standings(f"{game.name}, {games} games a match", rows))
    bounds: list[dict[str, Any]] = []
    if adversary:
        unknown = [row.name for row in rows if row.exploitability is None]
        victims = [each for each in entrants if each.name in unknown]
        bounds = _bound(
            game, victims, ExploitConfig(steps=adversary, rounds=pairs, seed=seed), path
        )
    out.print(f"[dim]Results {escape(str(path))}[/]")
    if as_json:
        table = {"standings": [asdict(row) for row in rows], "exploit": bounds}
        print_json({"game": repr(game), "pairs": pairs, "seed": seed, "results": path, **table})


def _bound(game: Any, victims: list[Any], config: Any, path: Path) -> list[dict[str, Any]]:
    """Train an adversary against each, print its payoff and return the records."""
    from zerogym.benchmarks.league.exploit import lower_bounds
    from zerogym.benchmarks.results.results_file import ResultsFile

    records = []
    for name, found in lower_bounds(game, victims, config):
        records.append({"player": name, **asdict(config), **asdict(found)})
        ResultsFile(path).append({"kind": "exploit", **records[-1]})
        out.print(f"{escape(printable(name))}: exploitability at least {interval(found.bound)}")
    return records


def _show_match(match: Any, done: int, total: int) -> None:
    versus = printable(" – ".join(match.players))
    out.print(f"[dim]{done}/{total} {escape(versus)}[/]")
