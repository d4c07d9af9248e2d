"""The functions of an array library for one plain number: a reward of a single step is cheap.

Sines, cosines and powers are NumPy's, so that a number is what it is in an array, to the last bit:
those of the C library may differ in it.
"""

import math

import numpy as np

sqrt = math.sqrt
minimum = min


def cos(x: float) -> float:
    """Cosine."""
    return float(np.cos(x))


def sin(x: float) -> float:
    """Sine."""
    return float(np.sin(x))


def power(base: float, exponent: float) -> float:
    """`base ** exponent`."""
    return float(np.power(base, exponent))


def clip(x: float, low: float, high: float | None) -> float:
    """`x`, not below `low` and, where there is one, not above `high`."""
    return low if x < low else x if high is None or x <= high else high


def where(condition: bool, x: float, y: float) -> float:
    """One of two numbers."""
    return x if condition else y
