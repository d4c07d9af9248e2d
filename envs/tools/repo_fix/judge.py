"""Runs the tests of a repository, and the judge's own calls, in the sandbox.

The judge's process gets the sources and the arguments of the hidden calls, never the right values:
those are compared outside, so that no code of the model can reach them.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from zerogym.envs.tools.interpreters.execution import run_or_again, shared_sandbox
from zerogym.envs.tools.sandbox import Limits, Result
from zerogym.envs.tools.sandbox.result import Level

LIMITS = Limits(cpu_s=5.0, wall_s=20.0, memory_mib=256, disk_mib=16, files=2048, output_kib=256)
_TESTS = """\
import glob, runpy
passed = failed = 0
for path in sorted(glob.glob("tests/test_*.py")):
    try:
        names = runpy.run_path(path)
    except BaseException as error:
        failed += 1
        print(f"FAIL {path}: {type(error).__name__}: {error}")
        continue
    for name, test in names.items():
        if name.startswith("test_") and callable(test):
            try:
                test()
            except BaseException as error:
                failed += 1
                print(f"FAIL {path}::{name}: {type(error).__name__}: {error}")
            else:
                passed += 1
print(f"{passed} passed, {failed} failed")
"""
_CALLS = """\
import importlib, json, sys
values = []
for module, name, arguments in json.load(sys.stdin):
    try:
        values.append([getattr(importlib.import_module(module), name)(*arguments)])
    except BaseException as error:
        values.append([])
print()
print(json.dumps(values, default=repr))
"""


def run_tests(files: Mapping[str, str], level: Level) -> Result:
    """Run the visible tests, as the model's files have them."""
    sandbox = shared_sandbox(level)
    return run_or_again(lambda: sandbox.run(python=_TESTS, files=files, limits=LIMITS))


def run_calls(
    files: Mapping[str, str], calls: Sequence[tuple[str, str, list[Any]]], level: Level
) -> list[list[Any]] | None:
    """Run calls, each a module, a function and arguments; return a list with each value.

    The list of a call that raised is empty. None if there are no values at all, because the process
    was stopped or printed something else.
    """
    sandbox, given = shared_sandbox(level), json.dumps(calls)
    result = run_or_again(
        lambda: sandbox.run(python=_CALLS, stdin=given, files=files, limits=LIMITS)
    )
    try:
        values = json.loads(result.stdout.rstrip("\n").rpartition("\n")[2])
    except (ValueError, RecursionError):
        return None
    fits = isinstance(values, list) and len(values) == len(calls)
    return values if fits and all(isinstance(value, list) for value in values) else None
