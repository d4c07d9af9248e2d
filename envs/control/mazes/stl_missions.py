"""Temporal missions of the point maze: regions to visit, deadlines, and a region to avoid.

Regions are squares in the maze `s`; formulas are those of `stl.py`, with windows in steps. All our
choice; the kinds (sequences, deadlines, staying, avoiding) are those on which "TGPO: Temporal
Grounded Policy Optimization for Signal Temporal Logic Tasks" (2025, arXiv 2510.00225) is evaluated.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from types import MappingProxyType

from zerogym.envs.control.temporal.labelling import Square
from zerogym.envs.control.temporal.stl import Always, Formula, Margin, eventually
from zerogym.errors import UnknownName

HAZARD = "hazard"
MOST_STEPS = 1000
REGIONS: Mapping[str, Square] = MappingProxyType(
    {
        "a": Square((2.5625, 2.625), 0.25),  # right, top
        "b": Square((0.4375, 0.375), 0.25),  # left, bottom
        "c": Square((1.5, 2.625), 0.25),  # middle, top
        HAZARD: Square((1.5, 1.5), 0.1875),  # in the way, with a gap on both sides
    }
)


@dataclass(frozen=True)
class SignalMission:
    """A temporal specification.

    Attributes:
        text: In words.
        formula: The specification.
        legs: The regions to which the oracle goes, one after the other; it stays in the last.
    """

    text: str
    formula: Formula
    legs: tuple[str, ...]


def inside(region: str) -> Margin:
    """Return the margin of a region: the distance to its nearest side, negative outside."""
    return Margin(itemgetter(region))


_A, _B, _C = (inside(region) for region in "abc")
_never = partial(Always, ~inside(HAZARD), 0)

MISSIONS: Mapping[str, SignalMission] = MappingProxyType(
    {
        "in_order_avoiding": SignalMission(
            "Be in region a within 60 steps and in region b within 60 steps after that; never "
            "enter the hazard.",
            eventually(_A & eventually(_B, 0, 60), 0, 60) & _never(120),
            ("a", "b"),
        ),
        "reach": SignalMission("Be in region a within 60 steps.", eventually(_A, 0, 60), ("a",)),
        "reach_avoiding": SignalMission(
            "Be in region a within 60 steps and never enter the hazard.",
            eventually(_A, 0, 60) & _never(60),
            ("a",),
        ),
        "in_order": SignalMission(
            "Be in region b within 60 steps and in region c within 40 steps after that.",
            eventually(_B & eventually(_C, 0, 40), 0, 60),
            ("b", "c"),
        ),
        "appointments": SignalMission(
            "Be in region a at some time in the first 60 steps, and in region b between steps 100 "
            "and 120.",
            eventually(_A, 0, 60) & eventually(_B, 100, 120),
            ("a", "b"),
        ),
        "stay": SignalMission(
            "Within 60 steps come to region a and stay there for 20 steps.",
            eventually(Always(_A, 0, 20), 0, 60),
            ("a",),
        ),
    }
)


def find_mission(mission: object) -> SignalMission:
    """Return the mission of a name or a formula.

    Raises:
        UnknownName: If there is no mission of this name.
        TypeError: If it is neither.
        ValueError: If the horizon of the formula is below 1 or above `MOST_STEPS`.
    """
    if isinstance(mission, str):
        if mission not in MISSIONS:
            raise UnknownName("mission", mission, list(MISSIONS))
        return MISSIONS[mission]
    if not isinstance(mission, Formula):
        raise TypeError(f"a mission is a name or an stl.Formula, got {type(mission).__name__}")
    if not 1 <= mission.horizon <= MOST_STEPS:
        raise ValueError(f"a mission looks 1 to {MOST_STEPS} steps ahead, not {mission.horizon}")
    return SignalMission("Satisfy the formula of this world.", mission, ())
