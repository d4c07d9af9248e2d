"""Several quadrotors among columns: the motion of `physics.py`, and who is near whom.

After "Collision Avoidance and Navigation for a Quadrotor Swarm Using End-to-end Deep Reinforcement
Learning" (2023, arXiv 2309.13285): each observes itself, its goal, the nearest neighbours and
obstacles. Left out: forces between those that touch, downwash, different vehicles in a swarm,
the paper's map of distances (the nearest columns are observed instead), its replay of collisions.
"""

from typing import Any

import numpy as np

from zerogym.envs.control.core.arrays import Array, Floats, namespace
from zerogym.envs.control.vehicles.dynamics import VehicleRules
from zerogym.envs.control.vehicles.integration import Numbers
from zerogym.envs.control.vehicles.quadrotors.physics import (
    CONSTANTS,
    PLACE,
    SIZE,
    SPEED,
    QuadrotorRules,
)

BODY = 0.15  # m, radius of the sphere that must touch nothing
COLUMN = 0.3  # m, radius of a column
SIDE = 3.0  # m: starts and goals lie at x = -3 and 3
LANE = 1.0  # m between starts, and between goals
CELLS_X, CELLS_Y = (-1.2, 0.0, 1.2), (-1.6, 0.0, 1.6)  # about where columns can stand
NEIGHBOURS, COLUMNS_OBSERVED = 2, 2
OWN = 22  # numbers of an observation about a vehicle alone
_ONE = QuadrotorRules()


