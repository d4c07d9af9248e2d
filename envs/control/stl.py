"""Signal temporal logic (STL): how clearly a trajectory satisfies a demand in time.

A formula is built from margins, functions of features that are positive where something holds, and
operators with windows in steps. Its *robustness* is positive if the trajectory satisfies it,
negative if not, and says by how much the margins could change before that turns:

    rho(margin)            = the margin                  rho(not p) = -rho(p)
    rho(p and q)           = min(rho p, rho q)           rho(p or q) = max(rho p, rho q)
    rho(always[a,b] p)     = min over t+a..t+b of rho p  rho(eventually[a,b] p) = max over the same
    rho(p until[a,b] q)    = max over s in t+a..t+b of min(rho q at s, min over t..s of rho p)

"Robust Satisfaction of Temporal Logic over Real-Valued Signals" (2010, Donzé and Maler, FORMATS);
as tasks for agents in "TGPO: Temporal Grounded Policy Optimization for Signal Temporal Logic Tasks"
(2025). The trajectory must be as long as the formula looks ahead; nothing is guessed beyond its
end. Left out: time in seconds, smooth approximations of min and max.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.features import Features

Floats = NDArray[np.float64]


class Formula(ABC):
    """A demand on a trajectory; combine with `&`, `|`, `~`."""

    @property
    @abstractmethod
    def horizon(self) -> int:
        """How many steps after the present one it looks at."""

    @abstractmethod
    def trace(self, features: Features) -> Floats:
        """Robustness at each moment from which it can be told; (T - horizon,).

        Args:
            features: Of the T observations of a trajectory, in their order.
        """

    def robustness(self, features: Features) -> float:
        """Robustness at the first moment.

        Raises:
            ValueError: If the trajectory is shorter than the formula looks ahead.
        """
        found = self.trace(features)
        if len(found) == 0:
            raise ValueError(f"the formula looks {self.horizon} steps ahead: the trajectory is "
                             "too short")  # fmt: skip
        return float(found[0])

    def __and__(self, other: "Formula") -> "Formula":
        return _Both(self, other)

    def __or__(self, other: "Formula") -> "Formula":
        return ~(~self & ~other)

    def __invert__(self) -> "Formula":
        return _Not(self)


@dataclass(frozen=True)
class Margin(Formula):
    """What holds where a function of the features is positive.

    Example:
        >>> slow = Margin(lambda f: 1.0 - f["speed"])
    """

    function: Callable[[Features], Any]

    @property
    def horizon(self) -> int:
        """It looks at the present only."""
        return 0

    def trace(self, features: Features) -> Floats:
        """The margins; (T,)."""
        return np.asarray(self.function(features), dtype=np.float64)


@dataclass(frozen=True)
class _Not(Formula):
    part: Formula

    @property
    def horizon(self) -> int:
        return self.part.horizon

    def trace(self, features: Features) -> Floats:
        return -self.part.trace(features)


@dataclass(frozen=True)
class _Both(Formula):
    one: Formula
    other: Formula

    @property
    def horizon(self) -> int:
        return max(self.one.horizon, self.other.horizon)

    def trace(self, features: Features) -> Floats:
        first, second = self.one.trace(features), self.other.trace(features)
        length = min(len(first), len(second))  # each as far as it can be told
        return np.minimum(first[:length], second[:length])


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
        """The last step of the window, and what the part looks ahead from there."""
        return self.end + self.part.horizon

    def trace(self, features: Features) -> Floats:
        """The least of each window."""
        return _windows(self.part.trace(features), self.start, self.end).min(axis=1)


def eventually(part: Formula, start: int, end: int) -> Formula:
    """The part holds at one of the steps `start` to `end` from now."""
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
        """The last step of the window, and what the parts look ahead from there."""
        return self.end + max(self.path.horizon, self.goal.horizon)

    def trace(self, features: Features) -> Floats:
        """The best step of each window."""
        path, goal = self.path.trace(features), self.goal.trace(features)
        length = min(len(path), len(goal))
        goals = _windows(goal[:length], 0, self.end)  # (T', end + 1)
        paths = np.minimum.accumulate(_windows(path[:length], 0, self.end), axis=1)
        return np.minimum(goals, paths)[:, self.start :].max(axis=1)


def _windows(values: Floats, start: int, end: int) -> Floats:
    """Row t holds the values at steps t + start to t + end; (T - end, end - start + 1)."""
    if len(values) <= end:
        return np.empty((0, end - start + 1))
    found = np.lib.stride_tricks.sliding_window_view(values[start:], end - start + 1)
    return np.asarray(found)


def _check(start: int, end: int) -> None:
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start <= end):
        raise ValueError(f"a window is of whole steps with 0 <= start <= end, got {start} to {end}")
