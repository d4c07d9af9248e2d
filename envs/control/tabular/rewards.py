"""Rewards that are tables, where observations are one-hot: NumPy arrays or torch tensors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace


@dataclass(frozen=True, eq=False)
class StateReward:
    """The reward of entering a state; `values` (S,), observations one-hot (B, S)."""

    values: NDArray[np.float64]

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return table_like(self.values, next_obs)[next_obs.argmax(-1)]


@dataclass(frozen=True, eq=False)
class StateActionReward:
    """The reward of an action in a state; `values` (S, A), observations one-hot (B, S)."""

    values: NDArray[np.float64]

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        xp = namespace(obs)
        made = np.asarray(action).astype(np.int64) if xp is np else action.long()
        return table_like(self.values, obs)[obs.argmax(-1), made]


def table_like(values: NDArray[np.float64], obs: Array) -> Array:
    """The table in the library of the observations, on their device."""
    xp = namespace(obs)
    return values if xp is np else xp.asarray(values, device=obs.device)
