"""Features of a quadrotor, its rewards, and the targets of its controller."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from zerogym.envs.control.core.arrays import Array, Floats, namespace
from zerogym.envs.control.core.features import ByFeatures, Features, Measures
from zerogym.envs.control.core.interval_rewards import (
    Column,
    NearPoint,
    ProductReward,
    Rule,
    by_name,
)
from zerogym.envs.control.core.tasks import Task, tolerance
from zerogym.envs.control.vehicles.quadrotors.controller import Aim
from zerogym.envs.control.vehicles.quadrotors.physics import CLOCK, PERIOD

Point = tuple[float, float, float]

WIDE, DEEP = 1.0, 0.5  # m, half the figure eight along x and y
RADIUS, MARGIN = 0.1, 0.5  # m: full reward, and a tenth of it
SPIN = 2.0  # rad/s
PLACES: Mapping[str, Point] = MappingProxyType(
    {"hover": (0.0, 0.0, 0.0), "point_front": (1.0, 0.0, 0.5), "point_left": (0.0, 1.0, -0.5)}
)
VELOCITIES: Mapping[str, Point] = MappingProxyType(
    {"forward": (1.0, 0.0, 0.0), "left": (0.0, 1.0, 0.0), "climb": (0.0, 0.0, 0.7)}
)
XYZ, SPEEDS = ("x", "y", "z"), ("speed_x", "speed_y", "speed_z")
SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "hover": "Hover at the origin.",
        "point_front": "Fly to the point 1 m in front of the origin and 0.5 m above, and stay.",
        "point_left": "Fly to the point 1 m to the left of the origin and 0.5 m below, and stay.",
        "forward": "Fly forward at 1 m/s.",
        "left": "Fly to the left at 1 m/s.",
        "climb": "Climb at 0.7 m/s.",
        "eight": f"Fly a figure eight, 2 m wide and 1 m deep, every {PERIOD:g} seconds.",
        "spin": f"Turn on the spot to the left, at {SPIN:g} rad/s.",
    }
)


def off_course(observations: Array) -> Array:
    """Return distances (B,) from the point of the figure eight at this time of the clock."""
    xp = namespace(observations)
    cosine, sine = observations[:, 22], observations[:, 23]
    x, y = observations[:, 0] - WIDE * sine, observations[:, 1] - 2 * DEEP * sine * cosine
    return xp.sqrt(x**2 + y**2 + observations[:, 2] ** 2)


MEASURES: Measures = {
    **{name: Column(index) for index, name in enumerate(XYZ)},
    "upright": Column(11),  # 1 level, -1 upside down
    **{name: Column(12 + index) for index, name in enumerate(SPEEDS)},
    "turning": Column(17),  # rad/s about its own vertical axis, anticlockwise
    "off_course": off_course,
}


@dataclass(frozen=True)
class Turning:
    """1 while the vehicle turns about its vertical axis at a rate, less at others."""

    rate: float  # rad/s

    def __call__(self, features: Features, action: Array) -> Array:
        return tolerance(features["turning"] - self.rate, (-0.2, 0.2), 1.0)


def _near(point: Point, names: tuple[str, ...] = XYZ) -> NearPoint:
    return NearPoint(names, point, RADIUS, MARGIN)


RULES: Mapping[str, Rule] = {
    **{name: _near(place) for name, place in PLACES.items()},
    **{name: _near(velocity, SPEEDS) for name, velocity in VELOCITIES.items()},
    "eight": NearPoint(("off_course",), (0.0,), RADIUS, MARGIN),
    "spin": ProductReward((NearPoint(XYZ, (0.0, 0.0, 0.0), 0.3, 1.0), Turning(SPIN))),
}
TASKS = by_name(
    Task(name, SENTENCES[name], ByFeatures(MEASURES, rule)) for name, rule in RULES.items()
)


def place_task(place: Floats) -> Task:
    """Make the task of flying to a place (3,) and staying there."""
    x, y, z = (float(each) for each in place)
    text = f"Fly to ({x:.3g}, {y:.3g}, {z:.3g}) and stay there."
    reward = ByFeatures(MEASURES, _near((x, y, z)))
    return Task("place", text, reward, np.asarray(place, dtype=np.float32))


def aim_of(name: str, states: Floats) -> Aim:
    """Return the target of the controller in states (B, S) for a named task."""
    if name in VELOCITIES:
        return Aim(None, np.array(VELOCITIES[name]))
    if name == "eight":
        return _eight(2 * np.pi * states[:, CLOCK])
    turning = SPIN if name == "spin" else 0.0
    return Aim(np.array(PLACES.get(name, PLACES["hover"])), turning=turning)


def _eight(angle: Floats) -> Aim:
    """Return place, velocity and acceleration on the figure eight."""
    rate, flat = 2 * np.pi / PERIOD, np.zeros_like(angle)
    place = np.stack([WIDE * np.sin(angle), DEEP * np.sin(2 * angle), flat], axis=1)
    velocity = np.stack([WIDE * np.cos(angle), 2 * DEEP * np.cos(2 * angle), flat], axis=1)
    return Aim(place, rate * velocity, -(rate**2) * place * np.array([1.0, 4.0, 0.0]))
