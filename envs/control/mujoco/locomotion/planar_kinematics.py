"""Kinematics of bodies that move in a plane, in closed form over batches of observations.

A planar body is a tree of links in the plane of x (forward) and z (up). An observation holds, in
this order, all of its state but the place along x:

| columns | what |
|---|---|
| 1 | height of the torso's origin above the floor, m |
| 2 | sine and cosine of the pitch angle |
| J | angles of the J hinges, radian |
| 3 + J | velocities: of the torso along x and z (m/s), of the pitch and the hinges (radian/s) |

Velocities of the centre of mass, angular momentum and heights are then sums of rotated constants,
which are read once from the compiled MuJoCo model, without the simulator. NumPy's are computed
in float64, but sines and cosines in the type of the observations; torch's in that type. Left out:
contact forces, which are no function of the state.

Shapes: B observations, or one in plain numbers, for which the same lines run: its reward is bit for
bit that in a batch. L links.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, Single, namespace
from zerogym.envs.control.core.features import Measures

BLOCK = 4096  # rows at once, so that intermediate results stay in a processor's cache
POSE = 3  # columns before the hinges: height, sine and cosine of the pitch

Columns = Sequence[Array] | NDArray[Any]  # of observations, (B,) each, or plain numbers
Turn = tuple[Array, Array]  # cosine and sine of an angle
Turns = Callable[[list[Array]], list[Turn]]
Point = tuple[float, float]
Measure = Callable[[Columns, Turns], Array]


@dataclass(frozen=True)
class Link:
    """A rigid part. Points are (x, z) in metres; a hinge joins a link to its parent.

    Attributes:
        name: That of the body in the model.
        parent: Index of its parent; -1 for the torso, whose hinge is its origin.
        sign: 1 if its hinge turns about +y, -1 if about -y.
        offset: From the parent's hinge to this one, in the parent's frame.
        centre: From its hinge to its centre of mass, in its own frame.
        mass: In kg.
        inertia: About its centre of mass and the y axis, in kg m2.
    """

    name: str
    parent: int
    sign: float
    offset: tuple[float, float]
    centre: tuple[float, float]
    mass: float
    inertia: float


@dataclass(frozen=True, eq=False)
class PlanarBody:
    """The links of a body, torso first, parents before children.

    Attributes:
        links: The parts.
        rest_height: Of the torso's origin where its coordinate z is 0, m.
    """

    links: tuple[Link, ...]
    rest_height: float

    @cached_property
    def measures(self) -> Measures:
        """The features that all planar bodies have, by name."""
        own: dict[str, Measure] = {
            "height": _height,
            "upright": _upright,
            "front_up": self._front_up,
            "pitch_rate": self._pitch_rate,
            "speed": self._speed,
            "climb": self._climb,
            "angular_momentum": self._angular_momentum,
        }
        for index, link in enumerate(self.links):
            own[f"{link.name}_height"] = partial(self._centre_height, index)
        return {name: partial(_of_rows, measure) for name, measure in own.items()}

    @cached_property
    def mass(self) -> float:
        """The mass of all links, kg."""
        return sum(link.mass for link in self.links)

    @cached_property
    def _hinges(self) -> tuple[tuple[int, float], ...]:
        """Parent and sign of every link but the torso."""
        return tuple((link.parent, link.sign) for link in self.links[1:])

    @cached_property
    def _levers(self) -> tuple[Point, ...]:
        """The centre of mass is the torso's origin plus these, each turned as its link."""
        carried = [link.mass for link in self.links]  # by each hinge
        for index, link in reversed(list(enumerate(self.links))[1:]):
            carried[link.parent] += carried[index]
        moments = np.array([link.mass * np.array(link.centre) for link in self.links])
        for index, link in enumerate(self.links[1:], start=1):
            moments[link.parent] += carried[index] * np.array(link.offset)
        return tuple((float(x), float(z)) for x, z in moments / self.mass)

    @cached_property
    def _reaches(self) -> tuple[tuple[list[int], list[Point]], ...]:
        """As the levers, of the centre of mass of each link: the links on its way, and theirs."""
        found = []
        for index, link in enumerate(self.links):
            way, points = [index], [link.centre]
            while way[0]:
                points.insert(0, self.links[way[0]].offset)
                way.insert(0, self.links[way[0]].parent)
            found.append((way, points))
        return tuple(found)

    def _angles(self, columns: Columns) -> list[Array]:
        """Return the angle of every link about +y against the torso, radian."""
        return self._added_up(0.0, columns[POSE : POSE + len(self._hinges)])

    def _rates(self, columns: Columns, turns: Turns) -> list[Array]:
        """Return the rate of every link about +y in the world, radian/s."""
        return self._added_up(
            self._pitch_rate(columns, turns), columns[POSE + len(self.links) + 2 :]
        )

    def _added_up(self, torso: Array, hinges: Columns) -> list[Array]:
        """Return the sums over the hinges on the way from the torso to each link."""
        sums = [torso]
        for (parent, sign), hinge in zip(self._hinges, hinges, strict=True):
            sums.append(sums[parent] + sign * hinge)
        return sums

    def _drift(self, columns: Columns, turns: Turns) -> tuple[Array, Array]:
        """Return the velocity of the centre of mass against the torso's origin, in its frame."""
        rates = self._rates(columns, turns)
        (x, z), *levers = self._levers
        along, up = rates[0] * z, rates[0] * -x
        turned = turns(self._angles(columns)[1:])
        for rate, turn, lever in zip(rates[1:], turned, levers, strict=True):
            x, z = _rotated(lever, turn)
            along, up = along + rate * z, up - rate * x
        return along, up

    def _tilt(self, columns: Columns) -> Turn:
        """Return the rotation of the torso in the world."""
        return columns[2], self.links[0].sign * columns[1]

    def _speed(self, columns: Columns, turns: Turns) -> Array:
        """Return the forward velocity of the centre of mass, m/s."""
        drift = _rotated(self._drift(columns, turns), self._tilt(columns))
        return columns[POSE + len(self.links) - 1] + drift[0]

    def _climb(self, columns: Columns, turns: Turns) -> Array:
        """Return the upward velocity of the centre of mass, m/s."""
        drift = _rotated(self._drift(columns, turns), self._tilt(columns))
        return columns[POSE + len(self.links)] + drift[1]

    def _pitch_rate(self, columns: Columns, turns: Turns) -> Array:
        """Return the rate of the torso about +y (its head forward), radian/s."""
        return self.links[0].sign * columns[POSE + len(self.links) + 1]

    def _front_up(self, columns: Columns, turns: Turns) -> Array:
        """Return the upward component of the torso's front: 1 straight up, -1 straight down."""
        return -self.links[0].sign * columns[1]

    def _angular_momentum(self, columns: Columns, turns: Turns) -> Array:
        """Return the angular momentum about +y and the centre of mass, kg m2/s."""
        about_torso: Array = 0.0
        middle: list[Array] = [0.0, 0.0, 0.0, 0.0]  # place and velocity of the centre of mass
        rates = self._rates(columns, turns)
        for link, rate, motion in zip(
            self.links, rates, self._motions(columns, turns, rates), strict=True
        ):
            x, z, u, w = motion
            about_torso = about_torso + link.inertia * rate + link.mass * (z * u - x * w)
            share = link.mass / self.mass
            middle = [so_far + share * each for so_far, each in zip(middle, motion, strict=True)]
        x, z, u, w = middle
        return about_torso - self.mass * (z * u - x * w)

    def _motions(
        self, columns: Columns, turns: Turns, rates: list[Array]
    ) -> list[tuple[Array, Array, Array, Array]]:
        """Return places (x, z) and velocities of the centres of mass, in the torso's frame."""
        turned: list[Turn] = [(1.0, 0.0), *turns(self._angles(columns)[1:])]
        hinges: list[tuple[Array, Array, Array, Array]] = [(0.0, 0.0, 0.0, 0.0)]
        for link in self.links[1:]:
            hinges.append(
                _carried(hinges[link.parent], link.offset, turned[link.parent], rates[link.parent])
            )
        return [
            _carried(hinge, link.centre, turn, rate)
            for hinge, link, turn, rate in zip(hinges, self.links, turned, rates, strict=True)
        ]

    def _centre_height(self, index: int, columns: Columns, turns: Turns) -> Array:
        """Return the height of a link's centre of mass above the floor, m."""
        (_, *way), ((x, z), *points) = self._reaches[index]
        along: Array = x
        up: Array = z
        if way:  # the torso is not turned against itself
            angles = self._angles(columns)
            for turn, point in zip(turns([angles[link] for link in way]), points, strict=True):
                x, z = _rotated(point, turn)
                along, up = along + x, up + z
        return columns[0] + _rotated((along, up), self._tilt(columns))[1]


