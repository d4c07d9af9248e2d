"""Run `bench talk`: cell after cell, each one line of `results.jsonl`; what is there is kept.

A cell is a game, a player, its seat, and the player in all other seats; a player meets itself in
one cell for all seats. A line holds every episode and the transcript of the first, nothing that
differs from run to run. Left out: several processes.
"""

import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from zerogym.agents.run_lock import locked
from zerogym.benchmarks.games.players import greedy
from zerogym.benchmarks.results.provenance import provenance
from zerogym.benchmarks.results.results_file import RESULTS, Record, ResultsFile
from zerogym.benchmarks.suites.runner import Progress
from zerogym.benchmarks.talk.episodes import Noted, Weakened, play_episode
from zerogym.benchmarks.talk.suite import TalkPlayer, TalkSuite
from zerogym.envs.games.core.game import Game, load_game
from zerogym.envs.games.opponents.registry import make_opponent
from zerogym.envs.games.opponents.scripted import find_script
from zerogym.envs.games.solvers.best_response import exploitability

Callback = Callable[[Progress], object]


class Cell(NamedTuple):
    """One line of the results.

    Attributes:
        game: A registered name.
        player: Whose seat is looked at.
        partner: The player in all other seats.
        seat: Of the player; None where it meets itself.
    """

    game: str
    player: str
    partner: str
    seat: int | None


def cells_of(suite: TalkSuite, game: Game[Any]) -> Iterator[Cell]:
    """All cells of a game; players that it has not are left out."""
    names = [player.name for player in suite.players if _has(game, player)]
    for name in names:
        yield Cell(game.name, name, name, None)
        for other in names:
            if other != name:
                yield from (Cell(game.name, name, other, s) for s in range(game.num_seats))


def _has(game: Game[Any], player: TalkPlayer) -> bool:
    return player.name not in ("weak", "scripted") or find_script(game) is not None


def run_talk(
    suite: TalkSuite, out: Path, seed: int = 0, on_progress: Callback | None = None
) -> list[Record]:
    """Play the cells that are not there yet, and return all records of the suite.

    Args:
        suite: What to play.
        out: Folder of the results.
        seed: Of deals and players.
        on_progress: Called at each event.

    Raises:
        ValueError: If `out` holds results of another seed or number of episodes.
        FolderInUse: If another process writes into `out`.
        KeyboardInterrupt: Passed on; finished cells are kept.
    """
    with locked(out):
        results = ResultsFile(out / RESULTS)
        settings = {"suite": suite.name, "seed": seed}
        settings |= {"episodes": suite.episodes, "model_episodes": suite.model_episodes}
        for record in results:
            found = {name: record.get(name) for name in settings}
            if record.get("kind") == "session" and found != settings:
                raise ValueError(f"{out} holds {found}, not {settings}: choose another --out")
        results.append({"kind": "session", **settings, **provenance()})
        started = time.monotonic()
        try:
            _Run(suite, seed, results, on_progress).play_all()
        finally:
            seconds = round(time.monotonic() - started, 1)
            results.append({"kind": "end", "seconds": seconds})
        return list(results)


class _Run:
    """One session."""

    def __init__(
        self, suite: TalkSuite, seed: int, results: ResultsFile, on_progress: Callback | None
    ) -> None:
        self._suite, self._seed, self._results = suite, seed, results
        self._on_progress = on_progress
        self._models = {player.name: player.model for player in suite.players if player.model}
        self._policy = cache(self._load)

    def play_all(self) -> None:
        """All cells in their order, then what a perfect adversary gains."""
        games = [load_game(name) for name in self._suite.games]
        plan = [(game, cell) for game in games for cell in cells_of(self._suite, game)]
        known = {_key(record) for record in self._results if record.get("kind") == "cell"}
        for done, (game, cell) in enumerate(plan):
            if cell in known:
                continue
            where = "" if cell.seat is None else f" in seat {cell.seat + 1}"
            self._report(done, len(plan), f"{game.name}: {cell.player}{where} – {cell.partner}")
            self._results.append(self._play(game, cell))
            self._report(done + 1, len(plan), "")
        for game in games:
            self._exploit(game)

    def _play(self, game: Game[Any], cell: Cell) -> Record:
        pair = [self._make(game, name) for name in (cell.player, cell.partner)]
        seats = [pair[cell.seat not in (None, seat)] for seat in range(game.num_seats)]
        with_model = {cell.player, cell.partner} & {*self._models}
        count = self._suite.model_episodes if with_model else self._suite.episodes
        played = [
            play_episode(game, seats, self._seed, number, transcript=number == 0)
            for number in range(count)
        ]
        low, high = game.payoff_range
        return {
            "kind": "cell",
            **cell._asdict(),
            "zero_sum": game.zero_sum,
            "range": [low, high],
            "episodes": [
                {"payoffs": p.payoffs, "roles": p.roles, "forfeit": p.loser, **p.agreement}
                for p in played
            ],
            "lines": [line.record() for line in played[0].lines],
        }

    def _make(self, game: Game[Any], name: str) -> Any:
        if name in self._models:
            return Noted(self._policy(name))
        return Weakened(game) if name == "weak" else make_opponent(game, name)

    def _load(self, name: str) -> Any:
        from zerogym.agents.llm.generation.engines import load_generator

        return greedy(load_generator(self._models[name]), name).make(0)

    def _exploit(self, game: Game[Any]) -> None:
        """Note what a seat gains on average by the best answer to a player in the other seats."""
        known = {
            (record["game"], record["player"])
            for record in self._results
            if record.get("kind") == "exploitability"
        }
        for player in self._suite.players:
            if player.model or not (game.enumerable and _has(game, player)):
                continue
            if (game.name, player.name) not in known:
                value = exploitability(game, self._make(game, player.name))
                record = {"kind": "exploitability", "game": game.name, "player": player.name}
                self._results.append({**record, "value": value})

    def _report(self, done: int, total: int, doing: str) -> None:
        if self._on_progress is not None:
            self._on_progress(Progress(done, total, "now", doing))


def _key(record: Record) -> Cell:
    return Cell(record["game"], record["player"], record["partner"], record["seat"])
