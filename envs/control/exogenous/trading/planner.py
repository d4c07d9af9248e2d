"""The oracle of the toy market: backward induction over the belief of its filter.

A belief is one number, the chance of an upward trend, beside the volatility and the position. No
action changes prices, so the belief moves as the filter does, and backward induction over it is
optimal among policies that do not observe the trend. Beliefs lie on a grid with linear
interpolation; where the trend is observed they are 0 or 1 and exact. A reward of wealth or of
older moves is planned for one step only.
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
        positions: The position of each action.
        task: The task.
        visible: Whether the trend is observed.
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
        rewards = np.empty((2, count, count, chances.shape[1], 2))
        for wild in (0, 1):
            for held, position in enumerate(positions):
                before = np.zeros(NEWEST + 1, dtype=np.float32)
                before[STORM], before[POSITION] = wild, position
                rewards[wild, held] = self._rewards(before)
        now = np.einsum("go,wv,wsaov->gwsa", chances, weather, rewards)
        self.values = np.zeros((horizon + 1, BELIEFS, 2, count))
        for left in range(1, horizon + 1):
            later = np.einsum("go,gova->gva", chances, self._later(after, left - 1))
            ahead = np.einsum("wv,gva->gwa", weather, later)
            self.values[left] = (now + ahead[:, :, None]).max(axis=3)
        self._weather = weather

    def worth(self, belief: float, observation: NDArray[np.float32], left: int) -> Floats:
        """Return the value of each action (A,), with `left` steps to go."""
        chances, after = self._branches(np.array([belief]))
        weather = self._weather[int(observation[STORM])]
        rewards = self._rewards(observation)  # (A, O, 2)
        later = self._later(after, left - 1)[0].transpose(2, 0, 1)  # (A, O, 2)
        found: Floats = np.einsum("o,v,aov->a", chances[0], weather, rewards + later)
        return found

    def _branches(self, beliefs: Floats) -> tuple[Floats, Floats]:
        """Return chances (G, O) of the next observations, and the beliefs after them."""
        exact = self._market
        before = exact.turned(beliefs)
        if not self._visible:
            learnt = [exact.learnt(beliefs, move) for move in MOVES]
            return exact.moves(before), np.stack(learnt, axis=1)
        down, up = exact.moves(np.array([0.0, 1.0]))
        chances = np.concatenate([np.outer(1 - before, down), np.outer(before, up)], axis=1)
        return chances, np.tile(np.repeat([0.0, 1.0], len(MOVES)), (len(beliefs), 1))

    def _later(self, after: Floats, left: int) -> Floats:
        """Return interpolated values (G, O, 2, P) of beliefs (G, O)."""
        place = after * (BELIEFS - 1)
        first = np.minimum(place.astype(np.int64), BELIEFS - 2)
        share = (place - first)[:, :, None, None]
        values = self.values[left]
        found: Floats = (1 - share) * values[first] + share * values[first + 1]
        return found

    def _rewards(self, observation: NDArray[np.float32]) -> Floats:
        """Return the reward (A, O, 2) of each action, branch and next volatility."""
        trends = (-1.0, 1.0) if self._visible else (0.0,)
        branches = [(move, wild, trend) for trend in trends for move in MOVES for wild in (0, 1)]
        moves, wilds, shown = (np.array(column) for column in zip(*branches, strict=True))
        rewards = np.empty((len(self._positions), len(branches)))
        for action, position in enumerate(self._positions):
            after = entered(observation, position, moves, wilds, shown, self._market)
            before = np.broadcast_to(observation, after.shape)
            rewards[action] = self._task.relabel(before, np.full(len(after), action), after)
        return rewards.reshape(len(self._positions), -1, 2)


trading_plan = lru_cache(maxsize=32)(TradingPlan)  # made once for each task and context