class SwarmRules(VehicleRules):
    """N vehicles and M columns without end.

    A state is the N states of the vehicles, N goals (3,) and M places (2,) of columns.

    Args:
        vehicles: Number of vehicles.
        columns: Number of columns, at most 9.
    """

    constants = CONSTANTS
    dt = _ONE.dt

    def __init__(self, vehicles: int, columns: int) -> None:
        self.vehicles, self.columns = vehicles, columns
        self.actions = 4 * vehicles
        self.goals = slice(SIZE * vehicles, (SIZE + 3) * vehicles)
        others = 6 * min(NEIGHBOURS, vehicles - 1) + 2 * min(COLUMNS_OBSERVED, columns)
        self.width = OWN + 3 + others  # of an observation of one vehicle

    def draw(self, rng: np.random.Generator, count: int, context: Numbers) -> Floats:
        """Draw starts in a row on one side, goals on the other in any order, columns between."""
        each, vehicles = self._repeated(context), self.vehicles
        bodies = _ONE.draw(rng, count * vehicles, each).reshape(count, vehicles, SIZE)
        lanes = LANE * (np.arange(vehicles) - (vehicles - 1) / 2)
        bodies[:, :, PLACE] = rng.uniform(-0.2, 0.2, (count, vehicles, 3))
        bodies[:, :, 0] -= SIDE
        bodies[:, :, 1] += lanes
        goals = np.zeros((count, vehicles, 3))
        goals[:, :, 0] = SIDE
        goals[:, :, 1] = rng.permuted(np.tile(lanes, (count, 1)), axis=1)
        cells = np.stack(np.meshgrid(CELLS_X, CELLS_Y), axis=-1).reshape(-1, 2)
        order = rng.permuted(np.tile(np.arange(len(cells)), (count, 1)), axis=1)
        stand = cells[order[:, : self.columns]]
        stand = stand + rng.uniform(-1.0, 1.0, stand.shape) * np.array([0.1, 0.3])
        parts = (part.reshape(count, -1) for part in (bodies, goals, stand))
        return np.concatenate(list(parts), axis=1)

    def advance(self, states: Array, actions: Array, context: Numbers) -> Array:
        """Make one step of each vehicle."""
        xp: Any = namespace(states)
        bodies, commands = self.bodies(states), actions.reshape(-1, 4)
        if xp is np and len(states) == 1:  # each as a single row is faster than a few together
            pairs = zip(bodies, commands, strict=True)
            each = [_ONE.advance(body[None], given[None], context) for body, given in pairs]
            moved = np.concatenate(each, axis=1)
        else:
            moved = _ONE.advance(bodies, commands, self._repeated(context))
            moved = moved.reshape(len(states), -1)
        return _side_by_side(xp, [moved, states[:, SIZE * self.vehicles :]])

    def observe(self, states: Array, context: Numbers) -> Array:
        """Return each vehicle, its goal, the nearest others and columns, relative to it."""
        xp: Any = namespace(states)
        count, vehicles = len(states), self.vehicles
        own = _ONE.observe(self.bodies(states), self._repeated(context))[:, :OWN]
        places, others, columns = self._between(states)
        goals = states[:, self.goals].reshape(count, vehicles, 3)
        parts = [own.reshape(count, vehicles, OWN), goals - places]
        if vehicles > 1:
            speeds = self.bodies(states)[:, SPEED].reshape(count, vehicles, 3)
            faster = speeds[:, None, :, :] - speeds[:, :, None, :]
            both = xp.stack([others, faster], axis=-2).reshape(count, vehicles, vehicles, 6)
            far = (others**2).sum(-1) + 1e6 * (others**2 == 0).all(-1)  # itself comes last
            parts.append(_nearest(xp, both, far, min(NEIGHBOURS, vehicles - 1)))
        if self.columns:
            parts.append(
                _nearest(xp, columns, (columns**2).sum(-1), min(COLUMNS_OBSERVED, self.columns))
            )
        return _side_by_side(xp, parts).reshape(count, -1)

    def harm(self, states: Array, context: Numbers) -> tuple[Array, Array]:
        """Return the number of vehicles that touch something; losing one ends the episode."""
        touching = self.touching(states)
        lost = _ONE.harm(self.bodies(states), self._repeated(context))[1]
        return 1.0 * touching.sum(1) + 0.0 * states[:, 0], lost.reshape(len(states), -1).any(1)

    def touching(self, states: Array) -> Array:
        """Return whether each vehicle touches another or a column; bool (B, N)."""
        _, others, columns = self._between(states)
        near = (others**2).sum(-1) < (2 * BODY) ** 2
        touched = near.sum(-1) > 1  # each is near itself
        if self.columns:
            touched = touched | ((columns**2).sum(-1) < (BODY + COLUMN) ** 2).any(-1)
        return touched

    def bodies(self, states: Array) -> Array:
        """Return the states of all vehicles; (B N, 22)."""
        return states[:, : SIZE * self.vehicles].reshape(-1, SIZE)

    def _between(self, states: Array) -> tuple[Array, Array, Array]:
        """Return places (B, N, 3); vectors to others (B, N, N, 3) and columns (B, N, M, 2)."""
        places = self.bodies(states)[:, PLACE].reshape(len(states), self.vehicles, 3)
        stand = states[:, self.goals.stop :].reshape(len(states), self.columns, 2)
        others = places[:, None, :, :] - places[:, :, None, :]
        return places, others, stand[:, None, :, :] - places[:, :, None, :2]

    def _repeated(self, context: Numbers) -> dict[str, Any]:
        """Repeat constants of swarms for each of their vehicles."""
        many = self.vehicles
        return {
            name: namespace(value).stack([value] * many, axis=1).reshape(-1)
            if getattr(value, "shape", ())
            else value
            for name, value in context.items()
        }


def _nearest(xp: Any, ways: Array, far: Array, most: int) -> Array:
    """Return the nearest of K things for each vehicle: (B, N, K, c) to (B, N, most * c)."""
    count, vehicles, things, width = ways.shape
    order = xp.argsort(far, axis=-1)[:, :, :most]
    # A flat index, which both libraries take: NumPy's and torch's gathering differ.
    rows = xp.cumsum(xp.ones_like(order[:, :, :1]).reshape(-1), 0).reshape(count, vehicles, 1) - 1
    flat = ways.reshape(-1, width)[rows * things + order]
    return flat.reshape(count, vehicles, -1)


def _side_by_side(xp: Any, parts: list[Array]) -> Array:
    """Concatenate along the last axis; NumPy 1 has no `concat`."""
    joined: Any = np.concatenate if xp is np else xp.concat
    return joined(parts, axis=-1)
