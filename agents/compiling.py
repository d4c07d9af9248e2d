"""torch.compile by the settings; importing this loads no torch."""

import os
import shutil
from collections.abc import Callable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])
COMPILERS = ("none", "inductor", "aot_eager")  # the last only traces: a test of the others


def compiled(function: Function, compiler: str, setting: str, *, dynamic: bool) -> Function:
    """Return the function, compiled unless the compiler is `none`.

    Args:
        function: A function of tensors.
        compiler: One of `COMPILERS`.
        setting: The settings' class and field, for error messages.
        dynamic: Compile for any shapes, and not for each that occurs.

    Raises:
        ValueError: If there is no C++ compiler, which inductor needs on a CPU.
    """
    import torch

    if compiler == "none":
        return function
    compilers = (os.environ.get("CXX", "g++"), "c++", "clang++")
    needed = compiler == "inductor" and not torch.cuda.is_available()
    if needed and not any(map(shutil.which, compilers)):
        raise ValueError(f"{setting}='inductor' needs a C++ compiler (g++); there is none")
    faster: Any = torch.compile(function, backend=compiler, dynamic=dynamic)
    return cast("Function", faster)
