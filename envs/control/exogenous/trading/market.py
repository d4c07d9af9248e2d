"""A toy market with regimes, exactly: a trend that nobody sees and a volatility that all see.

The trend (down, up) and the volatility (calm, wild) are two Markov chains. In each step the price
stays with chance 1/3; else it moves by the size of the volatility, with the trend with chance
`(1 + edge) / 2`. So there are three moves, beliefs have a closed form, and dynamic programming is
exact. Regimes of trend and volatility as in "MacroHFT: Memory Augmented Context-aware Reinforcement
Learning On High Frequency Trading" (2024, arXiv 2406.14537), which cuts real prices into them; the
chains and all numbers are our choice. Left out: real data, order books, sizes of orders, interest.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, Floats

MOVING = 2.0 / 3.0  # chance that the price moves at all
MOVES = (-1, 0, 1)  # in units of the volatility's size
DOWN, UP = 0, 1
CALM, WILD = 0, 1
MOST = 1e5  # %, of wealth: no episode is that long

GAIN, POSITION, WEALTH, FALL, WORST, STORM, TREND, NEWEST = range(8)  # columns of an observation


@dataclass(frozen=True)
class Market:
    """The chances of a market.

    Attributes:
        edge: Excess chance of a move with the trend over one against it.
        trend_switch: Chance that the trend turns in a step.
        volatility_switch: Chance that the volatility changes in a step.
        calm: Size of a move in calm times, in %.
        wild: The same in wild times.
        fee: Cost of changing the position by one, in %.
    """

    edge: float
    trend_switch: float
    volatility_switch: float
    calm: float
    wild: float
    fee: float

    def moves(self, up: Array) -> Floats:
        """Return chances (..., 3) of the moves where the trend is up with chances (...)."""
        lean = self.edge * (2.0 * np.asarray(up, dtype=np.float64) - 1.0)
        stays = np.full_like(lean, 1.0 - MOVING)
        return np.stack([MOVING * (1 - lean) / 2, stays, MOVING * (1 + lean) / 2], axis=-1)

    def turned(self, up: Array) -> Floats:
        """Return the chance of an upward trend one step later."""
        found: Floats = np.asarray(up * (1.0 - self.trend_switch) + (1.0 - up) * self.trend_switch)
        return found

    def learnt(self, up: Array, move: int) -> Floats:
        """Return the chance of an upward trend after a step with this move."""
        before = self.turned(up)
        rises = self.moves(np.array([0.0, 1.0]))[:, MOVES.index(move)]
        return np.asarray(before * rises[UP] / (before * rises[UP] + (1 - before) * rises[DOWN]))

    def next(self, trend: int, wild: int, drawn: Floats) -> tuple[int, int, int]:
        """Return trend, volatility and move of the next step, from three numbers in [0, 1)."""
        trend ^= int(drawn[0] < self.trend_switch)
        wild ^= int(drawn[1] < self.volatility_switch)
        passed = int(np.searchsorted(self.moves(float(trend)).cumsum(), drawn[2], side="right"))
        return trend, wild, MOVES[min(passed, len(MOVES) - 1)]

    def size(self, wild: Array) -> Floats:
        """Return sizes of moves in %, by the volatility."""
        return np.where(np.asarray(wild) > 0, self.wild, self.calm)


def entered(
    before: NDArray[np.float32],
    position: float,
    moves: Array,
    wild: Array,
    trend: Array,
    exact: Market,
) -> NDArray[np.float32]:
    """Return observations (B, n) after one (n,), for B branches of moves and regimes.

    Gains are of one unit of money that is invested anew in each step, so that they add up.
    """
    rows = np.empty((len(moves), len(before)), dtype=np.float32)
    change = np.asarray(moves) * exact.size(wild)
    # Plus 0, so that the gain out of a falling market is 0 and not -0.
    gain = position * change - exact.fee * abs(position - float(before[POSITION])) + 0.0
    peak = np.float64(before[WEALTH]) + np.float64(before[FALL])
    rows[:, GAIN], rows[:, POSITION] = gain, position
    rows[:, WEALTH] = before[WEALTH] + gain
    rows[:, FALL] = np.maximum(peak - rows[:, WEALTH], 0.0)
    rows[:, WORST] = np.maximum(before[WORST], rows[:, FALL])
    rows[:, STORM], rows[:, TREND] = wild, trend
    rows[:, NEWEST] = change
    rows[:, NEWEST + 1 :] = before[NEWEST:-1]
    return rows


def bounds(frames: int, largest: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the least and greatest values of an observation; (n,) each.

    Args:
        frames: Number of observed moves.
        largest: Size of a move in %, at most.
    """
    most = np.full(NEWEST + frames, largest, dtype=np.float32)
    most[[GAIN, WEALTH, FALL, WORST]], most[[POSITION, STORM, TREND]] = MOST, 1.0
    least = -most
    least[[FALL, WORST, STORM]] = 0.0
    return least, most
