"""Pictures of MuJoCo worlds: with OpenGL where the machine has it, else drawn in NumPy.

OpenGL needs no screen: EGL is tried, then OSMesa; or only what the variable `MUJOCO_GL` names. On
a machine with neither the same scene is drawn flat (`line_drawing.py`): the same size and view,
without light and shadow. Pictures are for people, not for agents.
"""

import importlib
import os
import weakref
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.mujoco.line_drawing import draw

HEIGHT, WIDTH = 240, 320
CAMERA = "side"  # every model has a camera of this name
PLATFORMS = ("egl", "osmesa")


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
