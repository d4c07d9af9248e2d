"""A flat picture of a MuJoCo scene in NumPy: every part as a thick line, far ones first.

Left out: perspective, light, and the true outlines of boxes and cylinders, which are drawn as
capsules along their longest axis.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.canvas import segment_distance

SKY, FLOOR = (238, 242, 250), (190, 196, 192)
PLANE, SPHERE, CAPSULE = 0, 2, 3  # MuJoCo's kinds of shapes
VIEW = 1.2  # from top to bottom, in units of the extent that the model states
FIXED = 0  # MuJoCo's kind of a camera that follows nothing


def draw(model: Any, data: Any, camera: int, height: int, width: int) -> NDArray[np.uint8]:
    """Draw the scene along the axis of a camera; (height, width, 3)."""
    axes = data.cam_xmat[camera].reshape(3, 3)  # columns: right, up, backward
    follows = model.cam_mode[camera] != FIXED
    focus = data.subtree_com[1] if follows else model.stat.center
    image = np.full((height, width, 3), SKY, dtype=np.uint8)
    metres = VIEW * model.stat.extent / height
    across = (np.arange(width) + 0.5 - width / 2) * metres
    upward = (height / 2 - np.arange(height) - 0.5) * metres
    image[upward * axes[2, 1] + focus[2] < 0] = FLOOR
    pixels = np.stack(np.meshgrid(across, upward), axis=-1)  # (H, W, 2)
    shapes = [index for index in range(model.ngeom) if model.geom_type[index] != PLANE]
    for index in sorted(shapes, key=lambda index: float(data.geom_xpos[index] @ axes[:, 2])):
        centre = (data.geom_xpos[index] - focus) @ axes[:, :2]
        half, radius = _segment(model, data, index)
        arm = half @ axes[:, :2]
        away = segment_distance(pixels, centre - arm, centre + arm)
        material = int(model.geom_matid[index])
        rgba = model.geom_rgba[index] if material < 0 else model.mat_rgba[material]
        image[away <= radius] = 255 * rgba[:3]
    return image


def _segment(model: Any, data: Any, index: int) -> tuple[NDArray[np.float64], float]:
    """Return half the inner line of a shape (3,), and its radius."""
    size = model.geom_size[index]
    kind = int(model.geom_type[index])
    if kind == SPHERE:
        return np.zeros(3), float(size[0])
    frame = data.geom_xmat[index].reshape(3, 3)
    if kind == CAPSULE:
        return frame[:, 2] * size[1], float(size[0])
    longest, radius = int(np.argmax(size)), float(np.sort(size)[1] or np.max(size) / 2)
    return frame[:, longest] * max(size[longest] - radius, 0.0), radius
