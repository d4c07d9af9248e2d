"""The equilibrium of a zero-sum matrix game, by the simplex method.

With payoffs B > 0 of the row player, the column player's probabilities are those of the linear
programme "maximise sum(y) where B y <= 1, y >= 0", scaled to sum to 1, and the row player's are its
dual solution (Dantzig, "A Proof of the Equivalence of the Programming Problem and the Game
Problem", 1951). The variable of the greatest coefficient enters; of those that become zero together
the lexicographically first leaves, by which the method cannot go in circles (Dantzig, Orden and
Wolfe 1955). Exact but for rounding. Left out: choosing among several equilibria, and payoffs that
are not zero-sum.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

ROUNDING = 1e-10  # entries of the tableau start between 1 and 2
MAX_PIVOTS = 20_000  # 300 rows and columns need about 1000, of signs 3000

Floats = NDArray[np.float64]


def matrix_equilibrium(payoffs: ArrayLike) -> tuple[Floats, Floats]:
    """Probabilities of the rows and of the columns, neither of which can be beaten.

    Args:
        payoffs: (rows, columns), of the row player; the column player gets the negative.

    Raises:
        ValueError: If there is no row or no column, or a payoff is no finite number.
        ArithmeticError: If rounding leads in circles, which was never seen.

    Example:
        >>> rows, columns = matrix_equilibrium([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
        >>> rows.round(9).tolist()
        [0.333333333, 0.333333333, 0.333333333]
    """
    table = np.asarray(payoffs, dtype=np.float64)
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        raise ValueError(f"payoffs must be a matrix of finite numbers, got {payoffs!r:.200}")
    count, width = table.shape
    spread = np.ptp(table) or 1.0
    positive = 1 + (table - table.min()) / spread  # the same equilibria
    tableau = np.zeros((count + 1, width + count + 1))
    tableau[:count] = np.hstack([positive, np.eye(count), np.ones((count, 1))])
    tableau[count, :width] = -1
    basis = np.arange(width, width + count)
    for _ in range(MAX_PIVOTS):
        improving = np.flatnonzero(tableau[count, :-1] < -ROUNDING)
        if not len(improving):
            solution = np.zeros(width + count)
            solution[basis] = tableau[:count, -1]
            return _normal(tableau[count, width:-1]), _normal(solution[:width])
        _pivot(tableau, basis, improving[np.argmin(tableau[count, improving])])
    raise ArithmeticError(f"no equilibrium of a {table.shape} matrix after {MAX_PIVOTS} pivots")


def _pivot(tableau: Floats, basis: NDArray[np.int64], entering: int) -> None:
    """Bring a variable into the basis, in place of the one that becomes zero first."""
    column = tableau[:-1, entering]
    ratios = np.full(len(basis), np.inf)
    np.divide(tableau[:-1, -1], column, out=ratios, where=column > ROUNDING)
    first = np.flatnonzero(ratios <= ratios.min() + ROUNDING)
    if len(first) > 1:
        duals = tableau[first, -1 - len(basis) : -1] / column[first, None]
        first = first[np.lexsort(duals.T[::-1])]
    row = first[0]
    tableau[row] /= tableau[row, entering]
    factors = tableau[:, entering].copy()
    factors[row] = 0
    tableau -= np.outer(factors, tableau[row])
    basis[row] = entering


def _normal(values: Floats) -> Floats:
    """As probabilities; what rounding left of zeros is cut."""
    values = np.where(values < ROUNDING, 0.0, values)
    probabilities: Floats = values / values.sum()
    return probabilities
