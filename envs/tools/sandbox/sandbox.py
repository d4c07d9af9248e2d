"""`Sandbox`: runs code that a model wrote."""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from zerogym.envs.tools.sandbox.execution.arguments import (
    PYTHON_FLAGS,
    add_source,
    as_bytes,
    check_command,
    check_files,
    check_level,
    check_one,
)
from zerogym.envs.tools.sandbox.execution.execute import Call
from zerogym.envs.tools.sandbox.levels import execute_at
from zerogym.envs.tools.sandbox.limits import Limits
from zerogym.envs.tools.sandbox.monty.monty import run_python
from zerogym.envs.tools.sandbox.probe import Probe, probe
from zerogym.envs.tools.sandbox.result import Level, Result
from zerogym.envs.tools.sandbox.session import Session
from zerogym.envs.tools.sandbox.unprivileged.landlock import check_interpreter
from zerogym.envs.tools.sandbox.unprivileged.unsafe_local import refuse_or_warn
from zerogym.envs.tools.sandbox.warm.live import Kind, Setup
from zerogym.envs.tools.sandbox.zygote import Zygote
from zerogym.errors import SandboxUnavailable


class Sandbox:
    """Runs programs that are not trusted, each call in a sandbox of its own.

    A call sees the system's programs and libraries read-only, an empty `/task` (where it starts),
    no network, no other process, no environment and no files of yours, and uses no more than its
    `Limits`. Nothing of it is left when the call returns. `SECURITY.md` of the repository
    lists what is promised. Calls from several threads run side by side.

    Args:
        limits: The budget of each call, unless the call names its own.
        python: The interpreter for `python=` sources, with the folder it is installed in (the
            parent of its `bin`) made readable. By default that of this process, without packages.
        readable: Further files and folders to show, read-only, at their own paths.
        level: `strong`; `landlock`, for machines without namespaces; `monty`, an interpreter of its
            own for a part of Python, `python=` only; `unsafe-local`, no sandbox at all. At
            `landlock` and `unsafe-local` the folder for writing is a temporary one on the disk,
            named by `HOME` and `TMPDIR`.

    Raises:
        SandboxUnavailable: If this machine cannot hold the level; it says why, and the cure.
        UnknownName: If there is no such level.

    Warns:
        UnsafeSandboxWarning: At level `unsafe-local`, each time.

    Example:
        ```python
        result = Sandbox().run(python="print(6 * 7)")
        result.verdict, result.stdout  # ("ok", "42\\n")
        Sandbox().run(shell="sleep 100", limits=Limits(wall_s=0.2)).verdict  # "time"
        ```
    """

    def __init__(
        self,
        limits: Limits | None = None,
        python: str | None = None,
        readable: Sequence[str] = (),
        level: Level = "strong",
    ) -> None:
        self.level = check_level(level)
        if level == "unsafe-local":
            refuse_or_warn()
        elif not (held := probe(level)).holds:
            raise SandboxUnavailable(held.explain())
        self.limits = limits or Limits()
        self.python = os.path.realpath(python or sys.executable)
        self._readable = [os.path.realpath(path) for path in readable]
        for path in self._readable:
            if path == "/" or not os.path.exists(path):
                raise ValueError(f"not a file or folder that can be shown: {path!r}")
        installed = str(Path(self.python).parent.parent)
        if installed not in ("/", "/usr", "/usr/local"):
            self._readable.append(installed)
        if level == "landlock":
            check_interpreter(self.python)
        self._shell = shutil.which("bash", path="/usr/bin:/bin") or "/bin/sh"

    @staticmethod
    def probe(level: Level | None = None) -> Probe:
        """Try whether this machine holds a level: a control and attacks, really run (once).

        Without a level: the highest that holds, and why none above it does.
        """
        return probe(level)

    def run(
        self,
        argv: Sequence[str] | None = None,
        *,
        python: str | None = None,
        shell: str | None = None,
        stdin: str | bytes = b"",
        files: Mapping[str, str | bytes] | None = None,
        collect: Sequence[str] = (),
        limits: Limits | None = None,
    ) -> Result:
        """Run a command, a Python source, or a shell source, and wait for it.

        Args:
            argv: The command; or
            python: a source, which becomes `/task/main.py`; or
            shell: a source, which becomes `/task/main.sh`; exactly one of the three.
            stdin: Standard input.
            files: Files to put into `/task` first, by relative name.
            collect: Names of files in `/task` to bring back in `Result.files`.
            limits: The budget of this call.

        Raises:
            ValueError: If the arguments themselves are wrong. Nothing that the program does raises.
        """
        check_one(argv, python, shell)
        contents = {name: as_bytes(content) for name, content in (files or {}).items()}
        if self.level == "monty":
            if python is None or collect:
                raise ValueError("level monty runs python= only, and brings no files back")
            return run_python(python, as_bytes(stdin), contents, limits or self.limits)
        if python is not None:
            argv = [self.python, *PYTHON_FLAGS, add_source(contents, "main.py", python)]
        elif shell is not None:
            argv = [self._shell, add_source(contents, "main.sh", shell)]
        words, budget = check_command(argv or ()), limits or self.limits
        call = Call(words, budget, as_bytes(stdin), contents, collect, self._readable)
        check_files(contents, collect, budget)
        return replace(execute_at(self.level, call), level=self.level)

    def zygote(
        self, limits: Limits | None = None, total_cpu_s: float = 60.0, seed: int = 0
    ) -> Zygote:
        """Make a warm interpreter for one episode: its calls are fast, and share a sandbox.

        Args:
            limits: The budget of each call.
            total_cpu_s: CPU seconds of all calls together.
            seed: Of `random` inside.

        Raises:
            ValueError: If the level is not `strong`.
        """
        return Zygote(self._setup("zygote", limits, total_cpu_s, seed), self._shell)

    def session(
        self, limits: Limits | None = None, total_cpu_s: float = 60.0, seed: int = 0
    ) -> Session:
        """Make an interpreter that stays, for cells of a notebook; arguments as for `zygote`."""
        return Session(self._setup("session", limits, total_cpu_s, seed))

    def _setup(self, kind: Kind, limits: Limits | None, total_cpu_s: float, seed: int) -> Setup:
        if self.level != "strong":
            raise ValueError(f"a {kind} needs level strong, not {self.level}")
        if not 0 < total_cpu_s < 2**31:
            raise ValueError(f"total_cpu_s is above 0 and below 2**31, not {total_cpu_s!r}")
        budget = limits or self.limits
        return Setup(kind, self.python, budget, tuple(self._readable), total_cpu_s, seed)
