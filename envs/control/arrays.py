"""One reward for NumPy and torch: the functions of the library that an array belongs to.

Rewards and features are written once, in the array API standard's names
(https://data-apis.org/array-api), and run on whichever array they are given, on its device.
"""

from types import ModuleType
from typing import Any

import numpy as np

from zerogym.errors import require

Array = Any  # a NumPy array or a torch tensor


def namespace(*arrays: Array) -> ModuleType:
    """The functions for these arrays: `xp.where`, `xp.cos`, `xp.clip`, ...

    Lists and numbers count as NumPy's.

    Raises:
        MissingExtra: If one is of another library and `array-api-compat` is not installed.
        TypeError: If they are of two libraries.
    """
    if all(
        isinstance(array, (np.ndarray, np.generic, float, int, list, tuple)) for array in arrays
    ):
        return np
    compat = require("array_api_compat", "control", "a reward of torch tensors")
    found: ModuleType = compat.array_namespace(*(a for a in arrays if hasattr(a, "dtype")))
    return found
