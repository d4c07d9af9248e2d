"""The base of wrappers with a second player, and the choice of its action."""

import copy
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.wrappers.arguments import above_zero, check_function, shown
from zerogym.wrappers.core import Start, Step
from zerogym.wrappers.seeded import SeededWrapper

Adversary = Callable[[Any], Any]


class AdversaryWrapper(SeededWrapper):
    """Each step the adversary acts, too; `info["adversary"]` is its action.

    A subclass defines in `_combined` what both do. `AdversaryGame` hands the second seat to a
    player.

    Attributes:
        adversary: A function from an observation to an action; None acts evenly at random.
        adversary_space: Its actions, a `Box`.
        change: By how much its action may differ from the last one; None: by any amount.
    """

    adversary_space: spaces.Box

    def __init__(
        self,
        env: gym.Env[Any, Any],
        adversary: Adversary | None,
        change: float | None,
        **arguments: Any,
    ) -> None:
        super().__init__(env, adversary=adversary, change=change, **arguments)
        check_function(adversary, f"{type(self).__name__}: adversary")
        self.adversary = adversary
        self.change = above_zero(change, f"{type(self).__name__}: change")

    @property
    def adversary_observation(self) -> Any:
        """The adversary's observation: the last one at this place among the wrappers."""
        return None if self._memory is None else copy.deepcopy(self._memory["seen"])

    def _begin(self, obs: Any, info: dict[str, Any]) -> Start:
        self._memory = {"seen": copy.deepcopy(obs)} | self._initial_memory()
        return obs, info

    def step(self, action: Any) -> Step:
        """Let both act."""
        if self._memory is None:
            return self.env.step(action)  # the environment raises: there was no reset
        before, drawn = dict(self._memory), self.rng.bit_generator.state
        shown = self.adversary_observation
        against = adversary_action(self, self.adversary, shown, self.adversary_space)
        try:
            combined = self._combined(action, against)
            obs, reward, terminated, truncated, info = self.env.step(combined)
        except Exception:
            self._memory = before  # a refused action costs the adversary nothing
            self.rng.bit_generator.state = drawn
            raise
        self._memory["seen"] = copy.deepcopy(obs)
        return obs, reward, terminated, truncated, info | {"adversary": against}

    @abstractmethod
    def _combined(self, action: Any, against: NDArray[np.float32]) -> Any:
        """Return the action of the environment for the actions of both."""

    @abstractmethod
    def _initial_memory(self) -> dict[str, Any]:
        """Return the rest of the memory at the start of an episode."""


def limited(action: Any, last: Any, change: float | None) -> Any:
    """Cut off an action that differs by more than `change` from the last one."""
    return action if change is None else np.clip(action, last - change, last + change)


def adversary_action(
    wrapper: SeededWrapper, adversary: Adversary | None, obs: Any, space: spaces.Box
) -> NDArray[np.float32]:
    """Return the action of an adversary; None acts evenly at random.

    Raises:
        ValueError: If it is none of its actions.
    """
    if adversary is None:
        return wrapper.rng.uniform(space.low, space.high).astype(np.float32)
    action = adversary(obs)
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
