"""`Session`: an interpreter that stays, and runs cells of a notebook."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from zerogym.envs.tools.sandbox.execution.arguments import as_bytes, check_files
from zerogym.envs.tools.sandbox.execution.capture import Pipes
from zerogym.envs.tools.sandbox.execution.watch import LOOKS_S, Over, Watch
from zerogym.envs.tools.sandbox.limits import Limits
from zerogym.envs.tools.sandbox.result import Result
from zerogym.envs.tools.sandbox.warm.base import Ended, Request, Warm, rlimits
from zerogym.envs.tools.sandbox.warm.live import Live, Setup

GRACE_S = 1.0  # for an interrupted cell to end


class Session(Warm):
    """Runs cells of Python in one interpreter, whose variables stay.

    The value of a cell's last expression is printed; an exception is a traceback on standard error
    with the verdict `error`; `sys.exit` ends only the cell. When a cell's time is up, or its output
    too long, it gets a KeyboardInterrupt: if it ends within a second the variables stay. If not, or
    if the interpreter ends or takes too much memory, they are lost, which `Result.reason` says, and
    the next cell starts with none. Files stay. Between calls nothing inside runs, whatever a cell
    started. `random` is seeded. Made by `Sandbox.session`.
    """

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._pending: dict[str, bytes] = {}

    def run(
        self,
        source: str,
        *,
        stdin: str | bytes = "",
        collect: Sequence[str] = (),
        limits: Limits | None = None,
    ) -> Result:
        """Run a cell.

        Args:
            source: Python statements.
            stdin: Standard input of this cell; `input()` raises EOFError without it.
            collect: Names of files in `/task` to bring back in `Result.files`.
            limits: The budget of this cell, at most the session's.

        Raises:
            ValueError: If the arguments themselves are wrong. Nothing that the cell does raises.
        """
        budget = self._check_limits(limits)
        check_files({}, collect, budget)
        # Soft limits; the hard ones are the session's.
        head = {"limits": {name: (value, None) for name, value in rlimits(budget).items()}}
        files, self._pending = self._pending, {}
        request = Request(head, as_bytes(source), budget, as_bytes(stdin), files, collect)
        result = self._run(request)
        if result.verdict == "unavailable":  # for the next try
            self._pending = {**files, **self._pending}
        return result

    def put(self, files: Mapping[str, str | bytes]) -> None:
        """Put files into `/task` before the next cell runs; each replaces one of the same name.

        Raises:
            ValueError: If a name leads out of the folder, or they are too large.
        """
        pending = {**self._pending, **{name: as_bytes(text) for name, text in files.items()}}
        check_files(pending, (), self.limits)
        self._pending = pending

    def _obeys(self, live: Live, over: Over, watch: Watch, pipes: Pipes) -> bool:
        if over[0] == "memory":
            return False
        live.interrupt()
        until = time.monotonic() + GRACE_S
        while time.monotonic() < until:
            if pipes.wait(LOOKS_S[-1], live.control):
                return True
            further = watch.look()
            if further is not None and further[0] == "memory":
                return False
        return False

    def _judge(self, ended: Ended, watch: Watch, pipes: Pipes, limits: Limits) -> Result:
        result = super()._judge(ended, watch, pipes, limits)
        if ended.gone or (ended.answer.kept and result.verdict not in ("time", "output")):
            return result
        if ended.answer.kept:
            return replace(result, reason=f"{result.reason}; interrupted, variables are kept")
        why = result.reason or "the interpreter ended"
        verdict = "error" if result.verdict == "ok" else result.verdict
        return replace(result, verdict=verdict, reason=f"{why}; variables are lost")
