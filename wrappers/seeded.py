"""The base of wrappers that draw numbers: a generator of their own, part of seeds and snapshots.

The generator of the wrapped environment is left alone, so that a seed gives the same environment
with and without the wrapper: runs with noise, or in other contexts, can be compared episode by
episode.
"""

import copy
import zlib
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.wrappers import snapshots
from zerogym.wrappers.core import Options, Start, StatefulWrapper

OUTSIDE_OF_WORLDS = 2  # where counting begins; any other number would be other draws for a seed


class SeededWrapper(StatefulWrapper):
    """A subclass draws from `self.rng` after `self.reseed(seed)`, the first act of its `reset`.

    Attributes:
        rng: Depends on the seed of `reset`, and on how many wrappers that draw are inside; others,
            such as those that check or record, change nothing. Without a seed it goes on; if there
            has never been one it follows from the generator of the environment.
    """

    def __init__(self, env: gym.Env[Any, Any], **arguments: Any) -> None:
        super().__init__(env, **arguments)
        self._own_rng: np.random.Generator | None = None

    @property
    def rng(self) -> np.random.Generator:
        """The wrapper's generator."""
        if self._own_rng is None:
            self.reseed(int(copy.deepcopy(self.np_random).integers(2**63)))
        assert self._own_rng is not None
        return self._own_rng

    def reseed(self, seed: int | None) -> None:
        """Start the generator anew; None goes on with it."""
        if seed is not None:
            inside = snapshots.layers(self.env)
            depth = OUTSIDE_OF_WORLDS + sum(isinstance(layer, SeededWrapper) for layer in inside)
            name = zlib.crc32(type(self).__name__.encode())
            self._own_rng = np.random.default_rng([int(seed), name, depth])

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Start an episode."""
        obs, info = self.env.reset(seed=seed, options=options)
        self.reseed(seed)
        return self._begin(obs, info)

    def _begin(self, obs: Any, info: dict[str, Any]) -> Start:
        """Begin the memory of an episode, and return what `reset` does."""
        return obs, info

    def get_state(self) -> dict[str, Any]:
        """Take a snapshot of what is wrapped, of this generator and of this wrapper's memory."""
        return super().get_state() | {"rng": copy.deepcopy(self.rng.bit_generator.state)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot; it can be used any number of times."""
        super().set_state(state)
        self.rng.bit_generator.state = copy.deepcopy(state["rng"])
