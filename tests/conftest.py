"""What several test files share."""

import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def _ctrl_c_works() -> Iterator[None]:
    """A process that a shell started in the background ignores Ctrl-C; tests send it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture
def load_tool() -> Callable[[str], ModuleType]:
    """Loads a command of tools/ as a module (they are no package)."""

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"tool_{name}", ROOT / f"tools/{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture
def run_python() -> Callable[..., str]:
    """Runs code in a new Python with warnings as errors, and returns what it printed."""

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
