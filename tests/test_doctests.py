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


def test_examples_were_found() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = [importlib.import_module(name) for name in MODULES]
    examples = [test for module in modules for test in finder.find(module) if test.examples]
    assert len(examples) >= 10
