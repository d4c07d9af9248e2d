"""Everybody against everybody in one game: who wins how much.

A league that is played again, with some players less or more, has the same results in its matches
(`match.py`). Each finished match is one line of a file, and is not played again. Left out: several
processes.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any

from zerogym.agents.run_lock import locked
from zerogym.benchmarks.league.match import Entrant, LeagueError, Match, play_match
from zerogym.benchmarks.results.provenance import provenance
from zerogym.benchmarks.results.results_file import ResultsFile
from zerogym.envs.games.core.game import Game

MOST_SEATS = 5  # 30 games with each deal

Listener = Callable[[Match, int, int], object]  # a match, how many are done, and how many there are


def play_league(
    game: Game[Any],
    entrants: Sequence[Entrant],
    pairs: int = 100,
    seed: int = 0,
    out: Path | None = None,
    on_match: Listener | None = None,
) -> list[Match]:
    """All matches; in each, the player whose name comes first in the alphabet is the first.

    Args:
        game: The rules.
        entrants: Two or more players.
        pairs: Deals of each match; each is played once for each of `seatings`.
        seed: Of deals and players.
        out: A file of JSON lines; matches that it has already are not played again.
        on_match: Called after each match.

    Raises:
        LeagueError: If the game has too many seats, there are too few players, two have the same
            name, `out` is of another league, a player fails or breaks the rules, or a payoff is
            not finite; finished matches are in the file.
        FolderInUse: If another process writes into `out`.
        KeyboardInterrupt: Passed on; finished matches are in the file.
    """
    _check(game, entrants, pairs)
    if out is None:
        return _play_rest(game, entrants, pairs, seed, None, on_match)
    with locked(out.parent, f".{out.name}.lock"):  # beside the leagues of other settings
        return _play_rest(game, entrants, pairs, seed, ResultsFile(out), on_match)


def _play_rest(
    game: Game[Any],
    entrants: Sequence[Entrant],
    pairs: int,
    seed: int,
    results: ResultsFile | None,
    on_match: Listener | None,
) -> list[Match]:
    known = {} if results is None else _begin(results, game, pairs, seed)
    matches: list[Match] = []
    meetings = list(combinations(sorted(entrants, key=lambda entrant: entrant.name), 2))
    for one, other in meetings:
        match = known.get((one.name, other.name))
        if match is None:
            match = play_match(game, one, other, pairs, seed)
            if results is not None:
                results.append({"kind": "match", **asdict(match)})
        matches.append(match)
        if on_match is not None:
            on_match(match, len(matches), len(meetings))
    return matches


def _check(game: Game[Any], entrants: Sequence[Entrant], pairs: int) -> None:
    names = [entrant.name for entrant in entrants]
    if not 2 <= game.num_seats <= MOST_SEATS:
        raise LeagueError(
            f"a league is of games of 2 to {MOST_SEATS} seats; {game.name} has {game.num_seats}"
        )
    if len(names) < 2 or len(set(names)) < len(names):
        raise LeagueError(f"a league needs two or more players, each once, got {names}")
    if pairs < 2:
        raise LeagueError(f"intervals need two pairs of games or more, got {pairs}")


def _begin(
    results: ResultsFile, game: Game[Any], pairs: int, seed: int
) -> dict[tuple[str, str], Match]:
    """The matches that a file has; notes this session in it."""
    settings = {"game": repr(game), "pairs": pairs, "seed": seed}
    known = {}
    records = list(results)
    if records and records[0].get("kind") != "league":
        raise LeagueError(f"{results.path} is a file of something else: take another")
    for record in records:
        if record.get("kind") == "league":
            found = {name: record.get(name) for name in settings}
            if found != settings:
                raise LeagueError(f"{results.path} is of {found}, not of {settings}: take another")
        elif record.get("kind") == "match":
            match = _read(record)
            known[match.players] = match
    results.append({"kind": "league", **settings, **provenance()})
    return known


def _read(record: dict[str, Any]) -> Match:
    first, second = record["players"]
    payoffs = tuple(tuple((one, other) for one, other in pair) for pair in record["payoffs"])
    return Match((first, second), payoffs, (record["forfeits"][0], record["forfeits"][1]))
