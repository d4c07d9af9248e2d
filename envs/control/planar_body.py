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
which are read once from the compiled MuJoCo model; the simulator is not asked. Left out: contact
forces, which are no function of the state.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from zerogym.envs.control.arrays import Array, namespace
from zerogym.envs.control.features import Measures

BLOCK = 4096  # rows at once, so that intermediate results stay in a processor's cache
POSE = 3  # columns before the hinges: height, sine and cosine of the pitch


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


@dataclass(frozen=True)
class Turn:
    """How a link is turned against the torso, and how fast it turns about +y in the world; (B,)."""

    cos: Any
    sin: Any
    rate: Any

    def rotated(self, point: tuple[float, float]) -> tuple[Any, Any]:
        """A point of the link's frame in the torso's."""
        x, z = point
        return x * self.cos + z * self.sin, z * self.cos - x * self.sin


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
        own: dict[str, Callable[[Array], Array]] = {
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
        return {name: partial(_in_blocks, measure) for name, measure in own.items()}

    @cached_property
    def mass(self) -> float:
        """Of all links, kg."""
        return sum(link.mass for link in self.links)

    @cached_property
    def levers(self) -> tuple[tuple[float, float], ...]:
        """The centre of mass is the torso's origin plus these vectors, each turned as its link."""
        carried = [link.mass for link in self.links]  # by each hinge
        for index, link in reversed(list(enumerate(self.links))[1:]):
            carried[link.parent] += carried[index]
        moments = [link.mass * np.array(link.centre) for link in self.links]
        for index, link in enumerate(self.links):
            if link.parent >= 0:
                moments[link.parent] += carried[index] * np.array(link.offset)
        return tuple((float(x), float(z)) for x, z in (each / self.mass for each in moments))

    def _turns(self, columns: Array) -> list[Turn]:
        """Of every link."""
        xp, first, count = namespace(columns), self.links[0], len(self.links)
        rates = columns[POSE + count + 1 :]  # of the pitch and the hinges
        angles: list[Any] = [0.0]
        turns = [Turn(1.0, 0.0, first.sign * rates[0])]
        for index, link in enumerate(self.links[1:], start=1):
            angle = angles[link.parent] + link.sign * columns[POSE + index - 1]
            rate = turns[link.parent].rate + link.sign * rates[index]
            angles.append(angle)
            turns.append(Turn(xp.cos(angle), xp.sin(angle), rate))
        return turns

    def _drift(self, columns: Array) -> tuple[Array, Array]:
        """Velocity of the centre of mass less that of the torso's origin, in the torso's frame."""
        x: Any = 0.0
        z: Any = 0.0
        for turn, lever in zip(self._turns(columns), self.levers, strict=True):
            along, up = turn.rotated(lever)
            x, z = x + turn.rate * up, z - turn.rate * along
        return x, z

    def _world(self, columns: Array, vector: tuple[Any, Any]) -> tuple[Array, Array]:
        """A vector of the torso's frame in the world's."""
        return Turn(columns[2], self.links[0].sign * columns[1], 0.0).rotated(vector)

    def _speed(self, columns: Array) -> Array:
        """Forward velocity of the centre of mass, m/s."""
        velocities = columns[POSE + len(self.links) - 1 :]
        return velocities[0] + self._world(columns, self._drift(columns))[0]

    def _climb(self, columns: Array) -> Array:
        """Upward velocity of the centre of mass, m/s."""
        velocities = columns[POSE + len(self.links) - 1 :]
        return velocities[1] + self._world(columns, self._drift(columns))[1]

    def _pitch_rate(self, columns: Array) -> Array:
        """How fast the torso turns about +y (its head forward), radian/s."""
        return self.links[0].sign * columns[POSE + len(self.links) + 1]

    def _front_up(self, columns: Array) -> Array:
        """How far the torso's front points upward: 1 straight up, -1 straight down."""
        return -self.links[0].sign * columns[1]

    def _angular_momentum(self, columns: Array) -> Array:
        """About +y and the centre of mass, kg m2/s."""
        total: Any = 0.0
        for link, turn, (x, z), (u, w) in self._centres(columns):
            total = total + link.inertia * turn.rate + link.mass * (z * u - x * w)
        x, z = 0.0, 0.0
        for turn, lever in zip(self._turns(columns), self.levers, strict=True):
            along, up = turn.rotated(lever)
            x, z = x + along, z + up
        u, w = self._drift(columns)
        return total - self.mass * (z * u - x * w)

    def _centres(self, columns: Array) -> Iterator[tuple[Link, Turn, Any, Any]]:
        """Of each link: turn, centre of mass and its velocity, in the torso's frame."""
        turns = self._turns(columns)
        hinges: list[tuple[Any, Any, Any, Any]] = []
        for link, turn in zip(self.links, turns, strict=True):
            x: Any = 0.0
            z: Any = 0.0
            u: Any = 0.0
            w: Any = 0.0
            if link.parent >= 0:
                x, z, u, w = _moved(hinges[link.parent], turns[link.parent], link.offset)
            hinges.append((x, z, u, w))
            x, z, u, w = _moved((x, z, u, w), turn, link.centre)
            yield link, turn, (x, z), (u, w)

    def _centre_height(self, index: int, columns: Array) -> Array:
        """Of a link's centre of mass above the floor, m."""
        turns = self._turns(columns)
        x, z = turns[index].rotated(self.links[index].centre)
        while (link := self.links[index]).parent >= 0:
            along, up = turns[link.parent].rotated(link.offset)
            x, z, index = x + along, z + up, link.parent
        return columns[0] + self._world(columns, (x, z))[1]


def _height(columns: Array) -> Array:
    """Of the torso's origin above the floor, m."""
    return columns[0]


def _upright(columns: Array) -> Array:
    """Cosine of the pitch: 1 upright, -1 upside down."""
    return columns[2]


def _moved(
    point: tuple[Any, Any, Any, Any], turn: Turn, by: tuple[float, float]
) -> tuple[Any, Any, Any, Any]:
    """A point and its velocity (x, z, u, w), moved by a vector of a link's frame."""
    along, up = turn.rotated(by)
    x, z, u, w = point
    return x + along, z + up, u + turn.rate * up, w - turn.rate * along


def _in_blocks(measure: Callable[[Array], Array], observations: Array) -> Array:
    """A measure of columns, of observations (B, n): in float64 for NumPy, a block at a time."""
    if namespace(observations) is not np:
        return measure(observations.T)
    rows = np.asarray(observations)
    blocks = [
        measure(np.ascontiguousarray(rows[start : start + BLOCK].T, dtype=np.float64))
        for start in range(0, max(len(rows), 1), BLOCK)
    ]
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
