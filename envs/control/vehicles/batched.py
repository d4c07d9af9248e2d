"""Many vehicle worlds stepped together, in NumPy or in torch on any device.

The same equations as the single environment. An episode that ends is reset in the same step. Left
out: more than one task in a batch (`Task.relabel` serves others), and precision other than float64
(observations are float32). Episodes are drawn by NumPy: torch's are the same for the same seed.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from zerogym.envs.control.core.array_batch import ArrayBatch
from zerogym.envs.control.core.arrays import Array
from zerogym.envs.control.core.contexts import complete_context
from zerogym.envs.control.vehicles.dynamics import VehicleRules


class VehicleSteps(NamedTuple):
    """The results of one step; a row for each environment.

    Attributes:
        entered: float32 (n, k): observations after the step, before episodes are reset.
        rewards: (n,), of the task.
        costs: float64 (n,).
        terminated: bool (n,).
        truncated: bool (n,).
    """

    entered: Array
    rewards: Array
    costs: Array
    terminated: Array
    truncated: Array


class BatchedVehicles(ArrayBatch):
    """`n` environments with one task; made by `env.unwrapped.batched(n)`.

    Args:
        rules: The physics.
        contexts: Constants: numbers, or arrays (n,) of one for each environment.
        arguments: Of `ArrayBatch`.

    Attributes:
        states: float64 (n, S), after `reset`.
        observations: float32 (n, k); a copy, which may be written into.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> envs = gym.make("zerogym/Quadrotor-v0", task="hover").unwrapped.batched(3)
        >>> observations = envs.reset(seed=0)
        >>> steps = envs.step(np.zeros((3, 4)))
        >>> steps.entered.shape, steps.rewards.shape, steps.terminated.any()
        ((3, 24), (3,), np.False_)
    """

    def __init__(self, rules: VehicleRules, contexts: Mapping[str, Any], *arguments: Any) -> None:
        super().__init__(*arguments)
        self.rules = rules
        self._drawn_for = _checked(rules, self.n, contexts)
        self._constants = {
            name: self._array(value) if isinstance(value, np.ndarray) else value
            for name, value in self._drawn_for.items()
        }
        self.states: Array = None

    def reset(self, seed: int | None = None) -> Array:
        """Start all episodes; return observations, float32 (n, k)."""
        self._rng = np.random.default_rng(seed)
        self.states = self._array(self.rules.draw(self._rng, self.n, self._drawn_for))
        self._turns = self._array(np.zeros(self.n, dtype=np.int64))
        self._observe()
        return self.observations

    def step(self, actions: Array) -> VehicleSteps:
        """Make one step of each environment.

        Args:
            actions: (n, k) in [-1, 1], clipped; of this batch's library.

        Raises:
            ValueError: If the actions are not (n, k) finite numbers.
            RuntimeError: If no episode has begun.
        """
        if self.states is None:
            raise RuntimeError("no episode has begun: call reset()")
        xp, size = self._xp, self.rules.actions
        given = xp.asarray(actions)
        if tuple(given.shape) != (self.n, size) or not bool(xp.isfinite(given).all()):
            raise ValueError(f"actions must be ({self.n}, {size}) finite numbers in [-1, 1]")
        # Clipped before it is narrowed, as in the single environment: large numbers overflow.
        given = xp.asarray(xp.clip(given, -1.0, 1.0), dtype=xp.float32)
        wide = xp.asarray(given, dtype=xp.float64)
        before = self._before
        self.states = self.rules.advance(self.states, wide, self._constants)
        entered = self._observe()
        costs, terminated = self.rules.harm(self.states, self._constants)
        self._turns = self._turns + 1
        truncated = (self._turns >= self.horizon) & ~terminated
        rewards = self._rewards(before, given, entered)
        over = terminated | truncated
        if bool(over.any()):
            self._restart(over)
        return VehicleSteps(entered, rewards, costs, terminated, truncated)

    def _restart(self, over: Array) -> None:
        chosen = np.flatnonzero(np.asarray(over.cpu() if hasattr(over, "cpu") else over))
        context = {
            name: value[chosen] if isinstance(value, np.ndarray) else value
            for name, value in self._drawn_for.items()
        }
        fresh = self.rules.draw(self._rng, len(chosen), context)
        self.states = self._array(self.states) + 0.0  # a new array: the old may be the caller's
        self.states[over] = self._array(fresh)
        self._turns = self._turns * ~over
        self._observe()

    def _observe(self) -> Array:
        """Observe; rewards use a copy, as callers may normalise theirs in place."""
        observed = self.rules.observe(self.states, self._constants)
        self._before = self._xp.asarray(observed, dtype=self._xp.float32)
        self.observations = self._before + 0.0
        return self.observations


def _checked(rules: VehicleRules, n: int, contexts: Mapping[str, Any]) -> dict[str, Any]:
    """Return numbers, or arrays (n,) with n > 1; all of them in their ranges."""
    arrays = {name: np.asarray(value, dtype=np.float64) for name, value in contexts.items()}
    for name, value in arrays.items():
        if value.shape not in ((), (n,)):
            raise ValueError(f"{name} must be a number or an array ({n},), got {value.shape}")
    for end in (np.min, np.max, np.sum):  # a sum shows what is not a number
        ends = {
            name: float(end(value) / (value.size if end is np.sum else 1))
            for name, value in arrays.items()
        }
        complete = complete_context(rules.constants, ends, "a batch of vehicles")
    return complete | {
        name: value.copy() if value.shape == (n,) and n > 1 else float(value.reshape(-1)[0])
        for name, value in arrays.items()
    }
