"""A script for swarms of quadrotors: each in a layer of the air of its own, around the columns.

The controller of `controller.py` with velocities to follow: up or down to the layer, around the
columns by the shortest way, and at the goal to its height. No optimality is claimed.
"""

from functools import lru_cache

import numpy as np

from zerogym.envs.control.core.arrays import Floats
from zerogym.envs.control.core.box_paths import Boxes
from zerogym.envs.control.vehicles.integration import Numbers
from zerogym.envs.control.vehicles.quadrotors.controller import Aim, fly
from zerogym.envs.control.vehicles.quadrotors.physics import PLACE
from zerogym.envs.control.vehicles.quadrotors.swarm_physics import BODY, COLUMN, SwarmRules

LAYER = 0.45  # m between layers
SPARE, CORNER = 0.1, 0.1  # m that columns are kept away from, and their corners besides
FASTEST, EAGER = 1.5, 1.5  # m/s; 1/s
OVER = 0.2  # m: so near above or below, the goal's height is sought
FIELD = 6.0  # m


def fly_to(rules: SwarmRules, state: Floats, context: Numbers, goals: Floats) -> Floats:
    """Return actions (4 N,) in a state (S,) that lead the vehicles to goals (N, 3)."""
    bodies = rules.bodies(state[None])
    places = bodies[:, PLACE]
    ways = _ways(tuple(map(tuple, state[rules.goals.stop :].reshape(-1, 2).tolist())))
    layers = LAYER * (np.arange(rules.vehicles) // 2 + 1) * (-1.0) ** np.arange(rules.vehicles)
    velocity = np.zeros((rules.vehicles, 3))
    for index, (place, goal) in enumerate(zip(places, goals, strict=True)):
        if np.linalg.norm(goal[:2] - place[:2]) > OVER:
            flies = abs(layers[index] - place[2]) <= OVER
            flat = _next(ways, place[:2], goal[:2]) if flies else place[:2]
            goal = np.array([*flat, layers[index]])
        way = EAGER * (goal - place)
        velocity[index] = way * min(1.0, FASTEST / max(float(np.linalg.norm(way)), 1e-9))
    return fly(bodies, context, Aim(None, velocity)).reshape(-1)


@lru_cache(maxsize=64)
def _ways(columns: tuple[tuple[float, float], ...]) -> Boxes:
    """Return squares around columns, which are no-fly zones."""
    half = COLUMN + BODY + SPARE
    boxes = tuple((x - half, x + half, y - half, y + half) for x, y in columns)
    return Boxes(boxes, FIELD, CORNER)


def _next(ways: Boxes, place: Floats, goal: Floats) -> Floats:
    """Return the next point on the way to a goal, or one outside of a square just entered."""
    if not ways.boxes:
        return goal
    if ways.is_free(place):
        return ways.next_point(place, goal)
    x, y = place
    inside = [box for box in ways.boxes if box[0] < x < box[1] and box[2] < y < box[3]]
    if not inside:
        return 0.9 * place
    left, right, front, back = inside[0]
    away: Floats = place - np.array([left + right, front + back]) / 2
    return place + away
