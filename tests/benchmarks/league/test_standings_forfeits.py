"""A player that makes no legal move gains no rating by it, whatever the payoffs are."""

from typing import Any

import pytest

from zerogym.benchmarks.league.league import play_league
from zerogym.benchmarks.league.match import Entrant
from zerogym.benchmarks.league.standings import standings
from zerogym.envs.games.core.game import load_game


class Always:
    """A policy with one reply."""

    def __init__(self, reply: str) -> None:
        self.reply = reply

    def predict(self, observations: Any, *_: Any) -> tuple[Any, Any]:
        return [self.reply] * len(observations), None


@pytest.mark.parametrize("order", [("mute", "kind", "mean"), ("mean", "kind", "mute")])
def test_silence_is_rated_below_every_loser(order: tuple[str, ...]) -> None:
    replies = {"mute": "?", "kind": "cooperate", "mean": "defect"}
    game = load_game("prisoners_dilemma")
    entrants = [Entrant(name, lambda _, name=name: Always(replies[name])) for name in order]  # type: ignore[misc]
    rows = {row.name: row for row in standings(game, entrants, play_league(game, entrants, 5))}
    assert rows["mute"].forfeits == 1
    assert rows["mute"].elo.value < rows["kind"].elo.value < rows["mean"].elo.value
