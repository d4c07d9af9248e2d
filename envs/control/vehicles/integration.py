"""The columns of a batch of states, and their integration in time.

Equations of motion are written once over the columns: of a batch they are arrays (B,) of NumPy or
torch, of a single row plain numbers, which are ten times as fast as arrays of one.
"""

import math
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from zerogym.envs.control.core.arrays import Array, namespace

Parts = list[Any]  # numbers, or arrays (B,)
Rate = Callable[[float, Parts], Parts]  # share of the step that is over, and parts, to slopes
Numbers = Mapping[str, Any]  # constants by name: numbers, or arrays (B,) of one for each row

SCALARS: Any = SimpleNamespace(
    exp=math.exp, sqrt=math.sqrt, sin=math.sin, cos=math.cos, tan=math.tan,
    atan=math.atan, floor=math.floor, abs=abs, minimum=min, maximum=max,
    where=lambda holds, yes, no: yes if holds else no,
)  # fmt: skip


def columns(states: Array) -> tuple[Any, Parts]:
    """Return the functions for the columns of states (B, S), and the columns."""
    xp: Any = namespace(states)
    if xp is np and len(states) == 1:
        return SCALARS, states[0].tolist()
    width = states.shape[1]
    return xp, list(xp.stack([states[:, index] for index in range(width)]))


def rows(xp: Any, parts: Parts) -> Array:
    """Invert `columns`: (B, S)."""
    return np.array([parts]) if xp is SCALARS else xp.stack(parts, axis=1)


def within(xp: Any, value: Any, low: Any, high: Any) -> Any:
    """Clip a value to two numbers."""
    return min(max(value, low), high) if xp is SCALARS else xp.clip(value, low, high)


def rk4(rate: Rate, parts: Parts, dt: float) -> Parts:
    """Make one step of the classic Runge-Kutta method of fourth order.

    The slopes may depend on time: they are evaluated at the shares 0, 1/2, 1/2 and 1 of the step.
    """
    first = rate(0.0, parts)
    second = rate(0.5, [a + 0.5 * dt * b for a, b in zip(parts, first, strict=True)])
    third = rate(0.5, [a + 0.5 * dt * b for a, b in zip(parts, second, strict=True)])
    last = rate(1.0, [a + dt * b for a, b in zip(parts, third, strict=True)])
    slopes = zip(first, second, third, last, strict=True)
    mean = [(a + 2.0 * (b + c) + d) / 6.0 for a, b, c, d in slopes]
    return [a + dt * b for a, b in zip(parts, mean, strict=True)]


def lag(xp: Any, value: Any, target: Any, time: Any, dt: float) -> tuple[Any, Any]:
    """Return the exact values of a first-order lag in the middle and at the end of a step."""
    array = xp is not SCALARS and hasattr(time, "shape")
    rest = xp.exp(-0.5 * dt / time) if array else math.exp(-0.5 * dt / time)
    missing = (value - target) * rest
    return target + missing, target + missing * rest
