"""Alpha-beta search: perfect play of two-seat zero-sum games without chance, state by state.

Knuth and Moore, "An Analysis of Alpha-Beta Pruning" (1975), in its fail-soft form with a table of
bounds by state (so-called transpositions); the best reply found before is tried first. A seat may
move several times in a row. Nothing is enumerated beforehand, so that games can be solved whose
states are too many for `minimax.py`.

With a depth limit, a position at the limit counts as the mean of random play-outs, or without any
as the middle of the payoffs: no game knows more of its positions here. Left out: hand-written
evaluations, iterative deepening, symmetries, and an end to the growth of the table.
"""

from random import Random
from typing import Any

import numpy as np

from zerogym.envs.games.core.game import TERMINAL, Game
from zerogym.envs.games.core.players import StrategyPlayer

TIE = 1e-9

Bounds = tuple[float, float, int]  # lower, upper, and the action to try first


class AlphaBeta(StrategyPlayer):
    """A strategy that takes, with equal probabilities, any action that keeps the value.

    Args:
        game: The rules.
        depth: Moves looked ahead; None: to the end, which is exact.
        play_outs: Random continuations by which a position at the depth limit is judged.

    Raises:
        ValueError: If the game hides something, has chance, more than two seats, or other sums
            than zero. (That a game has chance is known when it comes up.)

    Example:
        >>> from zerogym.envs.games.board.tic_tac_toe import TicTacToe
        >>> AlphaBeta(TicTacToe()).value(TicTacToe().initial())
        0.0
    """

    def __init__(self, game: Game[Any], depth: int | None = None, play_outs: int = 0) -> None:
        if not game.perfect_information or not game.zero_sum or game.num_seats != 2:
            raise ValueError(
                f"alpha-beta needs two seats, zero sums and perfect information; {game.name} has "
                f"{game.num_seats} seats, zero_sum={game.zero_sum}, "
                f"perfect_information={game.perfect_information}"
            )
        if depth is not None and depth < 1:
            raise ValueError(f"depth must be at least 1, got {depth!r}")
        self.game = game
        self.depth = depth
        self.play_outs = play_outs
        self._table: dict[Any, Bounds] = {}

    def value(self, state: Any) -> float:
        """The payoff of seat 0, if both play perfectly from here (or as far as `depth` shows)."""
        low, high = self.game.payoff_range
        return self._search(state, self.depth, low, high)

    def best(self, state: Any) -> tuple[int, ...]:
        """The actions that keep the value of a state, for the seat to move.

        Each is tested with an empty window: not what it is worth, only whether it is as good.
        """
        value, below = self.value(state), None if self.depth is None else self.depth - 1
        kept = []
        for action in self.game.legal(state):
            child = self.game.apply(state, action)
            if self.game.to_move(state) == 0:
                good = self._search(child, below, value - TIE, value) >= value - TIE
            else:
                good = self._search(child, below, value, value + TIE) <= value + TIE
            if good:
                kept.append(action)
        return tuple(kept)

    def probabilities(self, state: Any) -> tuple[float, ...]:
        """Probabilities of the legal actions, for the seat to move."""
        best = self.best(state)
        return tuple((action in best) / len(best) for action in self.game.legal(state))

    def _search(self, state: Any, depth: int | None, alpha: float, beta: float) -> float:
        """A value within (alpha, beta) is exact; one outside is a bound of the true one."""
        game = self.game
        mover = game.to_move(state)
        if mover == TERMINAL:
            return game.payoff(state)[0]
        if mover < 0:
            raise ValueError(f"alpha-beta cannot average over chance, which {game.name} has")
        if depth == 0:
            return self._guess(state)
        key = state if depth is None else (state, depth)
        lower, upper, first = self._table.get(key, (-np.inf, np.inf, -1))
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        alpha, beta = max(alpha, lower), min(beta, upper)
        value, action = self._try_all(state, mover, depth, alpha, beta, first)
        if value > alpha:
            lower = value
        if value < beta:
            upper = value
        self._table[key] = (lower, upper, action)
        return value

    def _try_all(
        self, state: Any, mover: int, depth: int | None, alpha: float, beta: float, first: int
    ) -> tuple[float, int]:
        """The best child's value and action; the rest is not looked at once it cannot matter."""
        game, below = self.game, None if depth is None else depth - 1
        legal = game.legal(state)
        order = legal if first < 0 else (first, *(action for action in legal if action != first))
        best, chosen = -np.inf if mover == 0 else np.inf, order[0]
        for action in order:
            value = self._search(game.apply(state, action), below, alpha, beta)
            if mover == 0:
                if value > best:
                    best, chosen = value, action
                alpha = max(alpha, value)
            else:
                if value < best:
                    best, chosen = value, action
                beta = min(beta, value)
            if alpha >= beta:
                break
        return best, chosen

    def _guess(self, state: Any) -> float:
        """The mean payoff of seat 0 in random play-outs; always the same for a state."""
        game = self.game
        if not self.play_outs:
            return sum(game.payoff_range) / 2
        rng, total = Random(repr(state)), 0.0
        for _ in range(self.play_outs):
            end = state
            while game.to_move(end) != TERMINAL:
                legal = game.legal(end)
                end = game.apply(end, legal[int(rng.random() * len(legal))])
            total += game.payoff(end)[0]
        return total / self.play_outs
