"""The learner that needs no learning: the exact best response to a mixture."""

from typing import Any

from zerogym.agents.self_play.sequence_form import mixed
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.tabular_policy import TabularPolicy
from zerogym.envs.games.opponents.mixture import Mixture
from zerogym.envs.games.solvers.best_response import best_response


class BestResponse:
    """Answers opponents whose probabilities are known, in games of two seats with perfect recall.

    Example:
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> bluffer = TabularPolicy(KuhnPoker(), {"J:p": (0, 1)})
        >>> caller = BestResponse().learn(KuhnPoker(), 0, Mixture((bluffer,), (1,)))
        >>> caller.table["Q:pb"]
        (0.0, 1.0)
    """

    def learn(self, game: Game[Any], seat: int, opponents: Mixture) -> TabularPolicy:
        """The strategy of the highest payoff; of equally good actions the first."""
        other = mixed(game, 1 - seat, opponents.members, opponents.weights)
        return best_response(game, seat, other)[0]
