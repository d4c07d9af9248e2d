"""Elementary functions that `decimal` lacks: trigonometric and hyperbolic ones, and pi.

Results are right to about ten digits less than the context's precision.
"""

from collections.abc import Callable
from decimal import Context, Decimal
from functools import lru_cache

from zerogym.envs.reasoning.checking.monomials import Undecided

_LARGEST_ANGLE = 10**6
_LARGEST_EXPONENT = 10**4


class Undefined(Undecided):
    """A function has no real value here, or one that is out of bounds."""


@lru_cache(maxsize=4)
def pi(digits: int) -> Decimal:
    """Pi, by Machin's formula."""
    one = 10 ** (digits + 10)

    def arctan_of_inverse(n: int) -> int:
        term, total, k = one // n, 0, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term //= n * n
            k += 2
        return total

    value = 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))
    return Context(prec=digits).divide(Decimal(value), Decimal(one))


def _series(first: Decimal, ratio: Callable[[int], Decimal], context: Context) -> Decimal:
    """Sum of terms, each the one before times `ratio(k)`, until they do not count."""
    total, term, k = first, first, 0
    while term and term.adjusted() > total.adjusted() - context.prec - 2:
        term = context.multiply(term, ratio(k))
        total = context.add(total, term)
        k += 1
    return total


def _sin(x: Decimal, context: Context) -> Decimal:
    if abs(x) > _LARGEST_ANGLE:
        raise Undefined("too large an angle")
    turn = context.multiply(2, pi(context.prec))
    x = context.remainder_near(x, turn)
    if not x:
        return x
    square = context.minus(context.multiply(x, x))
    return _series(x, lambda k: context.divide(square, Decimal((2 * k + 2) * (2 * k + 3))), context)


def _arctan(x: Decimal, context: Context) -> Decimal:
    doublings = 0
    while abs(x) > Decimal("0.1"):  # atan x = 2 atan(x / (1 + sqrt(1 + x^2)))
        root = context.sqrt(context.add(1, context.multiply(x, x)))
        x = context.divide(x, context.add(1, root))
        doublings += 1
    if not x:
        return x
    square = context.minus(context.multiply(x, x))
    total, power, k = x, x, 1
    while power.adjusted() > total.adjusted() - context.prec - 2:
        power = context.multiply(power, square)
        k += 2
        total = context.add(total, context.divide(power, k))
    return context.multiply(total, 2**doublings)


def _arcsin(x: Decimal, context: Context) -> Decimal:
    if abs(x) > 1:
        raise Undefined("no real arcsine")
    if abs(x) == 1:
        return context.divide(context.multiply(x, pi(context.prec)), 2)
    root = context.sqrt(context.subtract(1, context.multiply(x, x)))
    return _arctan(context.divide(x, root), context)


def _quarter(context: Context) -> Decimal:
    """A quarter of a turn."""
    return context.divide(pi(context.prec), 2)


def _exponential(x: Decimal, sign: int, context: Context) -> Decimal:
    """e^x + sign e^-x, halved."""
    if abs(x) > _LARGEST_EXPONENT:
        raise Undefined("too large a power")
    up, down = context.exp(x), context.exp(context.minus(x))
    return context.divide(context.add(up, context.multiply(sign, down)), 2)


FUNCTIONS: dict[str, Callable[[Decimal, Context], Decimal]] = {
    "sin": _sin,
    "cos": lambda x, context: _sin(context.add(x, _quarter(context)), context),
    "arcsin": _arcsin,
    "arccos": lambda x, context: context.subtract(_quarter(context), _arcsin(x, context)),
    "arctan": _arctan,
    "sinh": lambda x, context: _exponential(x, -1, context),
    "cosh": lambda x, context: _exponential(x, 1, context),
    "tanh": lambda x, context: context.divide(
        _exponential(x, -1, context), _exponential(x, 1, context)
    ),
}
