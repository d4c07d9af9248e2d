"""Determinization: random states of the information set of the seat to move, for tree search.

Rules may have a method `resample(state, seat, rng)`, called where `seat` is to move. It returns a
state of the same information set, and for all states of the set the same one from the same
generator: it must not look at what is hidden. Without it, games whose states can be enumerated are
looked up, and others are played at random until the information set comes up, which is hopeless
after more than a few moves. Rules for which that is the case have `redrawn = False`.

All three draw as if the others had moved at random: a state counts as often as chance and random
moves lead to it (our choice: what the moves of a good player reveal is ignored).
"""

from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game, deal
from zerogym.envs.games.core.tabular_policy import layers
from zerogym.errors import NoOracle

MAX_MOVES = 20_000  # of random play, in search of an information set

Drawn = tuple[list[Any], list[float]]  # states of a set, and their cumulative weights


def can_redraw(game: Game[Any]) -> bool:
    """Return True unless the rules have a false `redrawn`."""
    return bool(getattr(game, "redrawn", True))


def resample(game: Game[Any], state: Any, rng: np.random.Generator) -> Any:
    """Return a state of the same information set; `state` itself in games of perfect information.

    Raises:
        NoOracle: If random play never came to this information set.

    Example:
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker, KuhnState
        >>> rng = np.random.default_rng(0)
        >>> {resample(KuhnPoker(), KuhnState((1, 0), "p"), rng).cards for _ in range(9)}
        {(1, 0), (2, 0)}
    """
    if game.perfect_information:
        return state
    seat = game.to_move(state)
    own = getattr(game, "resample", None)
    if own is not None:
        return own(state, seat, rng)
    key = game.info_key(state, seat)
    if not game.enumerable:
        return _replay(game, key, seat, rng)
    states, cumulative = _sets(game)[key]
    index = int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))
    return states[min(index, len(states) - 1)]


@lru_cache(maxsize=8)
def _sets(game: Game[Any]) -> dict[str, Drawn]:
    """Each information set: its states, weighted by random play."""
    weights: dict[Any, float] = {game.initial(): 1.0}
    found: dict[str, Drawn] = {}
    for layer in layers(game):
        for state in layer:
            mover, weight = game.to_move(state), weights[state]
            if mover == CHANCE:
                nexts = [(outcome, float(p)) for outcome, p in game.chance(state)]
            else:
                legal = game.legal(state)
                nexts = [(action, 1 / len(legal)) for action in legal]
            if mover >= 0:
                states, own = found.setdefault(game.info_key(state, mover), ([], []))
                states.append(state)
                own.append(weight)
            for action, probability in nexts:
                child = game.apply(state, action)
                weights[child] = weights.get(child, 0.0) + weight * probability
    return {key: (states, list(accumulate(own))) for key, (states, own) in found.items()}


def _replay(game: Game[Any], key: str, seat: int, rng: np.random.Generator) -> Any:
    state = game.initial()
    for _ in range(MAX_MOVES):
        state = deal(game, state, rng)
        mover = game.to_move(state)
        if mover == seat and game.info_key(state, seat) == key:
            return state
        if mover == TERMINAL:
            state = game.initial()
            continue
        legal = game.legal(state)
        state = game.apply(state, legal[int(rng.integers(len(legal)))])
    raise NoOracle(
        f"{game.name}: random play did not come to this information set in {MAX_MOVES:,} moves; "
        "search needs a method resample(state, seat, rng) of the rules"
    )
