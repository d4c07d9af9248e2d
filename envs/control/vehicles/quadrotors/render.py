"""Pictures of quadrotors, from the front and a little to the side, in NumPy alone."""

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.canvas import BODY, MARK, ROD, Point, Stroke, picture
from zerogym.envs.control.vehicles.integration import Numbers
from zerogym.envs.control.vehicles.quadrotors.physics import PLACE, QUATERNION, arm, rotation

Floats = NDArray[np.float64]

DEPTH = (0.35, 0.2)  # how far a metre away moves to the right and upwards
VISIBLE = 0.2  # m: arms are not drawn shorter
ROTORS = np.array([[1, -1, 0], [-1, -1, 0], [-1, 1, 0], [1, 1, 0]]) / np.sqrt(2)


def seen_at(places: Floats) -> list[Point]:
    """Where places (P, 3) are in the picture: x to the right, z upwards, y backwards."""
    across = places[:, 0] + DEPTH[0] * places[:, 1]
    upward = places[:, 2] + DEPTH[1] * places[:, 1]
    return [(float(x), float(y)) for x, y in zip(across, upward, strict=True)]


def strokes(state: Floats, context: Numbers) -> list[Stroke]:
    """A quadrotor's arms and rotors."""
    turn = np.array(rotation(state[QUATERNION].tolist())).reshape(3, 3)
    length = max(float(arm(context)), VISIBLE)
    tips = seen_at(state[PLACE] + length * ROTORS @ turn.T)
    middle = seen_at(state[None, PLACE])[0]
    arms = [Stroke((middle, tip), length / 4, BODY) for tip in tips]
    return arms + [Stroke((tip,), length / 2, ROD) for tip in tips]


def mark(place: Floats) -> Stroke:
    """A disc at a place (3,)."""
    return Stroke((seen_at(np.asarray(place, dtype=np.float64)[None])[0],), 0.2, MARK)


def scene(drawn: list[Stroke], half: float) -> NDArray[np.uint8]:
    """The picture, `half` metres to each side."""
    return picture(drawn, half)
