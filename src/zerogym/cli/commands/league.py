"""`zerogym league kuhn_poker --players random,scripted,cfr`: everybody against everybody."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from zerogym.cli.agents import is_model
from zerogym.cli.commands.exploit import interval
from zerogym.cli.console import UsageError, friendly, out, printable
from zerogym.cli.names import find_game_name, parse_arguments


@friendly
def league(
    name: Annotated[str, typer.Argument(metavar="GAME", help="For example kuhn_poker.")],
    players: Annotated[
        str,
        typer.Option(
            help="Names with commas between: random, scripted, minimax, cfr, mcts:N, past:FOLDER, "
            "ppo:STEPS, self_play, llm:tiny, llm:FOLDER, or several as a+b. Default: all that need "
            "no training."
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
        list[str] | None, typer.Option(help="Parameter of the game, NAME=VALUE.")
    ] = None,
) -> None:
    """A league: ratings and payoffs with intervals. Run again to continue after a stop."""
    from zerogym.benchmarks.league.exploit import ExploitConfig
    from zerogym.benchmarks.league.league import play_league
    from zerogym.benchmarks.league.match import seatings
    from zerogym.benchmarks.league.players import language_model, named
    from zerogym.benchmarks.league.standings import standings
    from zerogym.benchmarks.league.table import render_standings
    from zerogym.benchmarks.results.results_file import ResultsFile
    from zerogym.envs.games.core.game import load_game
    from zerogym.envs.games.opponents.registry import opponent_names

    try:
        game = load_game(find_game_name(name), **parse_arguments(arg or []))
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from None
    names = [part.strip() for part in players.split(",") if part.strip()]
    entrants = [
        language_model(n.removeprefix("llm:"))
        if is_model(n.removeprefix("llm:"))
        else named(game, [n], seed)[0]
        for n in names or opponent_names(game)
    ]
    path = file or Path("results/league") / f"{game.name}-{pairs}-{seed}.jsonl"
    try:
        matches = play_league(game, entrants, pairs, seed, path, _hear)
    except OSError as error:
        raise UsageError(f"{path}: {error}") from None
    except KeyboardInterrupt:
        raise KeyboardInterrupt("finished matches are kept; the same command continues") from None
    rows = standings(game, entrants, matches, seed)
    ResultsFile(path).append({"kind": "standings", "rows": [asdict(row) for row in rows]})
    games = pairs * len(seatings(game.num_seats))
    out.print(render_standings(f"{game.name}, {games} games a match", rows))
    if adversary:
        unknown = [row.name for row in rows if row.exploitability is None]
        victims = [entrant for entrant in entrants if entrant.name in unknown]
        _bound(game, victims, ExploitConfig(steps=adversary, rounds=pairs, seed=seed), path)
    out.print(f"[dim]Results {escape(str(path))}[/]")


def _bound(game: Any, victims: list[Any], config: Any, path: Path) -> None:
    """Train an adversary against each, and say what it wins."""
    from zerogym.benchmarks.league.exploit import lower_bounds
    from zerogym.benchmarks.results.results_file import ResultsFile

    for name, found in lower_bounds(game, victims, config):
        record = {**asdict(config), **asdict(found)}
        ResultsFile(path).append({"kind": "exploit", "player": name, **record})
        out.print(f"{escape(printable(name))}: exploitability at least {interval(found.bound)}")


def _hear(match: Any, done: int, total: int) -> None:
    versus = printable(" – ".join(match.players))
    out.print(f"[dim]{done}/{total} {escape(versus)}[/]")
