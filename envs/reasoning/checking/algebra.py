r"""Exact algebra on parsed expressions: quotients of polynomials, with radicals.

An expression becomes a quotient of two polynomials with rational coefficients. Their unknowns are
the variables, pi, e, i (with i² = -1), roots of primes (`12^(1/2)` is twice the root of 3) and, as
unknowns without properties, whatever is left (`\sin x`, `\sqrt{x+1}`, `2^x`). So:

- Rational functions of any number of variables and radicals of rational numbers (also nested in
  quotients) are decided exactly: products of roots of primes are linearly independent over the
  rationals (Besicovitch, 1940). pi and e are taken as algebraically independent.
- With unknowns of the last kind, equal normal forms prove equality and different ones nothing.
- Conventions: an odd root of a negative number is the real one; `x/x` is 1; fractional powers of
  a variable multiply out (`\sqrt{x}\sqrt{x}` is x), powers under a root do not (`\sqrt{x^2}`).

Left out: expanding functions (`algebra_values` tests those numerically), nested radicals.
Everything is bounded; what is too large raises `Undecided`.
"""

from fractions import Fraction
from math import comb, factorial
from typing import NamedTuple

from zerogym.envs.reasoning.checking.monomials import (
    MAX_BITS,
    POSITIVE,
    Monomial,
    Number,
    Polynomial,
    Undecided,
    bits,
    joined,
    may_multiply,
    raised,
    reduced,
    root_of_number,
    simple,
)
from zerogym.envs.reasoning.checking.nodes import Node

MAX_WORK = 20_000  # products of two terms in one comparison
MAX_TERMS = 2000
MAX_POWER = 1000
MAX_UNKNOWNS = 40
MAX_FACTORIAL = 500
_ONE: Polynomial = {(): 1}


class Ratio(NamedTuple):
    """A quotient of two polynomials; the lower one is not zero."""

    top: Polynomial
    bottom: Polynomial = _ONE

    def constant(self) -> Number | None:
        """Return the value if it is a rational number, else None."""
        if self.bottom != _ONE or len(self.top) > 1:
            return None
        return self.top.get((), None if self.top else 0)

    def is_exact(self) -> bool:
        """Return True without unknowns that have no properties: then the normal form decides."""
        return not any(n[0] == "?" for p in self for monomial in p for n, _ in monomial)


