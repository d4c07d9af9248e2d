"""Many episodes of a small game at once, played from tables of probabilities.

Left out: games that are too large to enumerate.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.batched.games import BatchedGame

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Visits:
    """All decisions of all episodes.

    Attributes:
        codes: (V,) of `BatchedGame.tables`.
        actions: (V,) what was done.
        returns: (V,) the payoff of the acting seat at the end.
    """

    codes: Indices
    actions: Indices
    returns: Floats


def play(games: BatchedGame, tables: Floats, members: Indices, rng: np.random.Generator) -> Visits:
    """One episode in each of the games.

    Args:
        games: All of them begin anew.
        tables: (M, decisions, num_actions), probabilities of the actions.
        members: (n,) by which of the tables each game is played.
        rng: Of the actions.
    """
    bounds = tables.cumsum(axis=2)
    bounds /= bounds[..., -1:]  # tables of strategies may miss 1 by a millionth
    bounds[bounds > 1 - 1e-9] = 2.0  # a rounded sum must not let an illegal action through
    games.reset()
    playing = np.ones(games.n, dtype=bool)
    payoffs = np.zeros((games.n, games.game.num_seats))
    found: list[tuple[Indices, Indices, Indices]] = []
    while playing.any():  # until the longest is over; what others begin meanwhile is not counted
        codes = games.get_state()["codes"]  # of the states, without making observations of them
        tickets = rng.random(games.n)
        actions = (tickets[:, None] >= bounds[members, codes]).sum(axis=1)
        index = np.flatnonzero(playing)
        found.append((index, codes[index], actions[index]))
        batch = games.step(actions)
        ended = playing & batch.done
        payoffs[ended] = batch.payoffs[ended]
        playing &= ~ended
    index, codes, actions = (np.concatenate(column) for column in zip(*found, strict=True))
    return Visits(codes, actions, payoffs[index, games.tables.movers[codes]])
