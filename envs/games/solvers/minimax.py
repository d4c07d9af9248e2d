"""Perfect play of games of perfect information, by backward induction over all states.

Each seat takes what is best for itself; chance is averaged. More than two seats and sums other than
0 are fine: the result is then an equilibrium, not the only one. Left out: pruning, which
`alpha_beta.py` has for larger games, so these must be small enough to enumerate.
"""

from functools import lru_cache
from typing import Any

from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game
from zerogym.envs.games.core.tabular_policy import TabularPolicy, layers, moves

TIE = 1e-12


def solve(game: Game[Any]) -> dict[Any, tuple[float, ...]]:
    """The payoffs of every state under perfect play.

    Raises:
        ValueError: If the game hides something from a seat, or is too large.

    Example:
        >>> from zerogym.envs.games.board.tic_tac_toe import TicTacToe
        >>> solve(TicTacToe())[TicTacToe().initial()]
        (0.0, 0.0)
    """
    if not game.perfect_information:
        raise ValueError(f"minimax needs perfect information, {game.name} hides moves or cards")
    values: dict[Any, tuple[float, ...]] = {}
    for layer in reversed(layers(game)):
        for state in layer:
            mover = game.to_move(state)
            if mover == TERMINAL:
                values[state] = game.payoff(state)
                continue
            children = [values[game.apply(state, action)] for action in moves(game, state)]
            if mover == CHANCE:
                weights = [float(p) for _, p in game.chance(state)]
                values[state] = tuple(
                    sum(w * child[seat] for w, child in zip(weights, children, strict=True))
                    for seat in range(game.num_seats)
                )
            else:
                values[state] = max(children, key=lambda child: child[mover])
    return values


@lru_cache(maxsize=8)
def minimax_policy(game: Game[Any]) -> TabularPolicy:
    """All actions that keep the value of the state, equally likely; computed once a process."""
    values = solve(game)
    table: dict[str, tuple[float, ...]] = {}
    for state in values:
        mover = game.to_move(state)
        if mover < 0:
            continue
        gains = [values[game.apply(state, action)][mover] for action in game.legal(state)]
        best = [gain >= max(gains) - TIE for gain in gains]
        table[game.info_key(state, mover)] = tuple(good / sum(best) for good in best)
    return TabularPolicy(game, table)
