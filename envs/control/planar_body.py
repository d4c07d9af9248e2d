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
which are read once from the compiled MuJoCo model; the simulator is not asked. They are computed in
the type of the observations, float32 or float64. Left out: contact forces, which are no function of
the state.

Shapes: B observations, L links. Sums run over few numbers in a fixed order, so that one row is paid
alone to the last bit what it is paid among a million.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

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
class Turns:
    """How all links are turned against the torso, (L, B)."""

    cos: Array
    sin: Array

    def rotated(self, points: tuple[Array, Array]) -> tuple[Array, Array]:
        """Points (L, 1) of the links' frames in the torso's; (L, B)."""
        x, z = points
        return x * self.cos + z * self.sin, z * self.cos - x * self.sin

    def of(self, links: list[int]) -> "Turns":
        """Those of some links."""
        return Turns(self.cos[links], self.sin[links])


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
        return {name: partial(_of_rows, measure) for name, measure in own.items()}

    @cached_property
    def mass(self) -> float:
        """Of all links, kg."""
        return sum(link.mass for link in self.links)

    @cached_property
    def _levers(self) -> NDArray[np.float64]:
        """The centre of mass is the torso's origin plus these (L, 2), each turned as its link."""
        carried = [link.mass for link in self.links]  # by each hinge
        for index, link in reversed(list(enumerate(self.links))[1:]):
            carried[link.parent] += carried[index]
        moments = np.array([link.mass * np.array(link.centre) for link in self.links])
        for index, link in enumerate(self.links[1:], start=1):
            moments[link.parent] += carried[index] * np.array(link.offset)
        return moments / self.mass

    @cached_property
    def _reaches(self) -> NDArray[np.float64]:
        """As the levers, of the centre of mass of each link; (L, L, 2)."""
        reaches = np.zeros((len(self.links), len(self.links), 2))
        for index, link in enumerate(self.links):
            for step in filter(None, self._paths[index].tolist()):
                reaches[index, self._parents[step]] += self._offsets[step]
            reaches[index, index] += link.centre
        return reaches

    @cached_property
    def _offsets(self) -> NDArray[np.float64]:
        return np.array([link.offset for link in self.links])

    @cached_property
    def _centres(self) -> NDArray[np.float64]:
        return np.array([link.centre for link in self.links])

    @cached_property
    def _signs(self) -> NDArray[np.float64]:
        return np.array([[link.sign] for link in self.links[1:]])

    @cached_property
    def _masses(self) -> NDArray[np.float64]:
        return np.array([[link.mass] for link in self.links])

    @cached_property
    def _inertias(self) -> NDArray[np.float64]:
        return np.array([[link.inertia] for link in self.links])

    @cached_property
    def _parents(self) -> list[int]:
        return [max(link.parent, 0) for link in self.links]

    @cached_property
    def _paths(self) -> NDArray[np.int64]:
        """For each link those on the way from the torso to it, then the torso again; (L, depth)."""
        paths: list[list[int]] = [[0]]
        for index, link in enumerate(self.links[1:], start=1):
            paths.append([*paths[link.parent], index])
        depth = max(map(len, paths))
        return np.array([path + [0] * (depth - len(path)) for path in paths])

    def _joined(self, values: Array) -> Array:
        """The sums of values (L, B) on the way to each link; those of the torso must be 0."""
        sums: Array = values[self._paths].sum(1)
        return sums

    def _added_up(self, columns: Array, hinges: Array) -> Array:
        """What of each link the hinges (L - 1, B) on the way to it add up to, about +y; (L, B)."""
        values = _functions(columns).zeros_like(columns[: len(self.links)])
        values[1:] = _like(columns, self._signs) * hinges
        return self._joined(values)

    def _turns(self, columns: Array) -> Turns:
        """Of every link."""
        xp = _functions(columns)
        angles = self._added_up(columns, columns[POSE : POSE + len(self.links) - 1])
        return Turns(xp.cos(angles), xp.sin(angles))

    def _rates(self, columns: Array) -> Array:
        """How fast every link turns about +y in the world, radian/s; (L, B)."""
        hinges = columns[POSE + len(self.links) + 2 :]
        return self._added_up(columns, hinges) + self._pitch_rate(columns)

    def _drift(self, columns: Array) -> tuple[Array, Array]:
        """Velocity of the centre of mass less that of the torso's origin, in the torso's frame."""
        x, z = self._turns(columns).rotated(_points(columns, self._levers))
        rates = self._rates(columns)
        return (rates * z).sum(0), -(rates * x).sum(0)

    def _world(self, columns: Array, vector: tuple[Array, Array]) -> tuple[Array, Array]:
        """A vector of the torso's frame in the world's."""
        return Turns(columns[2], self.links[0].sign * columns[1]).rotated(vector)

    def _speed(self, columns: Array) -> Array:
        """Forward velocity of the centre of mass, m/s."""
        return columns[POSE + len(self.links) - 1] + self._world(columns, self._drift(columns))[0]

    def _climb(self, columns: Array) -> Array:
        """Upward velocity of the centre of mass, m/s."""
        return columns[POSE + len(self.links)] + self._world(columns, self._drift(columns))[1]

    def _pitch_rate(self, columns: Array) -> Array:
        """How fast the torso turns about +y (its head forward), radian/s."""
        return self.links[0].sign * columns[POSE + len(self.links) + 1]

    def _front_up(self, columns: Array) -> Array:
        """How far the torso's front points upward: 1 straight up, -1 straight down."""
        return -self.links[0].sign * columns[1]

    def _angular_momentum(self, columns: Array) -> Array:
        """About +y and the centre of mass, kg m2/s."""
        (x, z), (u, w) = self._motions(columns)
        masses = _like(columns, self._masses)
        spins = _like(columns, self._inertias) * self._rates(columns)
        about_torso = (spins + masses * (z * u - x * w)).sum(0)
        x, z, u, w = ((masses * each).sum(0) / self.mass for each in (x, z, u, w))
        return about_torso - self.mass * (z * u - x * w)

    def _motions(self, columns: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Centres of mass of the links and their velocities, in the torso's frame; (L, B) each."""
        turns, rates = self._turns(columns), self._rates(columns)
        outer = rates[self._parents]
        x, z = turns.of(self._parents).rotated(_points(columns, self._offsets))
        u, w = self._joined(outer * z), self._joined(-outer * x)
        along, up = turns.rotated(_points(columns, self._centres))
        place = (self._joined(x) + along, self._joined(z) + up)
        return place, (u + rates * up, w - rates * along)

    def _centre_height(self, index: int, columns: Array) -> Array:
        """Of a link's centre of mass above the floor, m."""
        x, z = self._turns(columns).rotated(_points(columns, self._reaches[index]))
        return columns[0] + self._world(columns, (x.sum(0), z.sum(0)))[1]


def _height(columns: Array) -> Array:
    """Of the torso's origin above the floor, m."""
    return columns[0]


def _upright(columns: Array) -> Array:
    """Cosine of the pitch: 1 upright, -1 upside down."""
    return columns[2]


def _functions(columns: Array) -> ModuleType:
    """As `namespace`, which looks longer."""
    return np if isinstance(columns, np.ndarray) else namespace(columns)


def _like(columns: Array, values: NDArray[np.float64]) -> Array:
    """Constants as an array of the kind, type and place of another."""
    if isinstance(columns, np.ndarray):
        return np.asarray(values, dtype=columns.dtype)
    return namespace(columns).asarray(values, dtype=columns.dtype, device=columns.device)


def _points(columns: Array, points: NDArray[np.float64]) -> tuple[Array, Array]:
    """Constant points (L, 2) as columns (L, 1) of x and z."""
    return _like(columns, points[:, :1]), _like(columns, points[:, 1:])


def _of_rows(measure: Callable[[Array], Array], observations: Array) -> Array:
    """A measure of columns, of observations (B, n); NumPy's a block at a time."""
    if _functions(observations) is not np:
        return measure(observations.T)
    rows = np.asarray(observations)
    if rows.dtype != np.float32:
        rows = rows.astype(np.float64)
    if len(rows) <= BLOCK:
        return measure(np.ascontiguousarray(rows.T))
    blocks = (rows[start : start + BLOCK] for start in range(0, len(rows), BLOCK))
    return np.concatenate([measure(np.ascontiguousarray(block.T)) for block in blocks])
