"""Units: size in SI units and dimension, read from the symbol."""

from fractions import Fraction
from functools import cache

Dimension = tuple[int, int, int, int]  # powers of metre, kilogram, second and ampere

_PREFIXES = {"k": Fraction(1000), "c": Fraction(1, 100), "m": Fraction(1, 1000)}
_BASES: dict[str, tuple[Fraction, Dimension]] = {
    "m": (Fraction(1), (1, 0, 0, 0)),
    "g": (Fraction(1, 1000), (0, 1, 0, 0)),
    "t": (Fraction(1000), (0, 1, 0, 0)),
    "s": (Fraction(1), (0, 0, 1, 0)),
    "min": (Fraction(60), (0, 0, 1, 0)),
    "h": (Fraction(3600), (0, 0, 1, 0)),
    "Hz": (Fraction(1), (0, 0, -1, 0)),
    "L": (Fraction(1, 1000), (3, 0, 0, 0)),
    "A": (Fraction(1), (0, 0, 0, 1)),
    "Ah": (Fraction(3600), (0, 0, 1, 1)),
    "C": (Fraction(1), (0, 0, 1, 1)),
    "N": (Fraction(1), (1, 1, -2, 0)),
    "Pa": (Fraction(1), (-1, 1, -2, 0)),
    "bar": (Fraction(100_000), (-1, 1, -2, 0)),
    "J": (Fraction(1), (2, 1, -2, 0)),
    "Wh": (Fraction(3600), (2, 1, -2, 0)),
    "W": (Fraction(1), (2, 1, -3, 0)),
    "V": (Fraction(1), (2, 1, -3, -1)),
    "ohm": (Fraction(1), (2, 1, -3, -2)),
}


@cache
def read_unit(symbol: str) -> tuple[Fraction, Dimension]:
    """Size in SI units and dimension of a unit such as `km/h`, `g/cm^3` or `mAh`.

    Raises:
        ValueError: If a part of the symbol is no unit.

    Example:
        >>> read_unit("km/h")
        (Fraction(5, 18), (1, 0, -1, 0))
    """
    size, dimension = Fraction(1), [0, 0, 0, 0]
    for place, part in enumerate(symbol.split("/")):
        name, _, exponent = part.partition("^")
        power = int(exponent or 1) * (-1 if place else 1)
        prefix = Fraction(1)
        if name not in _BASES and name[:1] in _PREFIXES:
            prefix, name = _PREFIXES[name[0]], name[1:]
        if name not in _BASES:
            raise ValueError(f"unknown unit {symbol!r}")
        factor, powers = prefix * _BASES[name][0], _BASES[name][1]
        size *= factor**power
        dimension = [total + power * one for total, one in zip(dimension, powers, strict=True)]
    length, mass, time, current = dimension
    return size, (length, mass, time, current)
