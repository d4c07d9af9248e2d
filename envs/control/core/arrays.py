"""One reward for NumPy and torch: the functions of the library that an array belongs to.

Rewards and features are written once, in the array API standard's names
(https://data-apis.org/array-api), and run on whichever array they are given, on its device. Those
of single steps also run on plain numbers, to the last bit as on a batch of one, since NumPy's cost
for each call is many times that of the simulator's step.
"""

from collections.abc import Sequence
from types import ModuleType
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core import scalars
from zerogym.errors import UnknownName, require

Array = Any  # a NumPy array or a torch tensor; in rewards of single steps a number
Library = Literal["numpy", "torch"]  # whose arrays a batched world takes and returns


class Single(tuple[float, ...]):
    """One observation or action (n,) as plain numbers, where a batch would be (B, n)."""

    __slots__ = ()


def columns(rows: Array) -> Sequence[Array]:
    """The n columns (B,) of a batch (B, n); NumPy's in float64."""
    if type(rows) is Single:
        return rows
    if namespace(rows) is np:
        rows = np.asarray(rows, dtype=np.float64)
    return [rows[:, index] for index in range(rows.shape[1])]


def namespace(*arrays: Array) -> ModuleType:
    """The functions for these arrays: `xp.where`, `xp.cos`, `xp.clip`, ...

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


def check_batch(n: int, library: str, device: str | None) -> None:
    """Refuse what no batch of worlds can be made of.

    Args:
        n: How many worlds.
        library: One of `Library`.
        device: Where torch's tensors are to be; None is torch's default.

    Raises:
        ValueError: If n is no integer >= 1, or there is a device for NumPy's arrays.
        UnknownName: If there is no such library.
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ValueError(f"a batch must have an integer number >= 1 of worlds, got {n!r}")
    if library not in get_args(Library):
        raise UnknownName("array library", library, list(get_args(Library)))
    if device is not None and library == "numpy":
        raise ValueError(f"NumPy's arrays have no device; got {device!r}")
