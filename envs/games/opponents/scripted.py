"""The rule of thumb of a game as a strategy.

The module of a game's rules may have a function `scripted(game, state, seat)` that returns an
action, or probabilities of the legal ones. It uses nothing that the seat does not know, and its
docstring says how strong it is.
"""

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.players import StrategyPlayer

Script = Callable[[Any, Any, int], int | Sequence[float]]


def find_script(game: Game[Any]) -> Script | None:
    """The function `scripted` beside the rules, or None."""
    for rules in type(game).__mro__:
        script: Script | None = getattr(sys.modules[rules.__module__], "scripted", None)
        if script is not None:
            return script
    return None


class Scripted(StrategyPlayer):
    """A strategy, and a player, from the rule of thumb of a game.

    Raises:
        ValueError: If the game has none.

    Example:
        >>> from zerogym.envs.games.board.connect_four import ConnectFour
        >>> Scripted(ConnectFour()).probabilities(ConnectFour().initial())
        (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    """

    def __init__(self, game: Game[Any]) -> None:
        script = find_script(game)
        if script is None:
            raise ValueError(f"{game.name} has no scripted player")
        self.game = game
        self._script = script

    def probabilities(self, state: Any) -> tuple[float, ...]:
        """Probabilities of the legal actions, for the seat to move."""
        found = self._script(self.game, state, self.game.to_move(state))
        if isinstance(found, (int, np.integer)):
            return tuple(float(action == found) for action in self.game.legal(state))
        return tuple(map(float, found))


@lru_cache(maxsize=8)
def scripted_policy(game: Game[Any]) -> Scripted:
    """One object a game, so that answers to it are kept."""
    return Scripted(game)
