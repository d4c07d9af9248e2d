"""Other libraries, imported when an adapter is called: a missing one, or another version, is named.

The versions are those of the examples that were run (`docs/compatibility.md`).
"""

import importlib
import warnings
from importlib.metadata import version
from typing import Any

from zerogym.errors import MissingExtra

TRIED = {  # by the name of the package: of those versions the first two numbers count
    "inspect-ai": "0.3.285",
    "lm-eval": "0.4.13",
    "skyrl-gym": "0.4.0",
    "verifiers": "0.4.0",
}


class UntriedVersion(UserWarning):
    """An adapter is used with another version of its library than it was tried with."""


def library(module: str, package: str) -> Any:
    """Return a module of a library that zerogym does not install.

    Args:
        module: Import name, for example `"lm_eval.api.task"`.
        package: Name of the package, a key of `TRIED`.

    Raises:
        MissingExtra: If the library is not installed.

    Warns:
        UntriedVersion: If its version has other first numbers than the one that was tried.
    """
    name = module.partition(".")[0]
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != name:
            raise  # a dependency of the library
        raise MissingExtra(f"zerogym.adapters.{name} needs {name}: pip install {package}") from None
    tried, installed = TRIED[package], version(package)
    if tried.split(".")[:2] != installed.split(".")[:2]:
        message = f"zerogym.adapters.{name} was tried with {package} {tried}, this is {installed}"
        warnings.warn(message, UntriedVersion, stacklevel=3)
    return found
