"""Matches between players, for the tests of how strong they are."""

from math import comb
from typing import Any

import numpy as np

from zerogym.envs.games.core.game import TERMINAL, Game, deal


def play(game: Game[Any], players: Any, rng: np.random.Generator) -> tuple[float, ...]:
    """The payoffs of one game."""
    state = deal(game, game.initial(), rng)
    while (mover := game.to_move(state)) != TERMINAL:
        state = deal(game, game.apply(state, players[mover].choose(state, rng)), rng)
    return game.payoff(state)


def chance_of_so_many(wins: int, games: int) -> float:
    """The probability of as many wins or more, if each were as likely as a loss."""
    return sum(comb(games, k) for k in range(wins, games + 1)) / 2**games
