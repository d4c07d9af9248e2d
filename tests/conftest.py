"""Fixtures of all tests."""

import gc
import importlib.util
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from zerogym.envs.references import named_modules

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def _ctrl_c_works() -> Iterator[None]:
    """Restore Ctrl-C, which processes that a shell starts in the background ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def _nothing_stays_typed() -> Iterator[None]:
    """Forget the modules that a test typed, or files of the tests after it may name them, too."""
    before = set(named_modules)
    yield
    named_modules.intersection_update(before)


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def load_tool() -> Callable[[str], ModuleType]:
    """Load a command of tools/, which is no package, as a module."""

    def load(name: str) -> ModuleType:
        if str(ROOT / "tools") not in sys.path:  # as for a command: tools import each other
            sys.path.append(str(ROOT / "tools"))
        spec = importlib.util.spec_from_file_location(f"tool_{name}", ROOT / f"tools/{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture(scope="session")
def run_python() -> Callable[..., str]:
    """Run code in a new Python with warnings as errors, and return what it printed."""

    def run(code: str, *arguments: str, timeout: float = 300, **environment: str) -> str:
        result = subprocess.run(
            [sys.executable, "-W", "error", "-c", code, *arguments],
            capture_output=True,
            text=True,
            timeout=timeout,
            env=os.environ | environment,
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep modules and tests out of garbage collection: they are many, and all live to the end."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count the skipped tests by their reasons in one line."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    counts = "; ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    terminalreporter.write_line(f"skipped by reason: {counts or 'none'}")
