"""From the leagues of `bench games` to its tables.

The **payoff** of a player is what it wins on average from an opponent drawn from all players alike,
itself included, which is 0: so everybody has the same field, and the payoffs of a game sum to 0.
Its **score** is (payoff - random's) / (exact's - random's): games for chips and games
that are won or lost can stand side by side, and their plain mean is the last row. Exact play is no
upper bound: it does not exploit the weak, so others can score above 1. All depends on the field.

Intervals resample pairs of games, the same pairs for all players because they had the same deals,
both ends of the scale included; each game with draws of its own (`standings.py`). They cover the
choice of deals and moves, not that of the training seed: each learner was trained once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from zerogym.benchmarks.games.suite import CEILING, FLOOR, GamesSuite, SuiteGame, entrant_name
from zerogym.benchmarks.league.match import Match
from zerogym.benchmarks.league.standings import estimate_of, forfeit_share, payoff_draws
from zerogym.benchmarks.results.estimates import Estimate, Floats, normalise
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.suites.scores import Score
from zerogym.envs.games.core.game import load_game

ALL = "all"  # in the place of a game: the mean over all

Cell = tuple[str, str]  # a game and a player of the suite


@dataclass
class GamesTable:
    """Everything that is shown.

    Attributes:
        suite: What was played.
        scores: By game and player; `ALL` for the mean, of players of all games.
        payoffs: Mean payoff against the field.
        against: By game, player and opponent: mean payoff.
        exploited: The payoff of a perfect adversary; None where that is not known.
        forfeits: Share of games.
    """

    suite: GamesSuite
    scores: dict[Cell, Score] = field(default_factory=dict)
    payoffs: dict[Cell, Estimate] = field(default_factory=dict)
    against: dict[tuple[str, str, str], Estimate] = field(default_factory=dict)
    exploited: dict[Cell, float | None] = field(default_factory=dict)
    forfeits: dict[Cell, float] = field(default_factory=dict)

    def players(self, game: str) -> set[str]:
        """Names of the players that have a payoff in a game."""
        return {name for played, name in self.payoffs if played == game}


def tabulate(
    suite: GamesSuite,
    matches: Mapping[str, Sequence[Match]],
    records: Sequence[Record],
    seed: int = 0,
) -> GamesTable:
    """The tables of a run.

    Args:
        suite: What was played.
        matches: By game.
        records: Of `results.jsonl`.
        seed: Of the resampling.
    """
    table = GamesTable(suite)
    sums: dict[str, list[tuple[float, Floats]]] = {}
    for number, entry in enumerate(suite.entries):
        if entry.game in matches:
            played = matches[entry.game]
            for name, found in _fill(table, entry, played, (seed, number)).items():
                sums.setdefault(name, []).append(found)
            _read(table, entry, records)
    for name, parts in sums.items():
        if len(parts) == len(suite.entries):
            mean = float(np.mean([value for value, _ in parts]))
            draws = np.mean([draw for _, draw in parts], axis=0)
            estimate = estimate_of(mean, draws)
            table.scores[ALL, name] = Score(estimate, measured=name not in (FLOOR, CEILING))
    return table


def _fill(
    table: GamesTable, entry: SuiteGame, matches: Sequence[Match], seed: tuple[int, int]
) -> dict[str, tuple[float, Floats]]:
    """Fill in one game; scores and draws of them by player."""
    here = {name for match in matches for name in match.players}
    called = {s.name: entrant_name(entry, s) for s in table.suite.seats}
    names = [name for name, entrant in called.items() if entrant in here]
    entrants = [called[name] for name in names]
    means, draws = payoff_draws(load_game(entry.game), entrants, matches, seed)
    for i, name in enumerate(names):
        against_all = estimate_of(means[i].mean(), draws[:, i].mean(axis=1))
        table.payoffs[entry.game, name] = against_all
        for j, other in enumerate(names):
            if i != j:
                estimate = estimate_of(means[i, j], draws[:, i, j])
                table.against[entry.game, name, other] = estimate
    field_means, field_draws = means.mean(axis=1), draws.mean(axis=2)  # (n,), (draws, n)
    low, high = names.index(FLOOR), names.index(CEILING)
    scores = normalise(field_means, field_means[low], field_means[high])
    plausible = normalise(field_draws, field_draws[:, [low]], field_draws[:, [high]])
    for i, name in enumerate(names):
        estimate = estimate_of(scores[i], plausible[:, i])
        own = [match for match in matches if called[name] in match.players]
        games = sum(2 * len(match.payoffs) for match in own)
        table.forfeits[entry.game, name] = forfeit_share(called[name], own)
        measured, raw = name not in (FLOOR, CEILING), float(field_means[i])
        table.scores[entry.game, name] = Score(estimate, raw, games, measured=measured)
    return {name: (float(scores[i]), plausible[:, i]) for i, name in enumerate(names)}


def _read(table: GamesTable, entry: SuiteGame, records: Sequence[Record]) -> None:
    """Read exploitability and errors from the results."""
    for seat in table.suite.seats:
        cell, called = (entry.game, seat.name), entrant_name(entry, seat)
        for record in records:
            if record.get("game") != entry.game:
                continue
            if record["kind"] == "exploitability" and record["player"] == called:
                table.exploited[cell] = record["value"]
            if record["kind"] == "error" and record["player"] == seat.name:
                error = str(record["message"])
                table.scores.setdefault(cell, Score(error=error, missing=True))
