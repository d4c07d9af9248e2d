"""Pictures of MuJoCo worlds: with OpenGL where the machine has it, else drawn in NumPy.

OpenGL needs no screen: EGL is tried, then OSMesa; or only what the variable `MUJOCO_GL` names. On
a machine with neither the same scene is drawn flat: the same size and view, every part as a thick
line, far ones first. Left out of the flat picture: perspective, light, and the true outlines of
boxes and cylinders, which are drawn as capsules along their longest axis. Pictures are for people,
not for agents.
"""

import importlib
import os
import weakref
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.canvas import segment_distance

HEIGHT, WIDTH = 240, 320
CAMERA = "side"  # every model has a camera of this name
PLATFORMS = ("egl", "osmesa")
SKY, FLOOR = (238, 242, 250), (190, 196, 192)
PLANE, SPHERE, CAPSULE = 0, 2, 3  # MuJoCo's kinds of shapes
VIEW = 1.2  # from top to bottom, in units of the extent that the model states
FIXED = 0  # MuJoCo's kind of a camera that follows nothing


class FlatRenderer:
    """Draws in NumPy."""

    def render(self, model: Any, data: Any) -> NDArray[np.uint8]:
        """Return a picture (HEIGHT, WIDTH, 3)."""
        return draw(model, data, model.camera(CAMERA).id, HEIGHT, WIDTH)


class OpenGLRenderer:
    """Draws with MuJoCo's own renderer, off screen."""

    def __init__(self, platform: Any, mujoco: Any, model: Any) -> None:
        self._mujoco = mujoco
        self._gl = platform.GLContext(WIDTH, HEIGHT)
        self._gl.make_current()
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._scene = mujoco.MjvScene(model, maxgeom=1000)
        self._options, self._camera = mujoco.MjvOption(), mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._camera.fixedcamid = model.camera(CAMERA).id
        # At exit, too: OpenGL must still be loaded when its contexts are freed.
        weakref.finalize(self, _free, self._gl, self._context)

    def render(self, model: Any, data: Any) -> NDArray[np.uint8]:
        """Return a picture (HEIGHT, WIDTH, 3)."""
        self._gl.make_current()
        everything = self._mujoco.mjtCatBit.mjCAT_ALL
        self._mujoco.mjv_updateScene(
            model, data, self._options, None, self._camera, everything, self._scene
        )
        window = self._mujoco.MjrRect(0, 0, WIDTH, HEIGHT)
        self._mujoco.mjr_render(window, self._scene, self._context)
        image = np.empty((HEIGHT, WIDTH, 3), dtype=np.uint8)
        self._mujoco.mjr_readPixels(image, None, window, self._context)
        return image[::-1].copy()  # OpenGL's rows go upwards


Renderer = FlatRenderer | OpenGLRenderer


def renderer(mujoco: Any, model: Any) -> Renderer:
    """Make the best renderer that works on this machine."""
    platform = _platform()
    return FlatRenderer() if platform is None else OpenGLRenderer(platform, mujoco, model)


@cache
def _platform() -> Any:
    """Find MuJoCo's module for a kind of OpenGL that works; None if there is none."""
    chosen = os.environ.get("MUJOCO_GL", "").lower()
    for name in (chosen,) if chosen in PLATFORMS else PLATFORMS:
        try:
            module = importlib.import_module(f"mujoco.{name}")
            module.GLContext(1, 1).free()
        except Exception:  # each library fails in its own way where there is no OpenGL
            continue
        return module
    return None


def _free(gl: Any, context: Any) -> None:
    gl.make_current()
    context.free()
    gl.free()


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
