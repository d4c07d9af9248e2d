"""Units: dimensions of laws, sizes of units, and problems worked out by hand."""

from fractions import Fraction

import numpy as np
import pytest

from helpers.reasoning_problems import check_scores, draw
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.measurement.physics import CHAINS, LAWS, UNITS, Law
from zerogym.envs.reasoning.measurement.unit_symbols import read_unit
from zerogym.envs.reasoning.measurement.units import UnitsEnv

GRAVITY = (1, 0, -2, 0)  # the constant 10 of three laws is an acceleration


@pytest.mark.parametrize("law", LAWS.values(), ids=lambda law: law.name)
def test_both_sides_of_a_law_have_one_dimension(law: Law) -> None:
    sides = np.zeros(4, int)
    for quantity, power in law.factors.items():
        sides += power * np.array(read_unit(UNITS[quantity][0].symbol)[1])
    if law.constant == 10:
        sides += GRAVITY
    assert tuple(sides) == read_unit(UNITS[law.product][0].symbol)[1]


def test_the_size_of_each_unit_is_what_its_symbol_says() -> None:
    for quantity, units in UNITS.items():
        assert units[0].size == 1, quantity
        for unit in units:
            assert read_unit(unit.symbol) == (unit.size, read_unit(units[0].symbol)[1])


def test_units_are_read_from_their_parts() -> None:
    assert read_unit("km/h")[0] == Fraction(5, 18)
    assert read_unit("g/cm^3")[0] == 1000
    assert read_unit("mAh")[0] == Fraction(18, 5)
    assert read_unit("kg/m^3")[1] == (-3, 1, 0, 0)
    with pytest.raises(ValueError, match="furlong"):
        read_unit("furlong/h")


def posed(laws: list[str], given: dict[str, str], target: str, answer: str) -> Problem:
    pairs = [[name, *text.split()] for name, text in given.items()]
    return Problem("?", answer, data={"laws": laws, "given": pairs, "asked": target.split()})


@pytest.mark.parametrize(
    ("laws", "given", "target", "answer"),
    [
        (["motion"], {"distance": "90 km", "time": "40 min"}, "speed km/h", "135"),
        (["motion"], {"distance": "100 m", "time": "9.5 s"}, "speed km/h", "720/19"),
        (["density"], {"density": "2.5 g/cm^3", "volume": "4 L"}, "mass kg", "10"),
        (["kinetic"], {"mass": "1 t", "speed": "72 km/h"}, "energy kJ", "200"),
        (["lifting"], {"energy": "6 kJ", "height": "12 m"}, "mass kg", "50"),
        (["ohm"], {"voltage": "230 V", "current": "500 mA"}, "resistance ohm", "460"),
        (["charging"], {"charge": "3000 mAh", "time": "90 min"}, "current A", "2"),
        (["liquid"], {"density": "1000 kg/m^3", "depth": "20 m"}, "pressure bar", "2"),
        (["contact"], {"force": "6 kN", "pressure": "3 bar"}, "area cm^2", "200"),
        (
            ["density", "lifting", "machine"],
            {"density": "2 g/cm^3", "volume": "50 L", "height": "9 m", "time": "1.5 min"},
            "power W",
            "100",
        ),
        (
            ["motion", "wave"],
            {"distance": "17 km", "time": "50 s", "frequency": "17 kHz"},
            "wavelength cm",
            "2",
        ),
    ],
)
def test_worked_out_by_hand(laws: list[str], given: dict, target: str, answer: str) -> None:
    assert UnitsEnv.solve(posed(laws, given, target, answer)) == answer


@pytest.mark.parametrize("difficulty", [0.0, 0.9, 1.0, 3.0, 6.0])
def test_the_solver_reads_what_the_story_says(difficulty: float) -> None:
    for problem in draw(UnitsEnv, difficulty, 400, seed=1):
        assert UnitsEnv.solve(problem) == problem.answer, problem.prompt
        assert all(f"{n} {number} {unit}" in problem.prompt for n, number, unit in
                   problem.data["given"])  # fmt: skip
        assert all(LAWS[name].story in problem.prompt for name in problem.data["laws"])
        assert difficulty >= 1 or Fraction(problem.answer).denominator == 1


def test_no_quantity_of_a_chain_is_used_twice() -> None:
    assert [len(chains) > 0 for chains in CHAINS] == [True] * 4
    for root, chain in (pair for chains in CHAINS for pair in chains):
        laws = [LAWS[root], *(LAWS[name] for name, _ in chain)]
        quantities = [quantity for law in laws for quantity in law.quantities]
        fed = [quantity for _, quantity in chain]
        assert sorted(quantities) == sorted([*set(quantities), *fed])


def test_a_unit_may_be_named_but_must_be_the_right_one() -> None:
    given = {"distance": "10 m", "time": "1 s"}
    problem = posed(["motion"], given, "speed km/h", "36")
    right = ("36", "36 km/h", "36km/h.", "speed = 36 km/h", "72/2 km/h", "36.0")
    right += (r"36\text{ km/h}", r"36\,\text{km/h}", r"36\;\mathrm{km}/\mathrm{h}")
    wrong = (r"36\text{ m/s}", r"36\,\text{km}", r"3\text{6 km/h}", r"36\text{", r"\text{36}",
             "36 m/s", "10 m/s", "10", "36 km", "36 h", "km/h", "36 km/h/h", "")  # fmt: skip
    check_scores(UnitsEnv, problem, right, wrong)
    area = posed(["contact"], {"force": "6 N", "pressure": "2 Pa"}, "area m^2", "3")
    assert UnitsEnv.score(area, "3 m²") == 1.0
