"""CFR+: an approximate equilibrium of a two-seat zero-sum game by self-play of regrets.

Tammelin, "Solving Large Imperfect Information Games Using CFR+" (2014, arXiv 1407.5042): regrets
are cut at zero after each iteration, the seats are updated in turn, and iteration t counts t times
in the average strategy, which is what converges. Left out: sampling, the delay of the average.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core import CHANCE, TERMINAL, Game
from zerogym.envs.games.tabular import TabularPolicy, information_sets

ITERATIONS = 1000  # for Kuhn poker: half a second, exploitability below 1e-4

Floats = NDArray[np.float64]


class CFRPlus:
    """The sums of CFR+ for one game; `iterate` as long as you like, then take `average`.

    Raises:
        ValueError: If the game is too large, or not of two seats and zero-sum.
    """

    def __init__(self, game: Game[Any]) -> None:
        if game.num_seats != 2 or not game.zero_sum:
            raise ValueError(f"CFR+ needs two seats and zero sums, {game.name} has not")
        self.game = game
        self.iteration = 0
        sets = information_sets(game)
        counts = {key: len(game.legal(states[0])) for key, states in sets.items()}
        self._regrets: dict[str, Floats] = {key: np.zeros(n) for key, n in counts.items()}
        self._changes: dict[str, Floats] = {key: np.zeros(n) for key, n in counts.items()}
        self._sums: dict[str, Floats] = {key: np.zeros(n) for key, n in counts.items()}

    def iterate(self) -> None:
        """Update both seats once."""
        self.iteration += 1
        for seat in range(self.game.num_seats):
            self._walk(self.game.initial(), seat, 1.0, 1.0)
            for key, change in self._changes.items():
                np.maximum(self._regrets[key] + change, 0.0, out=self._regrets[key])
                change[:] = 0.0

    def average(self) -> TabularPolicy:
        """The average strategy of both seats."""
        table = {
            key: tuple(sums / sums.sum()) if sums.sum() > 0 else tuple(_match(sums))
            for key, sums in self._sums.items()
        }
        return TabularPolicy(self.game, table)

    def _walk(self, state: Any, seat: int, own: float, others: float) -> float:
        """Value for `seat`; `own` and `others` are the reach probabilities, chance in `others`."""
        game = self.game
        mover = game.to_move(state)
        if mover == TERMINAL:
            return game.payoff(state)[seat]
        if mover == CHANCE:
            return sum(
                float(p) * self._walk(game.apply(state, a), seat, own, others * float(p))
                for a, p in game.chance(state)
            )
        key = game.info_key(state, mover)
        strategy = _match(self._regrets[key])
        children = [game.apply(state, action) for action in game.legal(state)]
        if mover != seat:
            return sum(
                float(p) * self._walk(child, seat, own, others * float(p))
                for child, p in zip(children, strategy, strict=True)
            )
        values = np.array(
            [
                self._walk(child, seat, own * float(p), others)
                for child, p in zip(children, strategy, strict=True)
            ]
        )
        value = float(strategy @ values)
        self._changes[key] += others * (values - value)
        self._sums[key] += self.iteration * own * strategy
        return value


def _match(regrets: Floats) -> Floats:
    """Regret matching: proportional to positive regrets, uniform where there are none."""
    total = regrets.sum()
    return regrets / total if total > 0 else np.full(len(regrets), 1 / len(regrets))


@lru_cache(maxsize=8)
def cfr_equilibrium(game: Game[Any], iterations: int = ITERATIONS) -> TabularPolicy:
    """The average strategy of CFR+, computed once a process.

    Example:
        >>> from zerogym.envs.games.kuhn_poker import KuhnPoker
        >>> from zerogym.envs.games.tabular import expected_payoffs
        >>> policy = cfr_equilibrium(KuhnPoker())
        >>> bool(abs(expected_payoffs(KuhnPoker(), [policy, policy])[0] + 1 / 18) < 1e-3)
        True
    """
    solver = CFRPlus(game)
    for _ in range(iterations):
        solver.iterate()
    return solver.average()
