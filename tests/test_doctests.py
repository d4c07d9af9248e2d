"""Every example in a docstring runs and prints what it says."""

import doctest
import importlib
import pkgutil

import pytest

import zerogym

MODULES = [
    module.name
    for module in pkgutil.walk_packages(zerogym.__path__, "zerogym.")
    if not module.name.endswith("__main__")  # importing it would run the command line
]


@pytest.mark.parametrize("name", ["zerogym", *MODULES])
def test_the_examples_of(name: str) -> None:
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert failed == 0