def _height(columns: Columns, turns: Turns) -> Array:
    """Return the height of the torso's origin above the floor, m."""
    return columns[0]


def _upright(columns: Columns, turns: Turns) -> Array:
    """Return the cosine of the pitch: 1 upright, -1 upside down."""
    return columns[2]


def _rotated(point: tuple[Array, Array], turn: Turn) -> tuple[Array, Array]:
    """Rotate a vector (x, z) about +y."""
    (x, z), (cosine, sine) = point, turn
    return x * cosine + z * sine, z * cosine - x * sine


def _carried(
    hinge: tuple[Array, Array, Array, Array], point: Point, turn: Turn, rate: Array
) -> tuple[Array, Array, Array, Array]:
    """Return place and velocity of a point of a link that turns about a hinge."""
    x, z = _rotated(point, turn)
    return hinge[0] + x, hinge[1] + z, hinge[2] + rate * z, hinge[3] - rate * x


def _of_rows(measure: Measure, observations: Array) -> Array:
    """Apply a measure of columns to observations (B, n); NumPy's a block at a time."""
    if type(observations) is Single:
        return measure(observations, _turns_of_one)
    xp = namespace(observations)
    if xp is not np:
        return measure(observations.T, partial(_turns, xp))
    rows = np.asarray(observations)
    turns = _rough_turns if rows.dtype == np.float32 else partial(_turns, np)
    blocks = [
        np.array(rows[start : start + BLOCK].T, dtype=np.float64, order="C")
        for start in range(0, len(rows), BLOCK)
    ]
    return np.concatenate([measure(block, turns) for block in blocks or [rows.T]])


def _turns(xp: ModuleType, angles: list[Array]) -> list[Turn]:
    """Return cosines and sines in the type of the angles."""
    return [(xp.cos(angle), xp.sin(angle)) for angle in angles]


def _rough_turns(angles: list[Array]) -> list[Turn]:
    """Return them as exactly as angles in float32 are, in a tenth of the time."""
    single = [angle.astype(np.float32) for angle in angles]
    return [(np.cos(a).astype(np.float64), np.sin(a).astype(np.float64)) for a in single]


def _turns_of_one(angles: list[float]) -> list[Turn]:
    """Return them of plain numbers."""
    single = np.array(angles, dtype=np.float32)
    return list(zip(np.cos(single).tolist(), np.sin(single).tolist(), strict=True))
