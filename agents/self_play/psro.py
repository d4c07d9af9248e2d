"""The loop of all self-play: a learner answers a mixture of earlier selves, and joins them.

With the meta-solvers of `meta_solvers.py` it is naive self-play, fictitious play or PSRO (Lanctot
et al., "A Unified Game-Theoretic Approach to Multiagent Reinforcement Learning", 2017, arXiv
1711.00832), over any learner. Both seats learn against the selves before this step. Left out: more
than two seats, payoffs that are not zero-sum, and training several learners at once.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.self_play.meta_solvers import MetaSolver, nash
from zerogym.agents.self_play.sequence_form import exact_payoff, mixed
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.tabular_policy import TabularPolicy
from zerogym.envs.games.opponents.mixture import Mixture
from zerogym.envs.games.opponents.registry import uniform_policy

Evaluate = Callable[[Game[Any], Any, Any], float]  # mean payoff of the first of two policies
Floats = NDArray[np.float64]


class Learner(Protocol):
    """Anything that learns to play against others: exact, tabular, or a network."""

    def learn(self, game: Game[Any], seat: int, opponents: Mixture) -> Any:
        """A policy for a seat.

        Args:
            game: The rules.
            seat: The seat of the policy.
            opponents: For each episode one is drawn, and plays all other seats.
        """


class SelfPlay:
    """The policies of two seats, of which each is learned against those before it.

    Args:
        game: The rules, of two seats and zero-sum.
        learner: Makes the policies.
        meta_solver: Which earlier policies are met, and how often.
        start: The first policy of both seats; default: all legal actions are equally likely.
        evaluate: Mean payoff of the first of two policies; the default is exact and needs
            strategies with probabilities. For other policies, play matches.

    Attributes:
        members: The policies of each seat, the oldest first.

    Raises:
        ValueError: If the game is not of two seats and zero-sum.

    Example:
        >>> from zerogym.agents.self_play.exact_best_response import BestResponse
        >>> from zerogym.envs.games.solvers.best_response import exploitability
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> psro = SelfPlay(KuhnPoker(), BestResponse())
        >>> for _ in range(10):
        ...     psro.step()
        >>> exploitability(KuhnPoker(), psro.strategy()) < 0.01
        True
    """

    def __init__(
        self,
        game: Game[Any],
        learner: Learner,
        meta_solver: MetaSolver = nash,
        start: Any = None,
        evaluate: Evaluate = exact_payoff,
    ) -> None:
        if game.num_seats != 2 or not game.zero_sum:
            raise ValueError(f"self-play needs two seats and zero sums, {game.name} has not")
        self.game = game
        self.learner = learner
        self.meta_solver = meta_solver
        self.evaluate = evaluate
        first = uniform_policy(game) if start is None else start
        self.members: tuple[list[Any], list[Any]] = ([first], [first])
        self._payoffs = np.zeros((0, 0))

    def step(self) -> None:
        """Learn one policy more for each seat."""
        mixtures = self.mixtures()
        for seat, members in enumerate(self.members):
            members.append(self.learner.learn(self.game, seat, mixtures[1 - seat]))

    def mixtures(self) -> tuple[Mixture, Mixture]:
        """The present mixture of each seat, of which one policy is drawn for each episode."""
        weights = self.meta_solver(len(self.members[0]), self.payoffs)
        first, second = map(_mixture, self.members, weights)
        return first, second

    def strategy(self) -> TabularPolicy:
        """The mixtures of both seats as one table; policies must have probabilities."""
        table: dict[str, tuple[float, ...]] = {}
        for seat, mixture in enumerate(self.mixtures()):
            table |= mixed(self.game, seat, mixture.members, mixture.weights).table
        return TabularPolicy(self.game, table)

    def payoffs(self) -> Floats:
        """Mean payoffs of the first seat's policies; only new pairs are evaluated."""
        known, (rows, columns) = len(self._payoffs), self.members
        table = np.zeros((len(rows), len(columns)))
        table[:known, :known] = self._payoffs
        for row, column in np.ndindex(table.shape):
            if max(row, column) >= known:
                table[row, column] = self.evaluate(self.game, rows[row], columns[column])
        self._payoffs = table
        return table


def _mixture(members: list[Any], weights: Floats) -> Mixture:
    met = np.flatnonzero(weights > 0).tolist()
    return Mixture(tuple(members[i] for i in met), tuple(float(weights[i]) for i in met))
