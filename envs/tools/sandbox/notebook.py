"""`Notebook`: a session that can be copied, because it remembers its cells."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from zerogym.envs.tools.sandbox.limits import Limits
from zerogym.envs.tools.sandbox.result import Result
from zerogym.envs.tools.sandbox.session import Session

if TYPE_CHECKING:  # it imports this package's parts itself
    from zerogym.envs.tools.sandbox.sandbox import Sandbox


class Notebook:
    """A list of cells, and the session in which they ran.

    The session is opened with the first cell. A copy (`copy.deepcopy`, pickle, or a process that is
    forked) has the cells and no session: when its first own cell runs, a new session first runs
    the others again, with the same seed, files and limits. So it stands where the original stood,
    as far as the cells do the same thing twice: time, and what a limit on time cut off, may differ.
    One thread at a time.

    Args:
        sandbox: Where it runs; shared with the copies.
        seed: Of `random` inside.
        limits: The budget of each cell; by default the sandbox's.
        files: What lies in its folder at the beginning.
        total_cpu_s: CPU seconds of all cells together, those that run again included.
    """

    def __init__(
        self,
        sandbox: "Sandbox",
        seed: int = 0,
        limits: Limits | None = None,
        files: Mapping[str, str | bytes] | None = None,
        total_cpu_s: float = 60.0,
    ) -> None:
        self.sandbox = sandbox
        self.seed = seed
        self.limits = limits
        self.files = dict(files or {})
        self.total_cpu_s = total_cpu_s
        self.cells: list[str] = []
        self._session: Session | None = None
        self._owner = os.getpid()

    def run(self, source: str) -> Result:
        """Run a cell. If the sandbox fails (`unavailable`), nothing has happened: try again."""
        session, missed = self._open()
        for cell in missed:
            result = session.run(cell)
            if result.verdict == "unavailable":
                self.close()
                return result
        result = session.run(source)
        if result.verdict == "unavailable":
            self.close()
        else:
            self.cells.append(source)
        return result

    def close(self) -> None:
        """End the session. The next cell would run the others again first."""
        session, self._session = self._session, None
        if session is not None and self._owner == os.getpid():
            session.close()

    def _open(self) -> tuple[Session, list[str]]:
        """The session, and the cells that have not run in it."""
        if self._session is not None and self._owner == os.getpid():
            return self._session, []
        self._owner = os.getpid()
        self._session = self.sandbox.session(self.limits, self.total_cpu_s, self.seed)
        self._session.put(self.files)
        return self._session, list(self.cells)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_session": None}

    def __deepcopy__(self, memo: dict[int, Any]) -> "Notebook":
        copied = Notebook(self.sandbox, self.seed, self.limits, self.files, self.total_cpu_s)
        copied.cells = list(self.cells)
        memo[id(self)] = copied
        return copied