class Algebra:
    """Normal forms of the expressions of one comparison.

    They share the unknowns and one budget of work.
    """

    def __init__(self) -> None:
        self.work = 0
        self.unknowns: list[tuple[str, tuple[Ratio, ...]]] = []

    def normal(self, node: Node) -> Ratio:
        """The normal form.

        Raises:
            Undecided: If it is too large or not defined (a division by zero).
        """
        kind = node.kind
        if kind == "number":
            return _constant(node.number)
        if kind == "symbol":
            if node.text == "infinity":
                raise Undecided("infinity is no number")
            return Ratio({((node.text, 1),): 1})
        parts = [self.normal(part) for part in node.parts]
        if kind == "sum":
            return self._sum(parts)
        if kind == "product":
            return self._product(parts)
        if kind == "quotient":
            return self._product([parts[0], self._inverse(parts[1])])
        if kind == "negative":
            return Ratio({m: -c for m, c in parts[0].top.items()}, parts[0].bottom)
        if kind == "power":
            return self._power(*parts)
        return self._call(node.text, parts)

    def equal(self, left: Ratio, right: Ratio) -> bool:
        """Return True if two normal forms are the same function of the unknowns."""
        if left.bottom == right.bottom:
            return left.top == right.top
        return self._times(left.top, right.bottom) == self._times(right.top, left.bottom)

    def proportional(self, left: Ratio, right: Ratio) -> bool:
        """Return True if one is the other times a number that is not zero."""
        first = self._times(left.top, right.bottom)
        second = self._times(right.top, left.bottom)
        if not first or first.keys() != second.keys():
            return False
        monomial, coefficient = next(iter(first.items()))
        factor = Fraction(second[monomial]) / coefficient
        return all(second[m] == c * factor for m, c in first.items())

    def _sum(self, parts: list[Ratio]) -> Ratio:
        top, bottom = dict(parts[0].top), parts[0].bottom
        for part in parts[1:]:
            more = part.top
            if part.bottom != bottom:
                more = self._times(more, bottom)
                top = self._times(top, part.bottom)
                bottom = self._times(bottom, part.bottom)
            for monomial, coefficient in more.items():
                total = top.get(monomial, 0) + coefficient
                if total:
                    top[monomial] = self._bounded(total)
                else:
                    del top[monomial]
            self._spend(len(more))
        return Ratio(top, bottom if top else _ONE)

    def _product(self, parts: list[Ratio]) -> Ratio:
        top, bottom = parts[0]
        for part in parts[1:]:
            top = self._times(top, part.top)
            if part.bottom is not _ONE:
                bottom = self._times(bottom, part.bottom)
        return Ratio(top, bottom if top else _ONE)

    def _inverse(self, ratio: Ratio) -> Ratio:
        if not ratio.top:
            raise Undecided("division by zero")
        if len(ratio.top) > 1:
            return Ratio(ratio.bottom, ratio.top)
        ((monomial, coefficient),) = ratio.top.items()
        inverse = raised(monomial, coefficient, -1)
        return Ratio(self._times(ratio.bottom, inverse))

    def _times(self, left: Polynomial, right: Polynomial) -> Polynomial:
        self._spend(len(left) * len(right))
        if right == _ONE:
            return left
        result: Polynomial = {}
        for m, a in left.items():
            for n, b in right.items():
                monomial, factor = joined(m, n)
                coefficient = simple(a * b * factor)
                total = simple(result.get(monomial, 0) + coefficient)
                if total:
                    result[monomial] = self._bounded(total)
                else:
                    del result[monomial]
        if len(result) > MAX_TERMS:
            raise Undecided("too many terms")
        return result

    def _spend(self, work: int) -> None:
        self.work += work
        if self.work > MAX_WORK:
            raise Undecided("too much work")

    def _bounded(self, value: Number) -> Number:
        """The value; long numbers cost more work."""
        size = bits(value)
        if size > 128:
            self._spend(size // 64)
            if size > MAX_BITS:
                raise Undecided("too large a number")
        return value

    def _power(self, base: Ratio, exponent: Ratio) -> Ratio:
        value = exponent.constant()
        if value is None:
            return self._symbolic_power(base, exponent)
        if isinstance(value, int):
            return self._whole_power(base, value)
        if not base.top:
            if value < 0:
                raise Undecided("division by zero")
            return base
        if base.bottom == _ONE and len(base.top) == 1:
            ((monomial, coefficient),) = base.top.items()
            root = self._root(monomial, coefficient, value)
            if root is not None:
                return root
        return self._unknown("power", (base, exponent))

    def _symbolic_power(self, base: Ratio, exponent: Ratio) -> Ratio:
        """`b^(2x + y + 1)` as `(b^x)^2 b^y b`: whole coefficients leave the exponent."""
        rest: Polynomial = {}
        factors = []
        for monomial, coefficient in exponent.top.items():
            if not isinstance(coefficient, int) or exponent.bottom != _ONE:
                rest[monomial] = coefficient
            elif monomial:
                unknown = self._unknown("power", (base, Ratio({monomial: 1})))
                factors.append(self._whole_power(unknown, coefficient))
            else:
                factors.append(self._whole_power(base, coefficient))
        if rest:
            factors.append(self._unknown("power", (base, Ratio(rest, exponent.bottom))))
        return self._product(factors)

    def _whole_power(self, base: Ratio, exponent: int) -> Ratio:
        if exponent < 0:
            return self._whole_power(self._inverse(base), -exponent)
        if exponent == 0 and not base.top:
            raise Undecided("zero to the power of zero")
        if len(base.top) == 1 and base.bottom == _ONE:
            ((monomial, coefficient),) = base.top.items()
            return Ratio(raised(monomial, coefficient, exponent))
        if exponent > MAX_POWER:
            raise Undecided("too large a power")
        result, square = Ratio(_ONE), base
        while exponent:
            if exponent & 1:
                result = self._product([result, square])
            exponent >>= 1
            if exponent:
                square = self._product([square, square])
        return result

    def _root(self, monomial: Monomial, coefficient: Number, exponent: Fraction) -> Ratio | None:
        """A fractional power of one term, where it is again one term."""
        sign: Polynomial = _ONE
        if coefficient < 0:
            coefficient = -coefficient
            if exponent.denominator % 2:
                sign = {(): -1 if exponent.numerator % 2 else 1}
            elif exponent.denominator == 2 and not monomial:
                sign = raised((("i", 1),), 1, exponent.numerator)
            else:
                return None
        if any(not may_multiply(name, power) for name, power in monomial):
            return None
        if sign is not _ONE and any(name not in POSITIVE for name, _ in monomial):
            return None
        self._spend(bits(coefficient) if bits(coefficient) > 40 else 10)  # for its factors
        root = root_of_number(coefficient, exponent)
        if root is None:
            return None
        powers = tuple((name, simple(power * exponent)) for name, power in monomial)
        return Ratio(self._times(self._times(root, reduced(dict(powers))), sign))

    def _call(self, name: str, arguments: list[Ratio]) -> Ratio:
        values = [argument.constant() for argument in arguments]
        if name == "abs" and values[0] is not None:
            return _constant(abs(Fraction(values[0])))
        if name in ("factorial", "binomial"):
            if not all(isinstance(v, int) and 0 <= v <= MAX_FACTORIAL for v in values):
                raise Undecided(f"no {name}")
            return _constant((factorial if name == "factorial" else comb)(*values))  # type: ignore
        return self._unknown(name, tuple(arguments))

    def _unknown(self, kind: str, arguments: tuple[Ratio, ...]) -> Ratio:
        for index, (known, others) in enumerate(self.unknowns):
            same = known == kind and len(others) == len(arguments)
            if same and all(map(self.equal, arguments, others)):
                return Ratio({((f"?{index}", 1),): 1})
        if len(self.unknowns) >= MAX_UNKNOWNS:
            raise Undecided("too many functions")
        self.unknowns.append((kind, arguments))
        return Ratio({((f"?{len(self.unknowns) - 1}", 1),): 1})


def _constant(value: Number) -> Ratio:
    return Ratio({(): simple(value)} if value else {})
