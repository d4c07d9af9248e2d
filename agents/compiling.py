"""torch.compile, where settings ask for it; importing this loads no torch."""

import os
import shutil
from collections.abc import Callable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])
COMPILERS = ("none", "inductor", "aot_eager")  # the last only traces: a test of the others


def compiled(function: Function, compiler: str, setting: str, *, dynamic: bool) -> Function:
    """The function, compiled if the settings say so.

    Args:
        function: Of tensors.
        compiler: One of `COMPILERS`.
        setting: What an error calls it: the settings' class and field.
        dynamic: Whether it is compiled for any shapes, and not for those that it meets.

    Raises:
        ValueError: If there is no C++ compiler, which inductor needs on a CPU.
    """
    import torch

    if compiler == "none":
        return function
    if compiler == "inductor" and not torch.cuda.is_available() and not _has_compiler():
        raise ValueError(f"{setting}='inductor' needs a C++ compiler (g++); there is none")
    faster: Any = torch.compile(function, backend=compiler, dynamic=dynamic)
    return cast("Function", faster)


def _has_compiler() -> bool:
    return any(shutil.which(name) for name in (os.environ.get("CXX", "g++"), "c++", "clang++"))
