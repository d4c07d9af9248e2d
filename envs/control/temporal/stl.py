"""Signal temporal logic (STL): robustness of trajectories.

A formula is built from margins, functions of features that are positive where something holds, and
operators with windows in steps. Its *robustness* is positive if the trajectory satisfies it,
negative if not, and its size is the change of the margins that would reverse this:

    rho(margin)            = the margin                  rho(not p) = -rho(p)
    rho(p and q)           = min(rho p, rho q)           rho(p or q) = max(rho p, rho q)
    rho(always[a,b] p)     = min over t+a..t+b of rho p  rho(eventually[a,b] p) = max over the same
    rho(p until[a,b] q)    = max over s in t+a..t+b of min(rho q at s, min over t..s of rho p)

"Robust Satisfaction of Temporal Logic over Real-Valued Signals" (2010, Donzé and Maler, FORMATS);
as tasks for agents in "TGPO: Temporal Grounded Policy Optimization for Signal Temporal Logic Tasks"
(2025, arXiv 2510.00225). The trajectory must be as long as the horizon of the formula. Left out:
time in seconds, smooth approximations of min and max.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.features import Features


class Formula(ABC):
    """A specification of trajectories; combine with `&`, `|`, `~`."""

    @property
    @abstractmethod
    def horizon(self) -> int:
        """Number of steps after the present one that it depends on."""

    @abstractmethod
    def trace(self, features: Features) -> Array:
        """Return the robustness at each moment with a full horizon; (..., T - horizon).

        Args:
            features: Those of the T observations of a trajectory in order, or of many (N, T).
        """

    def robustness(self, features: Features) -> float:
        """Return the robustness of one trajectory at its first moment.

        Raises:
            ValueError: If the trajectory is shorter than the horizon.
        """
        return float(self.robustness_of_all(features))

    def robustness_of_all(self, features: Features) -> Array:
        """Return the robustness of N trajectories (N, T) at their first moment; (N,).

        Raises:
            ValueError: If the trajectories are shorter than the horizon.
        """
        found = self.trace(features)
        if found.shape[-1] == 0:
            raise ValueError(f"the trajectory is shorter than the formula's {self.horizon} steps")
        return found[..., 0]

    def __and__(self, other: "Formula") -> "Formula":
        return _Both(self, other)

    def __or__(self, other: "Formula") -> "Formula":
        return ~(~self & ~other)

    def __invert__(self) -> "Formula":
        return _Not(self)


@dataclass(frozen=True)
class Margin(Formula):
    """A predicate that holds where a function of the features is positive.

    Example:
        >>> slow = Margin(lambda f: 1.0 - f["speed"])
    """

    function: Callable[[Features], Any]

    horizon = 0

    def trace(self, features: Features) -> Array:
        """Return the margins; (..., T), NumPy's in float64, torch's in their own type.

        Raises:
            ValueError: If they are no numbers, one for each moment; infinite ones are.
        """
        margins = self.function(features)
        xp = namespace(margins)
        found = np.asarray(margins) if xp is np else margins
        if not found.shape or "bool" in str(found.dtype):
            raise ValueError(
                "a margin must be a number for each moment, positive where it holds: (..., T); "
                f"got shape {tuple(found.shape)}, {found.dtype}"
            )
        if bool(xp.isnan(found).any()):
            raise ValueError("a margin is NaN")
        return np.asarray(found, dtype=np.float64) if xp is np else found


@dataclass(frozen=True)
class _Not(Formula):
    part: Formula

    @property
    def horizon(self) -> int:
        return self.part.horizon

    def trace(self, features: Features) -> Array:
        return -self.part.trace(features)


@dataclass(frozen=True)
class _Both(Formula):
    one: Formula
    other: Formula

    @property
    def horizon(self) -> int:
        return max(self.one.horizon, self.other.horizon)

    def trace(self, features: Features) -> Array:
        first, second = self.one.trace(features), self.other.trace(features)
        length = min(first.shape[-1], second.shape[-1])  # of both the common moments
        return namespace(first, second).minimum(first[..., :length], second[..., :length])


@dataclass(frozen=True)
class Always(Formula):
    """The part holds at all of the steps `start` to `end` from now, both included."""

    part: Formula
    start: int
    end: int

    def __post_init__(self) -> None:
        _check(self.start, self.end)

    @property
    def horizon(self) -> int:
        """The last step of the window plus the horizon of the part."""
        return self.end + self.part.horizon

    def trace(self, features: Features) -> Array:
        """Return the minimum of each window."""
        values = self.part.trace(features)
        return namespace(values).min(_windows(values, self.start, self.end), axis=-1)


def eventually(part: Formula, start: int, end: int) -> Formula:
    """Return: the part holds at one of the steps `start` to `end` from now."""
    return ~Always(~part, start, end)


@dataclass(frozen=True)
class Until(Formula):
    """`goal` holds at one of the steps `start` to `end` from now, and `path` from now until then.

    `path` must hold at the step of the goal, too.
    """

    path: Formula
    goal: Formula
    start: int
    end: int

    def __post_init__(self) -> None:
        _check(self.start, self.end)

    @property
    def horizon(self) -> int:
        """The last step of the window plus the longer horizon of the parts."""
        return self.end + max(self.path.horizon, self.goal.horizon)

    def trace(self, features: Features) -> Array:
        """Return the maximum of each window."""
        path, goal = self.path.trace(features), self.goal.trace(features)
        length, xp = min(path.shape[-1], goal.shape[-1]), namespace(path, goal)
        goals = _windows(goal[..., :length], 0, self.end)  # (..., T', end + 1)
        paths = _windows(path[..., :length], 0, self.end)
        if isinstance(paths, np.ndarray):
            paths = np.minimum.accumulate(paths, axis=-1)
        else:
            paths = paths.cummin(dim=-1).values
        return xp.max(xp.minimum(goals, paths)[..., self.start :], axis=-1)


def _windows(values: Array, start: int, end: int) -> Array:
    """Return row t with the values at steps t + start to t + end; (..., T - end, width)."""
    width = end - start + 1
    if values.shape[-1] <= end:
        return namespace(values).stack([values[..., :0]] * width, axis=-1)
    if values.shape[-1] == end + 1:
        return values[..., None, start:]  # one row: a shortcut
    if isinstance(values, np.ndarray):
        return np.lib.stride_tricks.sliding_window_view(values[..., start:], width, axis=-1)
    return values[..., start:].unfold(-1, width, 1)


def _check(start: int, end: int) -> None:
    whole = all(isinstance(each, int) and not isinstance(each, bool) for each in (start, end))
    if not whole or not 0 <= start <= end:
        raise ValueError(f"a window is of whole steps with 0 <= start <= end, got {start} to {end}")
