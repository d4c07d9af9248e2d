"""The base of warm sandboxes that can be copied, because they remember their sources."""

import copy
import os
from abc import ABC, abstractmethod
from typing import Any, Generic, Self, TypeVar

from zerogym.envs.tools.sandbox.result import Result
from zerogym.envs.tools.sandbox.warm.base import Warm

W = TypeVar("W", bound=Warm)


class Replayed(ABC, Generic[W]):
    """A list of sources, and the warm sandbox in which they ran.

    It is opened with the first source. A copy (`copy.deepcopy`, pickle, or a process that is
    forked) has the sources and no sandbox: when its first own source runs, a new sandbox first runs
    the others again. So it stands where the original stood, as far as the sources do the same thing
    twice: time, and what a limit on time cut off, may differ. One thread at a time.
    """

    def __init__(self) -> None:
        self.cells: list[str] = []
        self._warm: W | None = None
        self._owner = os.getpid()

    @abstractmethod
    def _open(self) -> W:
        """Make a sandbox in which nothing has run."""

    @abstractmethod
    def _run_in(self, warm: W, source: str) -> Result:
        """Run a source."""

    def run(self, source: str, /) -> Result:
        """Run a source. If the sandbox fails (`unavailable`), nothing has happened: try again."""
        missed: list[str] = []
        if self._warm is None or self._owner != os.getpid():
            self._owner, self._warm, missed = os.getpid(), self._open(), self.cells
        for each in (*missed, source):
            result = self._run_in(self._warm, each)
            if result.verdict == "unavailable":
                self.close()
                return result
        self.cells.append(source)
        return result

    def close(self) -> None:
        """End the sandbox. The next source would run the others again first."""
        warm, self._warm = self._warm, None
        if warm is not None and self._owner == os.getpid():
            warm.close()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_warm": None, "cells": list(self.cells)}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return copy.copy(self)  # the sandbox and its settings do not change, and are shared
