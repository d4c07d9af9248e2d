"""The base of wrappers that draw numbers: a generator of their own, part of seeds and snapshots.

The world's generator is left alone, so that a seed gives the same world with and without the
wrapper: runs with noise, or in other contexts, can be compared episode by episode.
"""

import copy
import zlib
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from zerogym.wrappers import snapshots

OUTSIDE_OF_WORLDS = 2  # where counting begins; any other number would be other draws for a seed


class SeededWrapper(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """A subclass draws from `self.rng` after `self.reseed(seed)`, the first act of its `reset`.

    It keeps what else changes during an episode in `self._memory` (any object that `copy.deepcopy`
    copies).

    Attributes:
        rng: Depends on the seed of `reset`, and on how many wrappers that draw are inside; others,
            such as those that check or record, change nothing. Without a seed it goes on; if there
            has never been one it follows from the world's generator.
    """

    def __init__(self, env: gym.Env[Any, Any], **arguments: Any) -> None:
        RecordConstructorArgs.__init__(self, **arguments)
        gym.Wrapper.__init__(self, env)
        self._own_rng: np.random.Generator | None = None
        self._memory: Any = None

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
            depth, env = OUTSIDE_OF_WORLDS, self.env
            while isinstance(env, gym.Wrapper):
                depth, env = depth + isinstance(env, SeededWrapper), env.env
            name = zlib.crc32(type(self).__name__.encode())
            self._own_rng = np.random.default_rng([int(seed), name, depth])

    def get_state(self) -> dict[str, Any]:
        """A snapshot of what is wrapped, of this generator and of what this wrapper remembers."""
        inside = snapshots.get_state(self.env)
        rng = copy.deepcopy(self.rng.bit_generator.state)
        return {"env": inside, "rng": rng, "memory": copy.deepcopy(self._memory)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot; it can be used any number of times."""
        snapshots.set_state(self.env, state["env"])
        self.rng.bit_generator.state = copy.deepcopy(state["rng"])
        self._memory = copy.deepcopy(state["memory"])
