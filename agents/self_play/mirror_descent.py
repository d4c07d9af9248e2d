"""A tabular policy gradient that converges in self-play: magnetic mirror descent from samples.

Sokota et al., "A Unified Approach to Reinforcement Learning, Quantal Response Equilibria, and
Two-Player Zero-Sum Games" (2023, arXiv 2206.05825): at each information set the policy p becomes
proportional to (p exp(step * q))^(1 / (1 + step * temperature)) with the action values q, that is,
a policy gradient step that is drawn towards the uniform policy. Plain gradients go around
equilibria; with this pull the last policy itself approaches one, while step and temperature fall
with the square root of time. Here q are the mean returns of the episodes of one batch. Left out:
other magnets, networks, and games that are too large to enumerate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.self_play.episodes import Visits, play
from zerogym.envs.games.batched.games import BatchedGame
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.tabular_policy import Strategy, TabularPolicy
from zerogym.envs.games.opponents.mixture import Mixture

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class MirrorDescentConfig:
    """Settings.

    Attributes:
        updates: Of the policy, each from new episodes. By default Kuhn poker takes 0.2 s and comes
            to an exploitability of 0.02, Leduc poker 1 s and 0.4 (0.16 by 1000 of 4096 games).
        games: Episodes of an update.
        step: Of the first update, for payoffs scaled to a range of 2.
        temperature: Of the first update: strength of the pull towards uniform.
        seed: Of all chance.
    """

    updates: int = 300
    games: int = 2048
    step: float = 2.0
    temperature: float = 0.5
    seed: int = 0


class MirrorDescent:
    """A learner for the small games: alone against others, or in all seats at once.

    Example:
        >>> from zerogym.envs.games.solvers.best_response import exploitability
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> learner = MirrorDescent(MirrorDescentConfig(updates=50, games=1024))
        >>> exploitability(KuhnPoker(), learner.self_play(KuhnPoker())) < 0.15  # uniform: 0.458
        True
    """

    def __init__(self, config: MirrorDescentConfig | None = None) -> None:
        self.config = config or MirrorDescentConfig()
        self._rng = np.random.default_rng(self.config.seed)

    def self_play(self, game: Game[Any]) -> TabularPolicy:
        """One table for all seats, learned by playing against itself.

        Raises:
            ValueError: If the game is too large to enumerate.
        """
        table = _Table(game, self._games(game))
        self._descend(table, np.zeros((1, *table.shape)), [1.0], range(game.num_seats))
        return table.policy()

    def learn(self, game: Game[Any], seat: int, opponents: Mixture) -> TabularPolicy:
        """A table for one seat, learned against opponents whose probabilities are known.

        Raises:
            ValueError: If the game is too large to enumerate.
        """
        table = _Table(game, self._games(game))
        others = np.stack([table.rows_of(member) for member in opponents.members])
        self._descend(table, others, list(opponents.weights), [seat])
        return table.policy(seat)

    def _games(self, game: Game[Any]) -> BatchedGame:
        return BatchedGame(game, self.config.games, int(self._rng.integers(2**32)))

    def _descend(
        self, table: "_Table", others: Floats, weights: list[float], seats: Sequence[int]
    ) -> None:
        """Update the policy of `seats`, while other seats play one of the rows of `others`."""
        learning = np.isin(table.games.tables.movers, seats)
        shares = np.array(weights) / sum(weights)
        for update in range(1, self.config.updates + 1):
            rows = np.where(learning[:, None], table.probabilities()[table.sets], others)
            members = self._rng.choice(len(others), size=self.config.games, p=shares)
            visits = play(table.games, rows, members, self._rng)
            step, temperature = self.config.step, self.config.temperature
            table.update(visits, step / update**0.5, temperature / update**0.5)


class _Table:
    """Logits of all actions at all information sets."""

    def __init__(self, game: Game[Any], games: BatchedGame) -> None:
        self.game, self.games = game, games
        tables = games.tables
        self.shape = tables.masks.shape  # decisions, num_actions
        numbers: dict[str, int] = {}
        self.sets = np.array(
            [
                numbers.setdefault(game.info_key(state, mover), len(numbers))
                for state, mover in zip(tables.states, tables.movers.tolist(), strict=True)
            ]
        )
        self.keys = list(numbers)
        first = np.unique(self.sets, return_index=True)[1]
        self.masks = tables.masks[first]  # (sets, num_actions)
        self.movers = tables.movers[first]
        self.logits = np.where(self.masks, 0.0, -np.inf)
        low, high = game.payoff_range
        self.scale = 2 / ((high - low) or 2)

    def probabilities(self) -> Floats:
        """Softmax: (sets, num_actions)."""
        powers = np.exp(self.logits - self.logits.max(axis=1, keepdims=True))
        found: Floats = powers / powers.sum(axis=1, keepdims=True)
        return found

    def update(self, visits: Visits, step: float, temperature: float) -> None:
        """One step of mirror descent at the information sets that were visited."""
        width, size = self.shape[1], self.masks.size
        place = self.sets[visits.codes] * width + visits.actions
        counts = np.bincount(place, minlength=size).reshape(-1, width)
        sums = np.bincount(place, visits.returns * self.scale, size).reshape(-1, width)
        visited = counts.sum(axis=1, keepdims=True)
        means = sums.sum(axis=1, keepdims=True) / np.maximum(visited, 1)
        # An action that was not tried counts as the average one.
        gains = np.where(counts > 0, sums / np.maximum(counts, 1) - means, 0.0)
        moved = (self.logits + step * gains) / (1 + step * temperature)
        moved -= moved.max(axis=1, keepdims=True)
        self.logits = np.where(visited > 0, moved, self.logits)

    def rows_of(self, strategy: Strategy) -> Floats:
        """The probabilities of another strategy at each decision: (decisions, num_actions)."""
        rows = np.zeros(self.shape)
        for code, state in enumerate(self.games.tables.states):
            rows[code, list(self.game.legal(state))] = strategy.probabilities(state)
        return rows

    def policy(self, seat: int | None = None) -> TabularPolicy:
        """As a strategy, of one seat or of all."""
        found = zip(self.keys, self.masks, self.probabilities(), self.movers, strict=True)
        return TabularPolicy(
            self.game,
            {key: row[mask].tolist() for key, mask, row, mover in found if seat in (None, mover)},
        )
