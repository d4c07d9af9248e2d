"""The best play that is known in a game, and against an opponent.

The oracle against an opponent whose probabilities are known is the exact best response to it.
Against any other opponent it is an equilibrium, where there is one.
"""

from functools import lru_cache
from typing import Any

from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.players import Player, PolicyLike, TextPlayer
from zerogym.envs.games.core.tabular_policy import TabularPolicy
from zerogym.envs.games.solvers.alpha_beta import AlphaBeta
from zerogym.envs.games.solvers.best_response import best_response
from zerogym.envs.games.solvers.cfr import cfr_equilibrium
from zerogym.envs.games.solvers.mcts import MCTS
from zerogym.envs.games.solvers.minimax import minimax_policy
from zerogym.errors import NoOracle

SEARCH_SIMULATIONS = 400  # of the player that stands in for an oracle in large games


def is_searchable(game: Game[Any]) -> bool:
    """Return True if it is solved in time, though too large to enumerate: see `core.Game`."""
    return bool(getattr(game, "searchable", False))


def has_equilibrium(game: Game[Any]) -> bool:
    """Return True if some player cannot be beaten by any adversary: `minimax` or `cfr`."""
    solved = game.enumerable or is_searchable(game)
    return solved and game.num_seats == 2 and game.zero_sum


def has_tree(game: Game[Any]) -> bool:
    """Return True if all states fit in memory, for exact best responses to a known strategy."""
    return game.enumerable or (is_searchable(game) and not game.perfect_information)


def best_known_player(
    game: Game[Any], seat: int, opponent: Player | TextPlayer | PolicyLike
) -> Player:
    """The best play known here against an opponent.

    Where the states can be enumerated it is exact: the best response to a strategy whose
    probabilities are known, else an equilibrium. So it is in `searchable` games that hide
    something; their arrays take seconds and up to 200 MB, once a process. In `searchable` games of
    perfect information it is perfect play, whoever the opponent is. For the rest it is a tree
    search of `SEARCH_SIMULATIONS`: a strong player, no more.

    Raises:
        NoOracle: If the game is not zero-sum and there is no best response: what is best then
            depends on who else plays.
    """
    if has_tree(game) and callable(getattr(opponent, "probabilities", None)):
        known: Any = opponent
        return best_response(game, seat, known)[0]
    if has_equilibrium(game):
        return perfect_player(game) if game.perfect_information else cfr_equilibrium(game)
    if not game.zero_sum:
        raise NoOracle(f"what is best in {game.name} depends on an opponent that is not known")
    return MCTS(game, SEARCH_SIMULATIONS)


def equilibrium(game: Game[Any]) -> TabularPolicy:
    """Minimax, or the average strategy of CFR+; with two seats and zero sums no adversary beats it.

    Raises:
        ValueError: If the game is too large for either, or hides moves and is not of two seats
            and zero-sum.
    """
    return minimax_policy(game) if game.perfect_information else cfr_equilibrium(game)


@lru_cache(maxsize=8)
def perfect_player(game: Game[Any]) -> TabularPolicy | AlphaBeta:
    """Perfect play: from a table of all states, or for larger games searched move by move."""
    return minimax_policy(game) if game.enumerable else AlphaBeta(game)
