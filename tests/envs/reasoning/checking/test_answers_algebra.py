"""The checker's algebra against independent oracles: fractions, residues and many digits."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from zerogym.envs.reasoning.answers import equal, parse_number
from zerogym.envs.reasoning.checking.answer_grammar import parse_tokens
from zerogym.envs.reasoning.checking.decimal_functions import pi
from zerogym.envs.reasoning.checking.intervals import Interval, merged
from zerogym.envs.reasoning.checking.tokens import tokenize
from zerogym.envs.reasoning.checking.values import POINTS, Evaluation, point

Rng = np.random.Generator
PRIME = 2**61 - 1


def _one(rng: Rng, *choices: str) -> str:
    return choices[int(rng.integers(len(choices)))]


def _number(rng: Rng) -> Fraction:
    return Fraction(int(rng.integers(0, 30)), int(rng.choice([1, 1, 1, 2, 4, 5, 10])))


def _tree(rng: Rng, depth: int, leaves: tuple[str, ...], signs: str) -> object:
    if depth == 0 or rng.random() < 0.1:
        if leaves and rng.random() < 0.6:
            return leaves[int(rng.integers(len(leaves)))]
        return _number(rng) if not leaves else Fraction(int(rng.integers(1, 9)))
    sign = signs[int(rng.integers(len(signs)))]
    left = _tree(rng, depth - 1, leaves, signs)
    if sign == "^":
        return sign, left, Fraction(int(rng.integers(0, 4)))
    return sign, left, _tree(rng, depth - 1, leaves, signs)


def _number_text(rng: Rng, value: Fraction) -> str:
    top, bottom = value.numerator, value.denominator
    forms = [rf"\frac{{{top}}}{{{bottom}}}", f"({top}/{bottom})", rf"\dfrac {{{top}}} {{{bottom}}}"]
    if bottom in (1, 2, 4, 5, 10):
        forms.append(str(float(value)))
        forms.append(f"({float(value) * 100:g}%)")
        forms.append(rf"({float(value) / 1000:g} \times 10^{{3}})")
    if bottom == 1:
        forms += [str(top)] * 6
    return _one(rng, *forms)


def _printed(rng: Rng, tree: object) -> str:
    """A random notation of a tree."""
    if isinstance(tree, str):
        return tree
    if isinstance(tree, Fraction):
        return _number_text(rng, tree)
    sign, left, right = tree  # type: ignore[misc]
    a, b = _printed(rng, left), _printed(rng, right)
    if sign == "/":
        return _one(rng, rf"\frac{{{a}}}{{{b}}}", f"(({a})/({b}))", rf"({{{a}}} ÷ ({b}))")
    if sign == "*":
        times = _one(rng, "*", r"\cdot ", "×", r" \times ", "", " ")
        return f"(({a}){times}({b}))"
    if sign == "^":
        return _one(rng, f"({a})^{{{right}}}", f"({a})**{right}", rf"\left({a}\right)^{right}")
    minus = _one(rng, "-", "−", " - ") if sign == "-" else _one(rng, "+", " + ")
    opened, closed = _one(rng, "(|)", r"\left(|\right)", r"\bigl(|\bigr)").split("|")
    return f"{opened}{a}{minus}({b}){closed}"


def _value(tree: object, of: dict[str, int] | None = None) -> Fraction:
    """The exact value; modulo a prime where the variables are residues."""
    if isinstance(tree, str):
        assert of is not None
        return Fraction(of[tree])
    if isinstance(tree, Fraction):
        return tree
    sign, left, right = tree  # type: ignore[misc]
    a, b = _value(left, of), _value(right, of)
    if sign == "^":
        if not a and not b:
            raise ZeroDivisionError
        return a**b.numerator
    return {"+": a + b, "-": a - b, "*": a * b}[sign] if sign != "/" else a / b


def test_random_rational_expressions_in_random_notations() -> None:
    rng, done = np.random.default_rng(0), 0
    while done < 400:
        tree = _tree(rng, int(rng.integers(1, 4)), (), "+-*/^")
        try:
            value = _value(tree)
        except ZeroDivisionError:
            assert not equal(_printed(rng, tree), "1")
            continue
        text = _printed(rng, tree)
        assert equal(text, str(value)), text
        assert equal(_number_text(rng, abs(value)), str(abs(value)))
        assert not equal(text, str(value + Fraction(1, 10**9))), text
        assert not equal(text, str(-value)) or not value
        done += 1


def _rewritten(rng: Rng, tree: object) -> object:
    """The same polynomial, by commuting, distributing and unrolling powers at random."""
    if not isinstance(tree, tuple):
        return tree
    sign, left, right = tree
    a, b = _rewritten(rng, left), _rewritten(rng, right)
    if sign == "^" and rng.random() < 0.5:
        power: object = Fraction(1)
        for _ in range(b.numerator):  # type: ignore[attr-defined]
            power = ("*", power, a)
        return power
    if sign in "+*" and rng.random() < 0.5:
        return sign, b, a
    if sign == "-":
        return "+", a, ("*", ("-", Fraction(0), Fraction(1)), b)
    if sign == "*" and isinstance(b, tuple) and b[0] in "+-":
        return b[0], ("*", a, b[1]), ("*", a, b[2])
    return sign, a, b


def _same_values(left: object, right: object, names: tuple[str, ...], rng: Rng) -> bool:
    for _ in range(8):
        point = {name: int(rng.integers(1, 10**6)) for name in names}
        if (_value(left, point) - _value(right, point)).numerator % PRIME:
            return False
    return True


def test_random_polynomials_rewritten_and_changed() -> None:
    rng, names, different = np.random.default_rng(1), ("x", "y", "z"), 0
    for _ in range(250):
        tree = _tree(rng, 3, names, "+-*+*^")
        other = _rewritten(rng, tree)
        text, changed = _printed(rng, tree), _rewritten(rng, ("+", tree, "x"))
        assert equal(text, _printed(rng, other)), (text, other)
        assert not equal(text, _printed(rng, changed))
        stranger = _tree(rng, 1, names, "+-*^")
        same = _same_values(tree, stranger, names, rng)
        assert equal(text, _printed(rng, stranger)) == same
        different += not same
    assert different > 100


def test_random_quotients_of_polynomials() -> None:
    rng, names = np.random.default_rng(2), ("x", "y")
    for _ in range(150):
        p, q, r, s = (_tree(rng, 1, names, "+-*") for _ in range(4))
        if any(_same_values(t, Fraction(0), names, rng) for t in (q, s)):
            continue
        total = ("+", ("/", p, q), ("/", r, s))
        joined = ("/", ("+", ("*", p, s), ("*", q, r)), ("*", q, s))
        wrong = ("/", ("+", ("*", p, s), ("*", q, r)), ("+", q, s))
        assert equal(_printed(rng, total), _printed(rng, joined))
        exact = all(_at(total, i) == _at(wrong, i) for i in range(3, 9))
        assert equal(_printed(rng, total), _printed(rng, wrong)) == exact


def _at(tree: object, index: int) -> Fraction | None:
    try:
        return _value(tree, {"x": 101 * index + 7, "y": 89 * index**2 + 3})
    except ZeroDivisionError:
        return None


def test_random_sums_of_roots() -> None:
    rng = np.random.default_rng(3)

    def many_digits(terms: list[tuple[Fraction, int]]) -> Decimal:
        return sum(
            (Decimal(c.numerator) / c.denominator * Decimal(n).sqrt() for c, n in terms), Decimal(0)
        )

    def text(terms: list[tuple[Fraction, int]]) -> str:
        roots = (r"\sqrt{%d}", "%d^{1/2}", "√(%d)", r"\frac{%d}{\sqrt{%d}}")
        shown = []
        for c, n in terms:
            root = _one(rng, *roots)
            shown.append(f"({c})" + "(" + root % ((n,) * root.count("%d")) + ")")
        return "+".join(shown)

    with localcontext() as context:
        context.prec = 80
        for _ in range(200):
            terms = [
                (Fraction(int(rng.integers(-6, 7)), 2), int(rng.integers(1, 13))) for _ in range(6)
            ]
            left, right = terms[:3], terms[3:]
            exact = abs(many_digits(left) - many_digits(right)) < Decimal("1e-60")
            assert equal(text(left), text(right)) == exact
            product = [(a * b, m * n) for (a, m), (b, n) in itertools.product(left, right)]
            assert equal(f"({text(left)})({text(right)})", text(product))


@pytest.mark.parametrize("x", [-2.5, -1, -0.3, 0.25, 0.99, 1.0, 7.0, 1000.0])
@pytest.mark.parametrize(
    "name", ["sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "exp"]
)
def test_functions_have_the_values_of_pythons_own(name: str, x: float) -> None:
    own = getattr(math, name.replace("arc", "a"))
    try:
        exact = own(x)
    except (ValueError, OverflowError):
        return
    node = parse_tokens(tokenize(rf"\{name}({x})"))
    found = float(Evaluation(50, {}, False)(node))
    assert found == pytest.approx(exact, rel=1e-12, abs=1e-15)


def test_pi_has_its_digits() -> None:
    digits = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899"
    assert str(pi(120)).startswith(digits)


def test_equality_goes_both_ways_where_domains_are_the_same() -> None:
    texts = [
        r"x^2-1",
        r"(x-1)(x+1)",
        r"\sin x",
        r"\sqrt{x+1}",
        r"\sqrt{1+x}",
        r"2^x",
        r"\cos x \tan x",
    ]
    for left, right in itertools.product(texts, repeat=2):
        assert equal(left, right) == equal(right, left)


def test_no_expression_can_be_made_for_the_points() -> None:
    known = [point(["x"], index, "of another pair")["x"] for index in range(POINTS)]
    zeros = "".join(rf"(x-\frac{{{x.numerator}}}{{{x.denominator}}})" for x in known)
    assert not equal(rf"\sin x + {zeros}".replace("--", "+"), r"\sin x")


def test_merged_intervals_hold_the_same_numbers() -> None:
    rng = np.random.default_rng(4)
    probes = [Fraction(k, 2) for k in range(-1, 14)]

    def holds(interval: Interval, x: Fraction) -> bool:
        above = x > interval.low or (x == interval.low and interval.low_closed)
        return above and (x < interval.high or (x == interval.high and interval.high_closed))

    for _ in range(500):
        parts = [
            Interval(int(a), bool(b & 1), int(c), bool(b & 2))
            for a, b, c in rng.integers(0, 7, size=(4, 3))
        ]
        found = merged(parts)
        for x in probes:
            assert any(holds(p, x) for p in parts) == any(holds(f, x) for f in found)
        assert all(a.high <= b.low for a, b in itertools.pairwise(found))


@pytest.mark.parametrize("text", ["2+3", "2*3", "3^2", r"\sqrt{4}", "(5)", "2 3", "5!", "5 km"])
def test_numerals_are_not_calculations(text: str) -> None:
    assert parse_number(text) is None
