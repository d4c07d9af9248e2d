"""What wrappers with a second player share: who it is, what it may do, and what it is shown."""

import copy
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.wrappers.arguments import check_function, shown
from zerogym.wrappers.seeded import SeededWrapper

Adversary = Callable[[Any], Any]


class AdversaryWrapper(SeededWrapper):
    """Each step the adversary acts, too; `info["adversary"]` is its action.

    A subclass says in `_together` what both do. `AdversaryGame` hands the second seat to a player.

    Attributes:
        adversary: A function from an observation to an action; None acts evenly at random.
        adversary_space: Its actions, a `Box`.
        seen: What it is shown: the last observation at this place among the wrappers.
    """

    adversary_space: spaces.Box

    def __init__(
        self, env: gym.Env[Any, Any], adversary: Adversary | None, **arguments: Any
    ) -> None:
        super().__init__(env, adversary=adversary, **arguments)
        check_function(adversary, f"{type(self).__name__}: adversary")
        self.adversary = adversary

    @property
    def seen(self) -> Any:
        """The last observation."""
        return None if self._memory is None else copy.deepcopy(self._memory["seen"])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        obs, info = self.env.reset(seed=seed, options=options)
        self.reseed(seed)
        self._memory = {"seen": copy.deepcopy(obs)} | self._fresh()
        return obs, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Both act."""
        if self._memory is None:
            return self.env.step(action)  # the world says what was forgotten
        before, drawn = dict(self._memory), self.rng.bit_generator.state
        against = self._choice()
        try:
            obs, reward, terminated, truncated, info = self.env.step(
                self._together(action, against)
            )
        except Exception:
            self._memory = before  # a refused action costs the adversary nothing
            self.rng.bit_generator.state = drawn
            raise
        self._memory["seen"] = copy.deepcopy(obs)
        return obs, reward, terminated, truncated, info | {"adversary": against}

    @abstractmethod
    def _together(self, action: Any, against: NDArray[np.float32]) -> Any:
        """What the world is given for the actions of both."""

    def _fresh(self) -> dict[str, Any]:
        """What else is remembered, at the start of an episode."""
        return {}

    def _choice(self) -> NDArray[np.float32]:
        return chosen(self, self.adversary, self.seen, self.adversary_space)


def chosen(
    wrapper: SeededWrapper, adversary: Adversary | None, seen: Any, space: spaces.Box
) -> NDArray[np.float32]:
    """What an adversary does; None acts evenly at random.

    Raises:
        ValueError: If it is none of its actions.
    """
    if adversary is None:
        return wrapper.rng.uniform(space.low, space.high).astype(np.float32)
    action = adversary(seen)
    try:
        given = np.asarray(action, dtype=np.float32)
    except (TypeError, ValueError):
        given = np.empty(0, dtype=np.float32)
    if not space.contains(given):
        raise ValueError(
            f"{type(wrapper).__name__}: the adversary's action must be in {space}, "
            f"got {shown(action)}"
        )
    return given
