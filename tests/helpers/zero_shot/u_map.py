"""The cells of the U-map as words and as pictures, for tests of sentences."""

from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.zero_shot.prompts.captions import CaptionMatcher
from zerogym.agents.zero_shot.prompts.matchers import ImageMatcher

ENV = "zerogym/UMap-v0"


def make_u_map() -> Any:
    return gym.make(ENV, task=None).unwrapped


def all_cells(world: Any) -> NDArray[np.float32]:
    return np.eye(world.num_states, dtype=np.float32)


def places_of(world: Any, observations: NDArray[Any]) -> NDArray[np.float64]:
    """Row and column, (B, 2)."""
    return np.stack([world.measures[name](observations) for name in ("row", "column")], axis=1)


def path_over(world: Any, observations: NDArray[Any]) -> NDArray[np.float64]:
    """Return the places of cells in a drawing of the whole map."""
    rows, columns = places_of(world, observations).T
    return np.stack([(columns + 0.5) / 10, 1 - (rows + 0.5) / 9], axis=1)


def in_captions(world: Any) -> CaptionMatcher:
    return CaptionMatcher(
        all_cells(world), lambda observation: world._where(int(observation.argmax()))
    )


def in_pictures(world: Any) -> ImageMatcher:
    env = gym.make(ENV, task=None, render_mode="rgb_array")

    def draw(observation: NDArray[Any]) -> Any:
        env.reset(seed=0, options={"start": places_of(world, observation[None])[0]})
        return env.render()

    return ImageMatcher(all_cells(world), draw)
