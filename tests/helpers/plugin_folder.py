"""A folder in which packages bring tasks; afterwards nothing of them is left."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import gymnasium as gym
import pytest

from zerogym.envs import plugins


@contextmanager
def forgotten_afterwards(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[None]:
    """Forget the ids and modules that the block brings, and the packages found before it.

    Args:
        monkeypatch: Of the test.
        folder: The folder of the modules.
    """
    before = set(gym.registry)
    monkeypatch.setattr(plugins, "_loaded", set())
    monkeypatch.setattr(plugins, "_brought", {})
    yield
    for env_id in set(gym.registry) - before:
        del gym.registry[env_id]
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(f"{folder}/"):
            del sys.modules[name]
