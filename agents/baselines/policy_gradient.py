"""A tabular policy gradient against opponents that do not learn: REINFORCE with a baseline.

Williams, "Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement
Learning" (1992): after each episode the logit of what was done grows by the payoff above what was
expected here, times how unlikely it was, and the others shrink. The table has a row for each vector
of the numeric view, made at the first visit, and the opponent may be anything. In self-play such
gradients go in circles: `agents/self_play/mirror_descent.py` is for that. Left out: discounting,
payoffs before the end, and games that are too large to enumerate.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.baselines.game_ppo import OneSeat
from zerogym.envs.games.core.game import Game, draw
from zerogym.envs.games.core.seat_views import View
from zerogym.envs.games.core.tabular_policy import TabularPolicy, check_enumerable, information_sets

Floats = NDArray[np.float64]

RECENT = 100  # episodes whose mean payoff is reported
REPORTS = 100  # in a run


@dataclass(frozen=True)
class PolicyGradientConfig:
    """Settings.

    Attributes:
        steps: Moves of the learner; the last episode is played to its end.
        rate: Of the logits, for payoffs scaled to a range of 2.
        baseline_rate: Of the expected payoff of a row, once its plain average is slower.
        seed: Of all chance.
    """

    steps: int = 32_768
    rate: float = 0.3
    baseline_rate: float = 0.05
    seed: int = 0


@dataclass
class _Row:
    """Learned values of one vector: logits (num_actions,), the expected payoff, visits."""

    logits: Floats
    expected: float = 0.0
    visits: int = 0

    def probabilities(self) -> Floats:
        powers = np.exp(self.logits - self.logits.max())
        found: Floats = powers / powers.sum()
        return found

    def update(self, action: int, payoff: float, config: PolicyGradientConfig) -> None:
        """One step of REINFORCE with a running mean as baseline."""
        self.visits += 1
        advantage = payoff - self.expected
        self.expected += advantage * max(config.baseline_rate, 1 / self.visits)
        gradient = -self.probabilities()
        gradient[action] += 1
        self.logits += config.rate * advantage * gradient


class PolicyGradient:
    """The learner.

    Args:
        game: The rules.
        config: Settings.

    Raises:
        ValueError: If the game is too large to enumerate.

    Example:
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> learner = PolicyGradient(KuhnPoker(), PolicyGradientConfig(steps=3000))
        >>> caller = learner.learn("random")  # which bets as often with a jack as with a king
        >>> caller.table["Q:b"][1] > 0.5
        True
    """

    def __init__(self, game: Game[Any], config: PolicyGradientConfig | None = None) -> None:
        check_enumerable(game)
        self.game = game
        self.config = config or PolicyGradientConfig()
        low, high = game.payoff_range
        self._scale = 2 / ((high - low) or 2)

    def learn(
        self,
        opponent: Any,
        opponent_view: View = "numeric",
        on_progress: Callable[[int, float], object] | None = None,
    ) -> TabularPolicy:
        """A table for all seats; uniform where the learner never came.

        Args:
            opponent: In all other seats: as `OneSeat`.
            opponent_view: What an opponent reads that is a policy.
            on_progress: Called now and then with the moves so far and the mean payoff of the last
                100 episodes.
        """
        env = OneSeat(self.game, opponent, opponent_view=opponent_view)
        rng = np.random.default_rng((self.config.seed, 1))
        rows: dict[bytes, _Row] = {}
        steps, reported = 0, 0
        payoffs: list[float] = []
        env.reset(seed=self.config.seed)
        while steps < self.config.steps:
            path, payoff = _episode(env, rows, rng)
            for row, action in path:
                row.update(action, payoff * self._scale, self.config)
            steps += len(path)
            payoffs = [*payoffs[1 - RECENT :], payoff]
            if on_progress is not None and steps * REPORTS >= reported * self.config.steps:
                reported = 1 + steps * REPORTS // self.config.steps
                on_progress(steps, float(np.mean(payoffs)))
        env.close()
        return self._policy(rows)

    def _policy(self, rows: dict[bytes, _Row]) -> TabularPolicy:
        table = {}
        for key, (state, *_) in information_sets(self.game).items():
            row = rows.get(self.game.observe(state, self.game.to_move(state)).tobytes())
            if row is not None:
                table[key] = row.probabilities()[list(self.game.legal(state))].tolist()
        return TabularPolicy(self.game, table)


def _episode(
    env: OneSeat, rows: dict[bytes, _Row], rng: np.random.Generator
) -> tuple[list[tuple[_Row, int]], float]:
    """The rows and actions of one episode, and its payoff."""
    observation, _ = env.reset()
    path = []
    while True:
        key = observation.tobytes()
        if key not in rows:
            rows[key] = _Row(np.where(env.action_masks(), 0.0, -np.inf))
        row = rows[key]
        action = draw(row.probabilities().tolist(), rng)
        path.append((row, action))
        observation, payoff, terminated, _, _ = env.step(action)
        if terminated:
            return path, float(payoff)
