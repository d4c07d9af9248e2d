"""High-precision values of expressions, for the identities that algebra alone does not decide.

Two expressions count as equal if the difference of their values shrinks with the rounding error:
calculated with 50 and with 100 digits, it must fall by a factor of 10^30 and below 10^-80 of the
values. Expressions with variables are compared at `POINTS` points with coordinates between -3 and
3, which depend on both expressions, so that no expression can be made for the points. The given
one must have the expected one's value wherever that is real, and at `ENOUGH` points at least (so
x is right for `e^{ln x}`, but not the reverse). This is overwhelming evidence and no proof: a
difference below 10^-100 of the values (`1 + sin(10^{-200})`) is not detected.

Values are real: `i` is not evaluated. A `log` without a base may be natural or decimal, so
equality must hold for both.
"""

from collections.abc import Mapping
from decimal import Context, Decimal, DecimalException, DivisionByZero, InvalidOperation, Overflow
from fractions import Fraction
from hashlib import blake2b

from zerogym.envs.reasoning.checking.decimal_functions import FUNCTIONS, Undefined, pi
from zerogym.envs.reasoning.checking.monomials import Undecided
from zerogym.envs.reasoning.checking.nodes import Node, symbols

POINTS = 8
ENOUGH = 3
LOW, HIGH = 50, 100  # digits
_LARGEST_EXPONENT = 10**4
_PLACES = 10**12  # points have 12 decimals


class Evaluation:
    """Values of expressions to a number of digits.

    Args:
        digits: Precision of each operation.
        values: What the variables are.
        decimal_log: Whether `log` without a base has base 10, not e.
    """

    def __init__(self, digits: int, values: Mapping[str, Fraction], decimal_log: bool) -> None:
        traps = [InvalidOperation, DivisionByZero, Overflow]
        self.context = Context(prec=digits + 5, Emax=10**5, Emin=-(10**5), traps=traps)
        self.values, self.decimal_log = values, decimal_log

    def __call__(self, node: Node) -> Decimal:
        """The value.

        Raises:
            Undefined: If there is none, or it is out of bounds.
        """
        try:
            return self._value(node)
        except DecimalException:
            raise Undefined("no real value") from None

    def _value(self, node: Node) -> Decimal:
        kind, context = node.kind, self.context
        if kind == "number":
            return self._fraction(node.number)
        if kind == "symbol":
            return self._symbol(node.text)
        parts = [self._value(part) for part in node.parts]
        result = parts[0]
        if kind == "negative":
            return context.minus(result)
        if kind == "sum":
            for part in parts[1:]:
                result = context.add(result, part)
        elif kind == "product":
            for part in parts[1:]:
                result = context.multiply(result, part)
        elif kind == "quotient":
            return context.divide(*parts)
        elif kind == "power":
            return self._power(parts[0], parts[1], node.parts[1])
        elif kind == "call":
            return self._call(node.text, result)
        else:
            raise Undecided(f"a {kind} has no value")
        return result

    def _fraction(self, value: int | Fraction) -> Decimal:
        return self.context.divide(Decimal(value.numerator), Decimal(value.denominator))

    def _symbol(self, name: str) -> Decimal:
        if name == "pi":
            return pi(self.context.prec)
        if name == "e":
            return self.context.exp(Decimal(1))
        if name not in self.values:
            raise Undecided(f"{name} has no real value")
        return self._fraction(self.values[name])

    def _power(self, base: Decimal, exponent: Decimal, written: Node) -> Decimal:
        if base > 0:
            size = self.context.multiply(self.context.ln(base), exponent)
            if abs(size) > _LARGEST_EXPONENT:
                raise Undefined("too large a power")
            return self.context.power(base, exponent)
        rational = _rational(written)
        if rational is None or rational.denominator % 2 == 0 or (not base and rational <= 0):
            raise Undefined("no real power")
        if not base:
            return base
        positive = self._power(base.copy_negate(), exponent, written)
        return positive.copy_negate() if rational.numerator % 2 else positive

    def _call(self, name: str, x: Decimal) -> Decimal:
        if name == "abs":
            return x.copy_abs()
        if name == "ln" or (name == "log" and not self.decimal_log):
            return self._logarithm(x)
        if name == "log":
            return self.context.divide(self._logarithm(x), self.context.ln(Decimal(10)))
        function = FUNCTIONS.get(name)
        if function is None:
            raise Undecided(f"{name} is not evaluated")
        return function(x, self.context)

    def _logarithm(self, x: Decimal) -> Decimal:
        if x <= 0:
            raise Undefined("no real logarithm")
        return self.context.ln(x)


