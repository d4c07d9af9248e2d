"""CFR+: an approximate equilibrium of a two-seat zero-sum game by self-play of regrets.

Tammelin, "Solving Large Imperfect Information Games Using CFR+" (2014, arXiv 1407.5042): regrets
are cut at zero after each iteration, the seats are updated in turn, and iteration t counts t times
in the average strategy, which is what converges. Left out: sampling, the delay of the average.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.tabular_policy import TabularPolicy
from zerogym.envs.games.core.tree import compiled

ITERATIONS = 1000  # Kuhn poker: 0.1 s, exploitability below 1e-4; Leduc: 0.5 s, below 1e-3
LARGE_ITERATIONS = 200  # liar's dice, 295,000 states: 4 s and 200 MB, exploitability below 2e-3

Floats = NDArray[np.float64]


class CFRPlus:
    """The sums of CFR+ for one game; `iterate` as long as you like, then take `average`.

    All states are held in memory, however many: games that are too large are not refused.

    Raises:
        ValueError: If the game is not of two seats and zero-sum.
    """

    def __init__(self, game: Game[Any]) -> None:
        if game.num_seats != 2 or not game.zero_sum:
            raise ValueError(f"CFR+ needs two seats and zero sums, {game.name} has not")
        self.game = game
        self.iteration = 0
        self._tree = compiled(game)
        seats, edges = range(game.num_seats), self._tree.edges
        self._levels = [self._tree.levels(seat) for seat in seats]
        self._own = [edges.take(edges.mover == seat) for seat in seats]
        self._uniform = self._tree.uniform()
        self._regrets = np.zeros(len(self._tree.set_of_slot))
        self._sums = np.zeros(len(self._tree.set_of_slot))

    def iterate(self) -> None:
        """Update both seats once."""
        self.iteration += 1
        for seat in range(self.game.num_seats):
            self._update(seat)

    def average(self) -> TabularPolicy:
        """The average strategy of both seats."""
        return TabularPolicy(self.game, self._tree.rows(self._match(self._sums)))

    def _match(self, regrets: Floats) -> Floats:
        """Regret matching: proportional to positive regrets, uniform where there are none."""
        tree = self._tree
        totals = np.add.reduceat(regrets, tree.starts)[tree.set_of_slot]
        return np.where(totals > 0, regrets / np.where(totals > 0, totals, 1), self._uniform)

    def _update(self, seat: int) -> None:
        """Add a seat's counterfactual regrets, and its strategy to the average."""
        tree = self._tree
        strategy = self._match(self._regrets)
        own, others = np.zeros(tree.size), np.zeros(tree.size)  # probabilities to reach each state
        own[0] = others[0] = 1.0
        moves = [(edges, edges.weights(strategy)) for edges in self._levels[seat]]
        for edges, weights in moves:
            mine = edges.mover == seat
            # States that meet add up what others do; with perfect recall the seat did the same.
            own[edges.child] = own[edges.parent] * np.where(mine, weights, 1.0)
            np.add.at(others, edges.child, others[edges.parent] * np.where(mine, 1.0, weights))
        values = np.zeros(tree.size)
        values[tree.leaves] = tree.payoffs[:, seat]
        for edges, weights in reversed(moves):
            np.add.at(values, edges.parent, weights * values[edges.child])
        actions = self._own[seat]
        gains = others[actions.parent] * (values[actions.child] - values[actions.parent])
        regrets = self._regrets + np.bincount(actions.slot, gains, len(strategy))
        self._regrets = np.maximum(regrets, 0.0)
        reach = np.bincount(actions.slot, own[actions.parent], len(strategy))
        self._sums += self.iteration * reach * strategy


@lru_cache(maxsize=8)
def cfr_equilibrium(game: Game[Any], iterations: int | None = None) -> TabularPolicy:
    """The average strategy of CFR+, computed once a process.

    Args:
        game: The rules.
        iterations: By default `ITERATIONS`, or `LARGE_ITERATIONS` if it is not enumerable.

    Example:
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> from zerogym.envs.games.core.tabular_policy import expected_payoffs
        >>> policy = cfr_equilibrium(KuhnPoker())
        >>> bool(abs(expected_payoffs(KuhnPoker(), [policy, policy])[0] + 1 / 18) < 1e-3)
        True
    """
    solver = CFRPlus(game)
    if iterations is None:
        iterations = ITERATIONS if game.enumerable else LARGE_ITERATIONS
    for _ in range(iterations):
        solver.iterate()
    return solver.average()
