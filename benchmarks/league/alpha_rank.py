"""Alpha-rank: which players stay when a population copies whoever does better.

Omidshafiei et al., "alpha-Rank: Multi-Agent Evaluation by Evolution" (2019, arXiv 1903.01373),
section 2.5: a population of one kind of player, a mutant of another kind, the probability that it
takes over, and the stationary distribution of the Markov chain over kinds. Unlike Elo it does not
need strength to be one number: of rock, paper and scissors each keeps a third.

The chain is solved in logarithms by state reduction (Grassmann, Taksar and Heyman, 1985), which
subtracts nothing: any selection strength is exact, also where probabilities would underflow. Left
out: one population for each seat (players here play all seats), and the sweep over strengths.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

ALPHA = 1.0  # selection strength, for payoffs in a range of length 1: noise decides little
POPULATION = 50  # as in the paper


def alpha_rank(payoffs: ArrayLike, alpha: float = ALPHA, population: int = POPULATION) -> Floats:
    """The share of the time that a population consists of each player: (n,), sums to 1.

    Args:
        payoffs: `payoffs[i, j]` is what i wins against j, (n, n); the diagonal is not read.
        alpha: Strength of selection: 0 is pure chance, the limit is that the better always wins.
        population: Number of individuals m.

    Example:
        >>> alpha_rank([[0, 0.1], [-0.1, 0]]).round(3)
        array([1., 0.])
    """
    table = np.asarray(payoffs, dtype=np.float64)
    count = len(table)
    if table.shape != (count, count) or count < 1:
        raise ValueError(f"payoffs must be a square, got {table.shape}")
    if not alpha >= 0 or population < 2:
        raise ValueError(f"alpha must be >= 0 and population >= 2, got {alpha} and {population}")
    if count == 1:
        return np.ones(1)
    # From a population of i to one of j: j appears with the same probability as any other.
    rates = np.full((count, count), -np.inf)
    for i in range(count):
        for j in range(count):
            if i != j:
                rates[i, j] = _log_takeover(alpha * (table[j, i] - table[i, j]), population)
    return _stationary(rates)


def _log_takeover(gain: float, population: int) -> float:
    """log of (1 - exp(-gain)) / (1 - exp(-population gain)), 1 / population at 0."""
    if abs(gain) * population < 1e-9:
        return float(-np.log(population))
    if gain > 0:
        return _log_expm1_negative(gain) - _log_expm1_negative(population * gain)
    loss = -gain
    top, bottom = _log_expm1_negative(loss), _log_expm1_negative(population * loss)
    return loss + top - population * loss - bottom


def _log_expm1_negative(x: float) -> float:
    """log(1 - exp(-x)) for x > 0."""
    return float(np.log(-np.expm1(-x)))


def _stationary(rates: Floats) -> Floats:
    """The stationary distribution of a chain, from logarithms of rates off the diagonal."""
    rates = rates.copy()
    count = len(rates)
    leaving = np.zeros(count)
    for last in range(count - 1, 0, -1):  # take states out, one by one
        leaving[last] = np.logaddexp.reduce(rates[last, :last])
        around = rates[:last, last, None] + rates[None, last, :last] - leaving[last]
        rates[:last, :last] = np.logaddexp(rates[:last, :last], around)
    weights = np.zeros(count)
    for state in range(1, count):  # and put them back
        weights[state] = np.logaddexp.reduce(weights[:state] + rates[:state, state])
        weights[state] -= leaving[state]
    shares = np.exp(weights - weights.max())
    return np.asarray(shares / shares.sum())