def agree(given: Node, expected: Node) -> bool:
    """Return True if an expression has the expected one's values, as defined above.

    Raises:
        Undecided: If that is not decided: too few points, or something that is not evaluated.
    """
    names = sorted(symbols(given) | symbols(expected))
    logs = (False, True) if _calls_log(given) or _calls_log(expected) else (False,)
    points = POINTS if names else 1
    seed = repr((given, expected))
    defined = 0
    for index in range(points):
        values = point(names, index, seed)
        for decimal_log in logs:
            same = _agree_at(given, expected, values, decimal_log)
            if same is False:
                return False
            defined += same is True
    if defined < (ENOUGH if names else 1) * len(logs):
        raise Undecided("defined at too few points")
    return True


def near(given: Node, expected: Node, tolerance: Fraction) -> bool:
    """Return True if two constants differ by at most the tolerance, with `HIGH` digits."""
    logs = (False, True) if _calls_log(given) or _calls_log(expected) else (False,)
    values = [Evaluation(HIGH, {}, decimal_log) for decimal_log in logs]
    return all(abs(Fraction(v(given)) - Fraction(v(expected))) <= tolerance for v in values)


def work_of(given: Node, expected: Node) -> int:
    """About how many operations comparing two expressions by value takes."""
    points = POINTS if symbols(given) | symbols(expected) else 1
    return (_size(given) + _size(expected)) * points


def _agree_at(
    given: Node, expected: Node, values: Mapping[str, Fraction], decimal_log: bool
) -> bool | None:
    """Compare two values at a point; None where the expected one has none."""
    differences = []
    for digits in (LOW, HIGH):
        value = Evaluation(digits, values, decimal_log)
        right, found = _value_or_none(value, expected), _value_or_none(value, given)
        if right is None or found is None:
            return None if right is None else False
        size = max(Decimal(1), right.copy_abs(), found.copy_abs())
        difference = value.context.subtract(found, right).copy_abs()
        if difference and difference.adjusted() - size.adjusted() > (-30, -80)[digits == HIGH]:
            return False
        differences.append(difference)
    low, high = differences
    return not high or not low or high.adjusted() - low.adjusted() < -30


def _value_or_none(value: Evaluation, node: Node) -> Decimal | None:
    try:
        return value(node)
    except Undefined:
        return None


def point(names: list[str], index: int, seed: str) -> dict[str, Fraction]:
    """Coordinates: half of the points are positive ones below 1 or below 3."""
    values = {}
    for name in names:
        digest = blake2b(f"{name} {index} {seed}".encode("utf-8", "replace"), digest_size=8)
        number = Fraction(int.from_bytes(digest.digest()) % _PLACES, _PLACES)
        values[name] = (number, 3 * number, 6 * number - 3, 2 * number - 1)[index % 4] or Fraction(
            1, 7
        )
    return values


def _calls_log(node: Node) -> bool:
    return node.text == "log" or any(map(_calls_log, node.parts))


def _size(node: Node) -> int:
    cost = 10 if node.kind in ("call", "power") else 1
    return cost + sum(map(_size, node.parts))


def _rational(node: Node) -> Fraction | None:
    """The value of an exponent that is plainly a fraction."""
    if node.kind == "number":
        return Fraction(node.number)
    parts = [_rational(part) for part in node.parts]
    if node.kind == "negative" and parts[0] is not None:
        return -parts[0]
    if node.kind == "quotient" and parts[0] is not None and parts[1]:
        return parts[0] / parts[1]
    return None
