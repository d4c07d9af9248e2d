"""Many toy markets at once; see `exogenous/batched.py`."""

from typing import Any

import numpy as np

from zerogym.envs.control.core.arrays import Array
from zerogym.envs.control.exogenous.batched import ExogenousBatch
from zerogym.envs.control.exogenous.trading.market import (
    FALL,
    NEWEST,
    POSITION,
    WEALTH,
    WORST,
    Market,
)


class BatchedTrading(ExogenousBatch):
    """`n` copies of a market, made by `env.unwrapped.batched(n)`.

    Args:
        exact: The market.
        positions: The position of each action.
        visible: Whether the trend is observed.
        frames: Number of moves in an observation.
        arguments: Of `ExogenousBatch`, without the number of actions.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> envs = gym.make("zerogym/Trading-v0", task="profit").unwrapped.batched(4)
        >>> observations = envs.reset(seed=0)
        >>> observations, rewards, over = envs.step(np.array([0, 0, 1, 1]))
        >>> observations.shape, rewards[:2].tolist(), over
        ((4, 23), [0.0, 0.0], False)
    """

    def __init__(
        self,
        exact: Market,
        positions: tuple[int, ...],
        visible: bool,
        frames: int,
        n: int,
        **arguments: Any,
    ) -> None:
        super().__init__(n, len(positions), **arguments)
        self._market, self._visible, self._frames = exact, visible, frames
        self._positions = self._array(np.array(positions, dtype=np.float64))
        self._sizes = self._array(exact.size(np.array([0, 1])))
        self._chances = self._array(exact.moves(np.array([0.0, 1.0])).cumsum(axis=1)[:, :2])

    def _begin(self) -> Array:
        drawn = self._uniform(2)
        self._up, self._wild = drawn[:, 0] >= 0.5, drawn[:, 1] >= 0.5
        zeros = self._float32(self._array(np.zeros((self.n, NEWEST + self._frames))))
        return self._row([*(zeros[:, i] for i in range(5)), *self._shown()], zeros[:, NEWEST:])

    def _advance(self, actions: Array) -> Array:
        exact, xp, drawn = self._market, self._xp, self._uniform(3)
        self._up = self._up ^ (drawn[:, 0] < exact.trend_switch)
        self._wild = self._wild ^ (drawn[:, 1] < exact.volatility_switch)
        chances = self._chances[xp.asarray(self._up, dtype=xp.int64)]
        move = (drawn[:, 2, None] >= chances).sum(-1) - 1
        change = move * self._sizes[xp.asarray(self._wild, dtype=xp.int64)]
        before = xp.asarray(self.observations, dtype=xp.float64)
        held = self._positions[actions]
        gain = held * change - exact.fee * xp.abs(held - before[:, POSITION]) + 0.0
        wealth = self._float32(before[:, WEALTH] + gain)  # as it is stored
        peak = before[:, WEALTH] + before[:, FALL]
        fall = self._float32(xp.clip(peak - wealth, 0.0, None))
        worst = xp.maximum(self.observations[:, WORST], fall)
        columns = [gain, held, wealth, fall, worst, *self._shown(), change]
        return self._row(columns, self.observations[:, NEWEST:-1])

    def _shown(self) -> list[Array]:
        """Return the volatility, and the trend if it is observed."""
        trend = self._xp.where(self._up, 1.0, -1.0) if self._visible else self._up & False
        return [self._wild, trend]

    def _row(self, columns: list[Array], rest: Array) -> Array:
        return self._joined([*(self._float32(column)[:, None] for column in columns), rest])
