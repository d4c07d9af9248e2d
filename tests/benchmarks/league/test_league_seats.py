"""Leagues of games of three seats: two players share them fairly."""

from typing import Any

import numpy as np
import pytest

from helpers.games.leagues import Silent, by_name
from zerogym.benchmarks.league.league import play_league
from zerogym.benchmarks.league.match import Entrant, LeagueError, Match, play_match, seatings
from zerogym.benchmarks.league.players import named
from zerogym.benchmarks.league.standings import standings
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
from zerogym.envs.games.economic.matrix import MatrixGame

KUHN = KuhnPoker(players=3)


class Always:
    """A player of one action."""

    def __init__(self, action: int) -> None:
        self.action = action

    def choose(self, state: Any, rng: np.random.Generator, deterministic: bool = False) -> int:
        return self.action


def entrants(one: Any, other: Any) -> list[Entrant]:
    return [Entrant("a", lambda _: one), Entrant("b", lambda _: other)]


def meet(game: Any, one: Any, other: Any, pairs: int) -> Match:
    return play_match(game, *entrants(one, other), pairs)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_both_players_sit_equally_often_in_each_seat(seats: int) -> None:
    ways = seatings(seats)
    assert len(set(ways)) == len(ways) == 2**seats - 2
    assert np.mean(ways, axis=0).tolist() == [0.5] * seats
    assert all(set(way) == {0, 1} for way in ways)


def test_a_player_wins_the_mean_of_its_seats() -> None:
    """By hand: the seat that differs from the two others gets 2, and they lose 1 each."""
    cells = np.zeros((2, 2, 2, 3))
    for joint in seatings(3):
        odd = next(s for s in range(3) if joint.count(joint[s]) == 1)
        cells[joint] = [2 if seat == odd else -1 for seat in range(3)]
    game = MatrixGame(name="odd one wins", actions=("a", "b"), payoffs=cells.tolist(), rounds=1)
    (deal,) = meet(game, Always(0), Always(1), pairs=1).payoffs
    for owners, won in zip(seatings(3), deal, strict=True):
        alone = 0 if owners.count(0) == 1 else 1
        assert won[alone] == 2 and won[1 - alone] == -1


def test_seats_are_neither_first_nor_last_for_anybody() -> None:
    """A game that the first seat wins, whatever is played, is even."""
    cells = [[[[2.0, -1.0, -1.0]] * 2] * 2] * 2
    game = MatrixGame(name="first wins", actions=("a", "b"), payoffs=cells, rounds=1)
    pair = entrants(Always(0), Always(1))
    rows = standings(game, pair, play_league(game, pair, pairs=2))
    assert [row.payoff.value for row in rows] == [0, 0]
    assert rows[0].elo.value == pytest.approx(rows[1].elo.value)


def test_a_league_of_three_seats_knows_who_is_better(tmp_path: Any) -> None:
    file, players = tmp_path / "league.jsonl", named(KUHN, ["random", "scripted"])
    matches = play_league(KUHN, players, pairs=200, out=file)
    assert play_league(KUHN, players, pairs=200, out=file) == matches  # read from the file
    rows = by_name(standings(KUHN, players, matches))
    assert rows["scripted"].payoff.low > rows["random"].payoff.high
    assert rows["scripted"].share.value > 0.9
    found = rows["random"].exploitability
    assert found is not None and found.value == pytest.approx(2.0625 / 3)  # NashConv by seat


def test_forfeits_are_counted_by_player() -> None:
    match = meet(KUHN, Silent(), Always(0), pairs=2)
    assert match.forfeits == (12, 0)  # in every game one of its seats is to move
    rows = by_name(standings(KUHN, entrants(Silent(), Always(0)), [match]))
    assert rows["a"].forfeits == 1 and rows["b"].forfeits == 0
    assert rows["b"].elo.value > rows["a"].elo.value


@pytest.mark.parametrize("won", [float("nan"), float("inf")])
def test_payoffs_that_are_no_numbers_are_not_ranked(
    won: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(KuhnPoker, "payoff", lambda self, state: (won, -won, 0.0))
    with pytest.raises(LeagueError, match="cannot be ranked"):
        meet(KUHN, Always(0), Always(0), pairs=1)
