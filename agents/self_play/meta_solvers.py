"""Meta-solvers: the distribution of earlier selves that a learner plays against.

A meta-solver gets the number of policies that each seat has and a function that returns what they
win against each other; it returns a probability of each, for both seats. Only `nash` needs the
payoffs, so that the others cost no evaluations. Left out: alpha-rank and replicator dynamics.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.self_play.matrix_equilibrium import matrix_equilibrium

Floats = NDArray[np.float64]
Weights = tuple[Floats, Floats]
MetaSolver = Callable[[int, Callable[[], Floats]], Weights]


def latest(count: int, payoffs: Callable[[], Floats]) -> Weights:
    """Naive self-play: only the newest policies; in circles where each is beaten by the next.

    Example:
        >>> latest(3, lambda: np.zeros((3, 3)))[0].tolist()
        [0.0, 0.0, 1.0]
    """
    last = np.eye(count)[-1]
    return last, last


def uniform(count: int, payoffs: Callable[[], Floats]) -> Weights:
    """Fictitious play (Brown 1951; Heinrich et al. 2015 in extensive form): all alike.

    A learner that answers the average of all earlier selves approaches an equilibrium by that
    average, though no single self need be near one.
    """
    even = np.full(count, 1 / count)
    return even, even


def nash(count: int, payoffs: Callable[[], Floats]) -> Weights:
    """PSRO (Lanctot et al. 2017, arXiv 1711.00832): the equilibrium of the policies so far.

    With exact best responses it is the double oracle (McMahan et al. 2003), which ends in an
    equilibrium of the game.
    """
    return matrix_equilibrium(payoffs())
