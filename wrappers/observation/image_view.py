"""Worlds as pictures: `ImageView`, the same on every machine, with no need of OpenGL.

What Gymnasium has for this, `AddRenderObservation` and `ResizeObservation`, needs OpenCV, and shows
what a machine's OpenGL draws. Here MuJoCo bodies are drawn flat (`mujoco/render.py`), all
other worlds draw in NumPy anyway, and pictures are made smaller in whole numbers, so that they are
equal to the last bit wherever they are made. Left out: pictures in three dimensions, distractors.
"""

import copy
from functools import cache
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from zerogym.envs.control.mujoco.base import MujocoEnv
from zerogym.envs.control.mujoco.render import CAMERA, draw
from zerogym.errors import require
from zerogym.wrappers.arguments import whole

Image = NDArray[np.uint8]
GREY = (299, 587, 114)  # thousandths of red, green and blue in brightness
SMALLEST = 8  # pixels of a side


class ImageView(gym.ObservationWrapper[Any, Any, Any], RecordConstructorArgs):
    """Observations are pictures of the world, uint8 (size, size, 3), or (size, size, 1) in grey.

    The picture is that of `render`, stretched to a square; MuJoCo bodies are drawn from their
    camera, as wide as high. Features, tasks and rewards stay those of the world's own observation.

    Args:
        env: A control world, made with `render_mode="rgb_array"`.
        size: Pixels of each side.
        grayscale: One channel, of brightness, instead of three.
        beside: Keep the world's observation: a dictionary of `image` and `state`.

    Raises:
        ValueError: If the world makes no pictures, or the size is too small.

    Example:
        >>> import zerogym
        >>> world = gym.make("zerogym/Pendulum-v0", render_mode="rgb_array")
        >>> env = ImageView(world, size=48, beside=True)
        >>> obs, _ = env.reset(seed=0)
        >>> obs["image"].shape, obs["state"].shape
        ((48, 48, 3), (3,))
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        size: int = 64,
        grayscale: bool = False,
        beside: bool = False,
    ) -> None:
        RecordConstructorArgs.__init__(self, size=size, grayscale=grayscale, beside=beside)
        gym.ObservationWrapper.__init__(self, env)
        if env.render_mode != "rgb_array":
            raise ValueError(
                "ImageView needs a world made with render_mode='rgb_array', not "
                f"{env.render_mode!r}: gym.make(..., render_mode='rgb_array')"
            )
        size = whole(size, "ImageView: size", SMALLEST)
        self.size, self.grayscale, self.beside = size, grayscale, beside
        shape = (size, size, 1 if grayscale else 3)
        picture = spaces.Box(0, 255, shape, np.uint8)
        both = spaces.Dict({"image": picture, "state": env.observation_space})
        self.observation_space = both if beside else picture

    def observation(self, observation: Any) -> Any:
        """Return the picture of the present state, with the observation beside it if required."""
        picture = self._picture(self.env.unwrapped)
        return {"image": picture, "state": observation} if self.beside else picture

    def images(self, observations: Any) -> Image:
        """Draw stored observations of the world, (B, size, size, C); for data sets.

        Goal and context are those of the present episode. The world must have the option `start`
        and take observations (B, n) as starts: mazes, classic control and MuJoCo bodies do.
        """
        world: Any = self.env.unwrapped
        inside = copy.deepcopy(world)
        task = getattr(world._episode, "task", None)
        present = {} if task is None else {"task": task}
        if hasattr(world, "context"):
            present["context"] = dict(world.context)
        pictures = []
        for observation in observations:
            inside.reset(seed=0, options={"start": observation} | present)
            pictures.append(self._picture(inside))
        return np.stack(pictures)

    def _picture(self, world: Any) -> Image:
        if isinstance(world, MujocoEnv):
            mujoco = require("mujoco", "control", world.name)
            for place in ("mj_kinematics", "mj_comPos", "mj_camlight"):  # changes no state
                getattr(mujoco, place)(world.model, world.data)
            camera = world.model.camera(CAMERA).id
            picture = draw(world.model, world.data, camera, self.size, self.size)
        else:
            picture = resized(world.render(), self.size)
        if not self.grayscale:
            return picture
        grey = picture.astype(np.int64) @ np.array(GREY) // sum(GREY)
        return grey.astype(np.uint8)[..., None]


def resized(picture: Image, size: int) -> Image:
    """Make a picture (H, W, 3) square: each pixel is the mean of the area that it covers."""
    height, width, _ = picture.shape
    if (height, width) == (size, size):
        return picture
    # Sums of whole numbers below 2**53 are exact in float64, whatever library adds them up.
    rows, columns = _overlap(height, size), _overlap(width, size)
    across = np.tensordot(columns, picture.astype(np.float64), (1, 1))  # (new x, H, C)
    sums = np.tensordot(rows, across, (1, 1))  # (new y, new x, C)
    return (sums.astype(np.int64) // (height * width)).astype(np.uint8)


@cache
def _overlap(old: int, new: int) -> NDArray[np.float64]:
    """Return the part of each old pixel that a new one covers, in 1 / (old * new); (new, old)."""
    starts, other = np.arange(new)[:, None] * old, np.arange(old)[None] * new
    shared = np.minimum(starts + old, other + new) - np.maximum(starts, other)
    return np.maximum(shared, 0).astype(np.float64)
