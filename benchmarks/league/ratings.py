"""Ratings from who beat whom: Bradley and Terry's model by maximum likelihood, on Elo's scale.

The model says that a player of rating r scores 1 / (1 + 10 ^ ((s - r) / 400)) against one of s
(Bradley and Terry, "Rank analysis of incomplete block designs", 1952). A draw is half a win and
half a loss. So that a player who never lost has a finite rating, everybody has also drawn `prior`
games against a player of the average rating; 0 is plain maximum likelihood. Ratings average to 0.

Left out: the order of the games (players do not learn here), an advantage of moving first (seats
are balanced), and how much was won: see the payoffs for that.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

ELO = 400 / np.log(10)  # points of Elo in one unit of log odds
PRIOR = 0.5  # drawn games, in all; small beside the games of any match worth a table
STEPS = 200  # of Newton's method, which needs about ten
MOVED = 1e-8  # log odds: less is standing still


def bradley_terry(points: ArrayLike, prior: float = PRIOR) -> Floats:
    """Elo ratings (..., n) from points (..., n, n), one set or many at once.

    Args:
        points: `points[..., i, j]` is what i scored against j: wins, and half of the draws.
        prior: Drawn games of each player against the average.

    Raises:
        ValueError: If the points fix no finite ratings; with a prior only where they differ by a
            factor of millions.

    Example:
        >>> bradley_terry([[0, 3], [1, 0]], prior=0).round(2)  # 3 wins of 4: 400 log10(3) apart
        array([ 95.42, -95.42])
    """
    scored = np.array(points, dtype=np.float64)  # a copy: (..., n, n)
    count = scored.shape[-1]
    if scored.ndim < 2 or scored.shape[-2] != count or not np.all(scored >= 0):
        raise ValueError(f"points must be a square of numbers >= 0, got {scored.shape}")
    if not prior >= 0:
        raise ValueError(f"prior must be >= 0, got {prior!r}")
    scored[..., np.arange(count), np.arange(count)] = 0
    games = scored + np.swapaxes(scored, -1, -2)
    if prior == 0 and not _comparable(scored):
        raise ValueError("no finite ratings: some only won against others; take a prior above 0")
    logits = np.zeros(scored.shape[:-1])  # (..., n)
    for _ in range(STEPS):
        step = _newton(scored, games, logits, prior)
        logits += step
        if not np.abs(step).max(initial=0) > MOVED:
            return np.asarray(ELO * (logits - logits.mean(axis=-1, keepdims=True)))
    raise ValueError(f"no ratings after {STEPS} steps: points of very different sizes")


def _comparable(scored: Floats) -> bool:
    """Return True if all who scored against a player, directly or not, lost points to it, too."""
    above = scored > 0
    for _ in range(scored.shape[-1].bit_length()):
        above = above | (above @ above)
    return bool(np.all(above == np.swapaxes(above, -1, -2)))


def _newton(scored: Floats, games: Floats, logits: Floats, prior: float) -> Floats:
    """Newton's step up the log-likelihood: (..., n)."""
    count = logits.shape[-1]
    expected = _chance(logits[..., :, None] - logits[..., None, :])
    even = _chance(logits)
    slope = (scored - games * expected).sum(axis=-1) + prior * (0.5 - even)
    pull = games * expected * (1 - expected)
    bend = -pull
    own = pull.sum(axis=-1) + prior * even * (1 - even)
    bend[..., np.arange(count), np.arange(count)] += own
    # Ratings are free by a constant, and those who never met by more: such directions stay at 0.
    inverse = np.linalg.pinv(bend, hermitian=True)
    return np.asarray((inverse @ slope[..., None])[..., 0])


def _chance(logits: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * logits)))  # the logistic curve, without overflow
