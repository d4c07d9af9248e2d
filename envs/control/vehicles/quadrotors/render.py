"""Pictures of quadrotors, from the front and a little to the side, in NumPy alone."""

import numpy as np

from zerogym.envs.control.core.arrays import Floats
from zerogym.envs.control.core.canvas import BODY, MARK, ROD, Point, Stroke
from zerogym.envs.control.vehicles.integration import Numbers
from zerogym.envs.control.vehicles.quadrotors.physics import PLACE, QUATERNION, arm, rotation

DEPTH = (0.35, 0.2)  # how far a metre away moves to the right and upwards
VISIBLE = 0.2  # m: arms are not drawn shorter
ROTORS = np.array([[1, -1, 0], [-1, -1, 0], [-1, 1, 0], [1, 1, 0]]) / np.sqrt(2)


def projected(places: Floats) -> list[Point]:
    """Project places (P, 3) on the picture: x to the right, z upwards, y backwards."""
    across = places[:, 0] + DEPTH[0] * places[:, 1]
    upward = places[:, 2] + DEPTH[1] * places[:, 1]
    return [(float(x), float(y)) for x, y in zip(across, upward, strict=True)]


def strokes(state: Floats, context: Numbers) -> list[Stroke]:
    """Return the lines of a quadrotor's arms and rotors."""
    turn = np.array(rotation(state[QUATERNION].tolist())).reshape(3, 3)
    length = max(float(arm(context)), VISIBLE)
    tips = projected(state[PLACE] + length * ROTORS @ turn.T)
    middle = projected(state[None, PLACE])[0]
    arms = [Stroke((middle, tip), length / 4, BODY) for tip in tips]
    return arms + [Stroke((tip,), length / 2, ROD) for tip in tips]


def mark(place: Floats) -> Stroke:
    """Return a disc at a place (3,)."""
    return Stroke((projected(np.asarray(place, dtype=np.float64)[None])[0],), 0.2, MARK)
