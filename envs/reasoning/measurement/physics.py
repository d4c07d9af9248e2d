"""Quantities with their units, the laws between them, and how laws follow one another."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True)
class Unit:
    """A unit of a quantity: its size in SI units, and the numbers that come with it in a text."""

    symbol: str
    size: Fraction
    low: int
    high: int


@dataclass(frozen=True)
class Law:
    """`product = constant * factors`, a factor being a quantity to some power.

    Attributes:
        story: What happens, in a sentence that says which law holds.
        feeds: Laws from which a quantity of this law may be known, by quantity.
    """

    name: str
    story: str
    product: str
    factors: Mapping[str, int]
    constant: Fraction = Fraction(1)
    feeds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def quantities(self) -> tuple[str, ...]:
        return (self.product, *self.factors)

    def solve(self, unknown: str, known: Mapping[str, Fraction]) -> Fraction:
        """The value of one quantity from those of the others, all in SI units."""
        value = self.constant
        for quantity, power in self.factors.items():
            value *= known[quantity] ** power if quantity != unknown else 1
        return value if unknown == self.product else known[self.product] / value

    def formula(self, unknown: str) -> str:
        """The law, solved for a quantity, in words."""
        parts = [] if self.constant == 1 else [str(self.constant)]
        for quantity, power in self.factors.items():
            if quantity != unknown:
                parts.append(quantity if power == 1 else f"{quantity}^{power}")
        right = " * ".join(parts)
        if unknown == self.product:
            return right
        return f"{self.product} / {right}" if len(parts) == 1 else f"{self.product} / ({right})"


def _units(*rows: tuple[str, int | Fraction, int, int]) -> tuple[Unit, ...]:
    return tuple(Unit(symbol, Fraction(size), low, high) for symbol, size, low, high in rows)


# The first unit of each quantity is the SI unit.
UNITS: dict[str, tuple[Unit, ...]] = {
    "distance": _units(("m", 1, 5, 900), ("km", 1000, 1, 90), ("cm", Fraction(1, 100), 20, 900)),
    "height": _units(("m", 1, 2, 60), ("cm", Fraction(1, 100), 50, 900)),
    "depth": _units(("m", 1, 1, 40), ("cm", Fraction(1, 100), 20, 900)),
    "time": _units(("s", 1, 2, 90), ("min", 60, 2, 60), ("h", 3600, 1, 12)),
    "speed": _units(("m/s", 1, 2, 40), ("km/h", Fraction(5, 18), 9, 144)),
    "acceleration": _units(("m/s^2", 1, 1, 9)),
    "mass": _units(("kg", 1, 2, 90), ("g", Fraction(1, 1000), 100, 950), ("t", 1000, 1, 9)),
    "volume": _units(
        ("m^3", 1, 1, 9), ("L", Fraction(1, 1000), 1, 90), ("cm^3", Fraction(1, 10**6), 50, 900)
    ),
    "density": _units(("kg/m^3", 1, 500, 9000), ("g/cm^3", 1000, 1, 19)),
    "force": _units(("N", 1, 5, 900), ("kN", 1000, 1, 20)),
    "area": _units(("m^2", 1, 1, 20), ("cm^2", Fraction(1, 10**4), 10, 900)),
    "pressure": _units(("Pa", 1, 100, 9000), ("kPa", 1000, 1, 90), ("bar", 10**5, 1, 9)),
    "energy": _units(("J", 1, 100, 9000), ("kJ", 1000, 1, 90), ("kWh", 3_600_000, 1, 9)),
    "power": _units(("W", 1, 10, 900), ("kW", 1000, 1, 20)),
    "voltage": _units(("V", 1, 2, 230), ("mV", Fraction(1, 1000), 50, 950), ("kV", 1000, 1, 20)),
    "current": _units(("A", 1, 1, 16), ("mA", Fraction(1, 1000), 20, 950)),
    "resistance": _units(("ohm", 1, 2, 470), ("kohm", 1000, 1, 47)),
    "charge": _units(("C", 1, 5, 900), ("Ah", 3600, 1, 90), ("mAh", Fraction(18, 5), 100, 5000)),
    "frequency": _units(("Hz", 1, 2, 900), ("kHz", 1000, 1, 90)),
    "wavelength": _units(("m", 1, 1, 60), ("cm", Fraction(1, 100), 5, 95)),
}
MASS = ("density",)
LAWS: dict[str, Law] = {
    law.name: law
    for law in (
        Law("motion", "A body moves at a constant speed.", "distance", {"speed": 1, "time": 1}),
        Law("density", "The body is of one material.", "mass", {"density": 1, "volume": 1}),
        Law(
            "newton", "A single force accelerates a body.", "force",
            {"mass": 1, "acceleration": 1}, feeds={"mass": MASS},
        ),
        Law(
            "weight", "The force is the weight of a body, 10 N for each kg.", "force", {"mass": 1},
            Fraction(10), {"mass": MASS},
        ),
        Law(
            "contact", "A force is spread evenly over a contact area.", "force",
            {"pressure": 1, "area": 1}, feeds={"force": ("weight",)},
        ),
        Law(
            "work", "A force acts along a distance, and the energy is its work.", "energy",
            {"force": 1, "distance": 1}, feeds={"force": ("newton",)},
        ),
        Law(
            "lifting", "The energy lifts a body by a height; each kg weighs 10 N.", "energy",
            {"mass": 1, "height": 1}, Fraction(10), {"mass": MASS},
        ),
        Law(
            "kinetic", "The energy is the kinetic energy of a moving body.", "energy",
            {"mass": 1, "speed": 2}, Fraction(1, 2), {"mass": MASS, "speed": ("motion",)},
        ),
        Law(
            "machine", "A machine delivers the energy at a constant power.", "energy",
            {"power": 1, "time": 1}, feeds={"energy": ("work", "lifting")},
        ),
        Law(
            "ohm", "A resistor obeys Ohm's law.", "voltage", {"current": 1, "resistance": 1},
            feeds={"current": ("charging", "device")},
        ),
        Law(
            "device", "A device takes its power from a constant voltage and current.", "power",
            {"voltage": 1, "current": 1}, feeds={"current": ("charging",), "power": ("machine",)},
        ),
        Law(
            "charging", "A constant current carries the charge.", "charge",
            {"current": 1, "time": 1},
        ),
        Law(
            "wave", "A wave runs through a medium.", "speed", {"wavelength": 1, "frequency": 1},
            feeds={"speed": ("motion",)},
        ),
        Law(
            "liquid", "The pressure is that of a column of liquid alone; each kg weighs 10 N.",
            "pressure", {"density": 1, "depth": 1}, Fraction(10), {"density": MASS},
        ),
    )
}  # fmt: skip
MAX_LAWS = 4


def _chains(law: Law, length: int, used: frozenset[str]) -> list[list[tuple[str, str]]]:
    """Ways to know one quantity after the other: `(law, quantity it is solved for)`, last first."""
    if length == 0:
        return [[]]
    found = []
    for quantity, sources in law.feeds.items():
        for name in sources:
            source = LAWS[name]
            new = set(source.quantities) - {quantity}
            if new & used or source.factors.get(quantity, 1) != 1:
                continue
            for rest in _chains(source, length - 1, used | new):
                if quantity not in [q for _, q in rest]:
                    found.append([(name, quantity), *rest])
    return found


# By number of laws: the law of the target quantity, and the laws that lead to it.
CHAINS: list[list[tuple[str, list[tuple[str, str]]]]] = [
    [
        (name, chain)
        for name, law in LAWS.items()
        for chain in _chains(law, count, frozenset(law.quantities))
    ]
    for count in range(MAX_LAWS)
]
