"""The equilibrium of a zero-sum matrix game, by linear programming.

With payoffs shifted to be positive, the columns' strategy is y / sum(y) for the y >= 0 of the
greatest sum with payoffs @ y <= 1, and the rows' strategy is that of the dual (Dantzig, 1951).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerogym.errors import require

ROUNDING = 1e-10  # smaller probabilities are cut

Floats = NDArray[np.float64]


def matrix_equilibrium(payoffs: ArrayLike) -> tuple[Floats, Floats]:
    """Probabilities of the rows and of the columns, neither of which can be beaten.

    Args:
        payoffs: Of the row's player, (rows, columns); the column's player gets the opposite.

    Raises:
        ValueError: If the payoffs are no matrix of finite numbers.
        MissingExtra: If scipy is not installed.

    Example:
        >>> rows, columns = matrix_equilibrium([[2, -1], [-1, 1]])  # both mix 2 to 3
        >>> rows.round(9), columns.round(9)
        (array([0.4, 0.6]), array([0.4, 0.6]))
    """
    optimize = require("scipy.optimize", "games", "the equilibrium of a matrix game")
    table = np.asarray(payoffs, dtype=np.float64)
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        raise ValueError(f"payoffs must be a matrix of finite numbers, got {payoffs!r:.200}")
    positive = 1 + (table - table.min()) / (np.ptp(table) or 1.0)  # the same equilibria
    rows, columns = table.shape
    found = optimize.linprog(-np.ones(columns), positive, np.ones(rows), method="highs-ds")
    if not found.success:
        raise ArithmeticError(f"no equilibrium of a {table.shape} matrix: {found.message}")
    return _normal(-found.ineqlin.marginals), _normal(found.x)


def _normal(values: Floats) -> Floats:
    """As probabilities, without what rounding left of zeros."""
    values = np.where(values < ROUNDING, 0.0, values)
    return np.asarray(values / values.sum())
