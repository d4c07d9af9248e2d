"""The oracle of the toy market: dynamic programming over what is believed of the trend.

What can be known of the past is one number, the chance of an upward trend, with the volatility and
the position. Nothing that is done changes prices, so the belief moves as the filter says and
backward induction over it is the best that anybody can do who does not see the trend. Beliefs lie
on a grid with linear interpolation; where the trend is seen they are 0 or 1, and nothing is
interpolated. A reward that looks at wealth or at older moves is foreseen one step only.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.exogenous.trading.market import (
    MOVES,
    NEWEST,
    POSITION,
    STORM,
    Floats,
    Market,
    entered,
)

BELIEFS = 201  # points of the grid


class TradingPlan:
    """Values of a task in a market.

    Args:
        exact: The market.
        positions: What each action holds.
        task: What is paid.
        visible: Whether the trend is seen.
        horizon: Steps of an episode.

    Attributes:
        values: (horizon + 1, G, 2, P): with so many steps left, by belief, volatility, position.
    """

    def __init__(
        self, exact: Market, positions: tuple[int, ...], task: Task, visible: bool, horizon: int
    ) -> None:
        self._market, self._positions, self._task = exact, positions, task
        self._visible, count = visible, len(positions)
        self._beliefs = np.linspace(0.0, 1.0, BELIEFS)
        chances, after = self._branches(self._beliefs)  # (G, O) each
        stays = 1.0 - exact.volatility_switch
        weather = np.array([[stays, 1 - stays], [1 - stays, stays]])
        paid = np.empty((2, count, count, chances.shape[1], 2))
        for wild in (0, 1):
            for held, position in enumerate(positions):
                seen = np.zeros(NEWEST + 1, dtype=np.float32)
                seen[STORM], seen[POSITION] = wild, position
                paid[wild, held] = self._paid(seen)
        now = np.einsum("go,wv,wsaov->gwsa", chances, weather, paid)
        self.values = np.zeros((horizon + 1, BELIEFS, 2, count))
        for left in range(1, horizon + 1):
            later = np.einsum("go,gova->gva", chances, self._later(after, left - 1))
            ahead = np.einsum("wv,gva->gwa", weather, later)
            self.values[left] = (now + ahead[:, :, None]).max(axis=3)
        self._weather = weather

    def worth(self, belief: float, seen: NDArray[np.float32], left: int) -> Floats:
        """Of each action (A,), with `left` steps to go, for what is believed and seen (n,)."""
        chances, after = self._branches(np.array([belief]))
        weather = self._weather[int(seen[STORM])]
        paid = self._paid(seen)  # (A, O, 2)
        later = self._later(after, left - 1)[0].transpose(2, 0, 1)  # (A, O, 2)
        found: Floats = np.einsum("o,v,aov->a", chances[0], weather, paid + later)
        return found

    def _branches(self, beliefs: Floats) -> tuple[Floats, Floats]:
        """Chances (G, O) of what can be seen next, and the beliefs after it."""
        exact = self._market
        before = exact.turned(beliefs)
        if not self._visible:
            learnt = [exact.learnt(beliefs, move) for move in MOVES]
            return exact.moves(before), np.stack(learnt, axis=1)
        down, up = exact.moves(np.array([0.0, 1.0]))
        chances = np.concatenate([np.outer(1 - before, down), np.outer(before, up)], axis=1)
        return chances, np.tile(np.repeat([0.0, 1.0], len(MOVES)), (len(beliefs), 1))

    def _later(self, after: Floats, left: int) -> Floats:
        """(G, O, 2, P): values of beliefs (G, O), interpolated."""
        place = after * (BELIEFS - 1)
        first = np.minimum(place.astype(np.int64), BELIEFS - 2)
        share = (place - first)[:, :, None, None]
        values = self.values[left]
        found: Floats = (1 - share) * values[first] + share * values[first + 1]
        return found

    def _paid(self, seen: NDArray[np.float32]) -> Floats:
        """(A, O, 2): the reward of each action, for each branch and next volatility."""
        trends = (-1.0, 1.0) if self._visible else (0.0,)
        branches = [(move, wild, trend) for trend in trends for move in MOVES for wild in (0, 1)]
        moves, wilds, shown = (np.array(column) for column in zip(*branches, strict=True))
        paid = np.empty((len(self._positions), len(branches)))
        for action, position in enumerate(self._positions):
            after = entered(seen, position, moves, wilds, shown, self._market)
            before = np.broadcast_to(seen, after.shape)
            paid[action] = self._task.relabel(before, np.full(len(after), action), after)
        return paid.reshape(len(self._positions), -1, 2)


@lru_cache(maxsize=32)
def trading_plan(
    exact: Market, positions: tuple[int, ...], task: Task, visible: bool, horizon: int
) -> TradingPlan:
    """The plan of a task, made when first asked for."""
    return TradingPlan(exact, positions, task, visible, horizon)
