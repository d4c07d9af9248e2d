"""Exact best responses, and exploitability.

For a seat whose opponents play known strategies, the states of one of its information sets are
weighted by chance and the opponents alone, and the action with the greatest weighted value is
taken, from the last information sets to the first. Exact for games of perfect recall and of
perfect information, of any number of seats, zero-sum or not. All histories are walked, however
many: games that are too large are not refused, so that a patient caller may try. Best responses as
in Johanson et al., "Accelerating Best Response Calculation in Large Extensive Games" (2011),
without its accelerations. Left out: those accelerations.
"""

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from zerogym.envs.games.core import TERMINAL, Game
from zerogym.envs.games.tabular import (
    Layer,
    Strategy,
    TabularPolicy,
    branches,
    expected_payoffs,
)

TIE = 1e-12


class _Responder:
    """The values of one seat that answers fixed strategies; its own entry of them is unused."""

    def __init__(self, game: Game[Any], seat: int, profile: Sequence[Strategy]) -> None:
        self.game, self.seat, self.profile = game, seat, profile
        self.table: dict[str, tuple[float, ...]] = {}
        self._values: dict[Hashable, float] = {}
        self._sets = self._weigh()

    def _weigh(self) -> dict[str, Layer]:
        """Each own information set: its states, weighted without the own strategy."""
        found: dict[str, Layer] = {}
        weights: Layer = {self.game.initial(): 1.0}
        while weights:
            following: Layer = {}
            for state, weight in weights.items():
                if self.game.to_move(state) == self.seat:
                    own = found.setdefault(self.game.info_key(state, self.seat), {})
                    own[state] = own.get(state, 0.0) + weight
                    nexts = [(child, 1.0) for child in self._own_children(state)]
                else:
                    nexts = branches(self.game, state, self.profile)
                for child, probability in nexts:
                    following[child] = following.get(child, 0.0) + weight * probability
            weights = following
        return found

    def _own_children(self, state: Any) -> list[Any]:
        return [self.game.apply(state, action) for action in self.game.legal(state)]

    def value(self, state: Any) -> float:
        """What the seat expects from here when it answers as well as it can."""
        if state not in self._values:
            self._values[state] = self._evaluate(state)
        return self._values[state]

    def _evaluate(self, state: Any) -> float:
        mover = self.game.to_move(state)
        if mover == TERMINAL:
            return self.game.payoff(state)[self.seat]
        if mover == self.seat:
            row = self.response(self.game.info_key(state, self.seat))
            return self.value(self._own_children(state)[row.index(1.0)])
        return sum(p * self.value(child) for child, p in branches(self.game, state, self.profile))

    def response(self, key: str) -> tuple[float, ...]:
        """The best action of an information set, one-hot; the first of equal ones."""
        if key not in self.table:
            states = self._sets[key]
            count = len(self.game.legal(next(iter(states))))
            values = np.zeros(count)
            for state, weight in states.items():
                values += weight * np.array([self.value(c) for c in self._own_children(state)])
            best = int(np.argmax(values >= values.max() - TIE))
            self.table[key] = tuple(float(index == best) for index in range(count))
        return self.table[key]

    def policy(self) -> TabularPolicy:
        """The answers at all own information sets."""
        return TabularPolicy(self.game, {key: self.response(key) for key in self._sets})


@lru_cache(maxsize=32)
def best_response(game: Game[Any], seat: int, opponent: Strategy) -> tuple[TabularPolicy, float]:
    """The best that a seat can do when all others play `opponent`, and what it wins by it.

    Where `opponent` never lets the game come, the answer is the first legal action.

    Returns:
        The deterministic policy of the seat, and its expected payoff.

    Example:
        >>> from zerogym.envs.games.kuhn_poker import KuhnPoker
        >>> best_response(KuhnPoker(), 0, TabularPolicy(KuhnPoker(), {}))[1]
        0.5
    """
    responder = _Responder(game, seat, [opponent] * game.num_seats)
    return responder.policy(), responder.value(game.initial())


def nash_conv(game: Game[Any], strategy: Strategy) -> float:
    """What the seats could gain in sum, each by answering alone; 0 exactly at equilibria.

    `strategy` has the part of every seat.
    """
    values = expected_payoffs(game, [strategy] * game.num_seats)
    responses = [best_response(game, seat, strategy)[1] for seat in range(game.num_seats)]
    return float(sum(responses) - values.sum())


def exploitability(game: Game[Any], strategy: Strategy) -> float:
    """`nash_conv / num_seats`: what a seat loses on average to a perfect adversary.

    Example:
        >>> from zerogym.envs.games.kuhn_poker import KuhnPoker
        >>> round(exploitability(KuhnPoker(), TabularPolicy(KuhnPoker(), {})), 7)
        0.4583333
    """
    return nash_conv(game, strategy) / game.num_seats
