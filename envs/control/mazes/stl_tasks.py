"""Features and tasks of the point maze with temporal missions.

An observation holds x and y, the share of the steps done, the robustness so far, and for each
region the greatest margin so far.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.mazes.base import COORDINATES
from zerogym.envs.control.mazes.stl_missions import REGIONS

TIME, ROBUSTNESS, MARGINS = 2, 3, 4  # columns of an observation; the regions' are the last

MEASURES: Measures = MappingProxyType(
    COORDINATES | {name: region.margin for name, region in REGIONS.items()}
)
# The same for rows of `measured`, so that each is computed once in an episode.
COLUMNS: Measures = MappingProxyType(
    {name: itemgetter((..., column)) for column, name in enumerate(MEASURES)}
)
_CENTRES = np.array([region.centre for region in REGIONS.values()], dtype=np.float32)
_HALVES = np.array([region.half for region in REGIONS.values()], dtype=np.float32)


@dataclass(frozen=True, eq=False)
class FinalRobustness:
    """The robustness at the last step, else 0."""

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        last = next_obs[..., TIME] >= 1.0
        return namespace(next_obs).where(last, next_obs[..., ROBUSTNESS], 0.0)


@dataclass(frozen=True, eq=False)
class RobustnessChange:
    """The change of the robustness so far."""

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return next_obs[..., ROBUSTNESS] - obs[..., ROBUSTNESS]


@dataclass(frozen=True, eq=False)
class Inside:
    """1 in a region, else 0."""

    region: str

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return namespace(next_obs).where(REGIONS[self.region](obs, action, next_obs), 1.0, 0.0)


def measured(place: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the values of `MEASURES` at one place (2,), in order and to the last bit."""
    inside = _HALVES - np.abs(place - _CENTRES).max(axis=1)
    return np.concatenate([place, inside])


def signal_tasks(text: str) -> Mapping[str, Task]:
    """Return the two tasks of a mission, and the task of being in each region."""
    tasks = [
        Task("mission", text, FinalRobustness()),
        Task("mission_dense", f"{text} Each improvement counts.", RobustnessChange()),
    ]
    tasks += [
        Task(f"visit_{name}", f"Be in region {name} as long as you can.", Inside(name))
        for name in REGIONS
    ]
    return MappingProxyType({task.name: task for task in tasks})
