"""Every module can be imported, and every example in a docstring prints what it says."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import zerogym

FILES = {  # of each module
    module.name: Path(module.module_finder.find_spec(module.name, None).origin)  # type: ignore
    for module in pkgutil.walk_packages(zerogym.__path__, "zerogym.")
    if not module.name.endswith("__main__")  # importing it would run the command line
} | {"zerogym": Path(zerogym.__file__)}


def test_every_module_can_be_imported() -> None:
    for name in FILES:
        importlib.import_module(name)


@pytest.mark.parametrize(
    "name", [n for n, path in FILES.items() if ">>>" in path.read_text("utf-8")]
)
def test_the_examples_of(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0
    assert tried
