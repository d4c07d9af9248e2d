"""Determinization of games of OpenSpiel, for tree search (`core/determinization.py`).

It is done where OpenSpiel can do it, and where only the moves of the present round are hidden. Left
out: all other large games that hide something, where `mcts` is refused.
"""

from collections.abc import Callable

import numpy as np

from zerogym.envs.games.open_spiel.state import SpielState, load_spiel, replayed

Redraw = Callable[[SpielState, int, np.random.Generator], SpielState]

# OpenSpiel redraws these in a millisecond, without a look at what is hidden, and with a history
# that leads to the state that it draws. That of gin rummy does not, bridge takes half a second,
# and the state of colored trails is always the true one.
REDRAWN = (
    *("bargaining", "euchre", "hearts", "kuhn_poker", "leduc_poker", "oh_hell"),
    "universal_poker",
)


def find_redraw(game: str) -> Redraw | None:
    """The function that draws a state of the same information set, or None."""
    if load_spiel(game).hides_the_round:
        return _round_again
    return _redraw if game.partition("(")[0] in REDRAWN else None


def _round_again(state: SpielState, seat: int, rng: np.random.Generator) -> SpielState:
    """Other moves of the seats that have moved already in this round."""
    found = replayed(state.game, state.history[: len(state.history) - seat])
    for _ in range(seat):
        found = found.child(found.legal[int(rng.integers(len(found.legal)))])
    return found


def _redraw(state: SpielState, seat: int, rng: np.random.Generator) -> SpielState:
    inner = state.inner.resample_from_infostate(seat, rng.random)
    return SpielState(state.game, tuple(inner.history()), inner)
