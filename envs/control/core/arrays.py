"""Functions of the library that an array belongs to, so that a reward serves NumPy and torch.

Rewards and features use the names of the array API standard (https://data-apis.org/array-api) and
run on any array, on its device. Those of single steps also run on plain numbers, bit for bit as on
a batch of one: a call of NumPy costs many times as much as a step of the simulator.
"""

from collections.abc import Sequence
from types import ModuleType
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core import scalars
from zerogym.errors import UnknownName, require

Array = Any  # a NumPy array or a torch tensor; in rewards of single steps a number
Library = Literal["numpy", "torch"]  # of the arrays of a batched environment


Floats = NDArray[np.float64]
FLOAT32 = np.dtype(np.float32)


class Single(tuple[float, ...]):
    """One observation or action (n,) as plain numbers, where a batch would be (B, n)."""

    __slots__ = ()


def columns(rows: Array) -> Sequence[Array]:
    """Return the n columns (B,) of a batch (B, n); NumPy's in float64."""
    if type(rows) is Single:
        return rows
    if namespace(rows) is np:
        rows = np.asarray(rows, dtype=np.float64)
    return [rows[:, index] for index in range(rows.shape[1])]


def namespace(*arrays: Array) -> ModuleType:
    """Return the functions for these arrays: `xp.where`, `xp.cos`, `xp.clip`, ...

    Lists and numbers count as NumPy's, except a single `float`, which has functions of its own.

    Raises:
        MissingExtra: If one is of another library and `array-api-compat` is not installed.
        TypeError: If they are of two libraries.
    """
    if len(arrays) == 1 and type(arrays[0]) is float:  # np.float64 is a float, but an array's
        return scalars
    if all(
        isinstance(array, (np.ndarray, np.generic, float, int, list, tuple)) for array in arrays
    ):
        return np
    compat = require("array_api_compat", "control", "a reward of torch tensors")
    found: ModuleType = compat.array_namespace(*(a for a in arrays if hasattr(a, "dtype")))
    return found


def table_like(values: NDArray[np.generic], array: Array) -> Array:
    """Return a NumPy table in the library of an array, on its device."""
    xp = namespace(array)
    return values if xp is np else xp.asarray(values, device=array.device)


def as_floats(given: Any) -> Floats:
    """Return an array of float64; an empty one for anything that is no array of real numbers."""
    try:
        if np.iscomplexobj(given):
            return np.empty(0)
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0)


def box_action(name: str, action: Any, size: int) -> NDArray[np.float32]:
    """Check an action (size,) and clip it to [-1, 1].

    Raises:
        ValueError: If it is not so many finite numbers; the message starts with `name`.
    """
    single = type(action) is np.ndarray and action.dtype is FLOAT32
    given: Any = action if single else as_floats(action)
    if given.shape == (size,):
        values = given.tolist()  # NumPy is slower with so few numbers
        total = sum(values)
        if total == total and max(values) <= 1.0 and min(values) >= -1.0:  # nan is not itself
            return given if single else given.astype(np.float32)
        if np.isfinite(given).all():
            return np.clip(given, -1.0, 1.0).astype(np.float32)
    raise ValueError(
        f"{name}: action must be an array ({size},) of finite numbers in [-1, 1], "
        f"got {str(action)[:60]}"
    )


def check_integer(what: str, value: Any, low: int, high: int) -> None:
    """Check that a value is an integer between two limits, inclusive.

    Raises:
        ValueError: If it is not.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{what} must be an integer from {low} to {high}, got {value!r}")


def check_batch(n: int, library: str, device: str | None) -> None:
    """Check the arguments of a batch of environments.

    Args:
        n: Number of environments.
        library: One of `Library`.
        device: Device of torch's tensors; None is torch's default.

    Raises:
        ValueError: If n is not an integer >= 1, or a device is given for NumPy's arrays.
        UnknownName: If there is no such library.
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ValueError(f"a batch must have an integer number >= 1 of environments, got {n!r}")
    if library not in get_args(Library):
        raise UnknownName("array library", library, list(get_args(Library)))
    if device is not None and library == "numpy":
        raise ValueError(f"NumPy's arrays have no device; got {device!r}")
