"""Run `bench games`: a league in each game, and what a perfect adversary wins from each player.

In the folder of a run, `results.jsonl` says where and how long, what was learned and who can be
exploited; the matches of each game are in a file of their own, and what was trained in `models`.
What is there is not done again. Left out: several processes, and exploitability of searches.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zerogym.agents.run_lock import locked
from zerogym.benchmarks.games.players import make_entrant
from zerogym.benchmarks.games.suite import GamesSuite, SuiteGame
from zerogym.benchmarks.league.league import play_league
from zerogym.benchmarks.league.match import Entrant, LeagueError, Match
from zerogym.benchmarks.league.worst_case import TooManyPositions, worst_case
from zerogym.benchmarks.results.provenance import provenance
from zerogym.benchmarks.results.results_file import RESULTS, ResultsFile
from zerogym.benchmarks.suites.runner import Progress
from zerogym.envs.games.core.game import Game, load_game
from zerogym.envs.games.core.players import is_player
from zerogym.envs.games.solvers.best_response import exploitability
from zerogym.errors import MissingExtra

Listener = Callable[[Progress], object]


@dataclass(frozen=True)
class Played:
    """The results of a run.

    Attributes:
        results: The file of JSON lines.
        matches: By game.
    """

    results: Path
    matches: dict[str, list[Match]]


def run_games(
    suite: GamesSuite, out: Path, seed: int = 0, on_progress: Listener | None = None
) -> Played:
    """Do what is not done yet, and return everything that is there.

    Args:
        suite: What to play.
        out: Folder of the results.
        seed: Of deals, players and training.
        listen: Called at each event.

    Raises:
        LeagueError: If `out` holds results of another seed or number of games.
        FolderInUse: If another process writes into `out`.
        KeyboardInterrupt: Passed on; finished matches are kept.
    """
    with locked(out):
        return _run_rest(suite, out, seed, on_progress)


def _run_rest(suite: GamesSuite, out: Path, seed: int, on_progress: Listener | None) -> Played:
    results = ResultsFile(out / RESULTS)
    settings = {"suite": suite.name, "pairs": suite.pairs, "seed": seed}
    for record in results:
        found = {name: record.get(name) for name in settings}
        if record.get("kind") == "session" and found != settings:
            raise LeagueError(f"{out} holds {found}, not {settings}: choose another --out")
    results.append({"kind": "session", **settings, **provenance()})
    started, run = time.monotonic(), _Run(suite, out, seed, results, on_progress)
    try:
        matches = {entry.game: run.play(entry) for entry in suite.entries}
    finally:
        seconds = round(time.monotonic() - started, 1)
        results.append({"kind": "end", "seconds": seconds, "cpu": round(time.process_time(), 1)})
    return Played(results.path, matches)


class _Run:
    """One session."""

    def __init__(
        self,
        suite: GamesSuite,
        out: Path,
        seed: int,
        results: ResultsFile,
        on_progress: Listener | None,
    ) -> None:
        self._suite, self._out, self._seed = suite, out, seed
        self._results, self._on_progress = results, on_progress
        seats = len(suite.seats)
        self._each = seats * (seats - 1) // 2 + seats  # matches, and players to exploit
        self._done = 0

    def play(self, entry: SuiteGame) -> list[Match]:
        """Everybody plays one game."""
        game, goal = load_game(entry.game), self._done + self._each
        self._report(f"{entry.title}: perfect play")
        entrants = self._entrants(game, entry)

        def on_match(match: Match, done: int, total: int) -> None:
            self._done += 1
            self._report(f"{entry.title}: {' – '.join(match.players)}")

        file = self._out / f"{entry.game}.jsonl"
        matches = play_league(game, entrants, self._suite.pairs, self._seed, file, on_match)
        self._exploit(game, entry, entrants)
        self._done = goal  # whoever was missing counts as done
        return matches

    def _entrants(self, game: Game[Any], entry: SuiteGame) -> list[Entrant]:
        found, folder, keep = [], self._out / "models", self._results.append
        for seat in self._suite.seats:
            try:
                found.append(
                    make_entrant(game, entry, seat, self._seed, folder, keep, self._report)
                )
            except MissingExtra as error:
                record = {"contender": seat.title, "world": entry.title, "missing": True}
                record |= {"kind": "error", "game": entry.game, "player": seat.name}
                record["message"] = str(error)
                self._results.append(record)
                self._report("", record)
        return found

    def _exploit(self, game: Game[Any], entry: SuiteGame, entrants: Sequence[Entrant]) -> None:
        known = {
            record["player"]
            for record in self._results
            if record.get("kind") == "exploitability" and record.get("game") == entry.game
        }
        for entrant in entrants:
            if entrant.name not in known:
                self._report(f"{entry.title}: a perfect adversary of {entrant.name}")
                value = exploited(game, entrant)
                record = {"kind": "exploitability", "game": entry.game, "player": entrant.name}
                self._results.append({**record, "value": value})
            self._done += 1

    def _report(self, doing: str, record: dict[str, Any] | None = None) -> None:
        if self._on_progress is not None:
            total = self._each * len(self._suite.entries)
            self._on_progress(Progress(self._done, total, "now", doing, record))


def exploited(game: Game[Any], entrant: Entrant) -> float | None:
    """The mean payoff of a perfect adversary of a player; None if that cannot be computed."""
    player = entrant.make(0)
    if callable(getattr(player, "probabilities", None)):
        return exploitability(game, player)
    if is_player(player):  # a search; the language model is a policy, and greedy
        return None
    try:
        return worst_case(game, player, entrant.view)
    except TooManyPositions:
        return None
