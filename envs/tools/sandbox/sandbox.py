"""`Sandbox`: runs code that a model wrote."""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from zerogym.envs.tools.sandbox.arguments import (
    PYTHON_FLAGS,
    as_bytes,
    check_command,
    check_files,
    check_one,
)
from zerogym.envs.tools.sandbox.bubblewrap import find_programs
from zerogym.envs.tools.sandbox.execute import Call, execute
from zerogym.envs.tools.sandbox.limits import Limits
from zerogym.envs.tools.sandbox.probe import Probe, probe
from zerogym.envs.tools.sandbox.result import Level, Result
from zerogym.errors import SandboxUnavailable, UnknownName


class Sandbox:
    """Runs programs that are not trusted, each call in a sandbox of its own.

    A call sees the system's programs and libraries read-only, an empty `/task` (where it starts),
    no network, no other process, no environment and no files of yours, and uses no more than its
    `Limits`. Nothing of it is left when the call returns. `SECURITY.md` beside this package says
    what is promised. Calls from several threads run side by side.

    Args:
        limits: The budget of each call, unless the call names its own.
        python: The interpreter for `python=` sources, with the folder it is installed in (the
            parent of its `bin`) made readable. By default that of this process, without packages.
        readable: Further files and folders to show, read-only, at their own paths.
        level: `strong`; `monty`, an interpreter of its own for a part of Python, `python=` only.

    Raises:
        SandboxUnavailable: If this machine cannot hold the level; it says why, and the cure.
        UnknownName: If there is no such level.

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
        if level not in get_args(Level):
            raise UnknownName("level of the sandbox", level, list(get_args(Level)))
        self.level: Level = level
        if level == "strong":
            held = probe()
            if not held.holds:
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
        self._shell = shutil.which("bash", path="/usr/bin:/bin") or "/bin/sh"

    @staticmethod
    def probe() -> Probe:
        """Whether this machine holds the level: a control and attacks, really run (once)."""
        return probe()

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
            return self._run_monty(python, as_bytes(stdin), contents, limits or self.limits)
        if python is not None:
            argv = [self.python, *PYTHON_FLAGS, _add_source(contents, "main.py", python)]
        elif shell is not None:
            argv = [self._shell, _add_source(contents, "main.sh", shell)]
        words, budget = check_command(argv or ()), limits or self.limits
        call = Call(words, budget, as_bytes(stdin), contents, collect, self._readable)
        check_files(contents, collect, budget)
        return replace(execute(find_programs(), call), level=self.level)

    def _run_monty(
        self, python: str | None, stdin: bytes, files: Mapping[str, bytes], limits: Limits
    ) -> Result:
        from zerogym.envs.tools.sandbox import monty

        if python is None:
            raise ValueError("level monty runs python= only: it has neither processes nor a shell")
        return replace(monty.run_python(python, stdin, files, limits), level="monty")


def _add_source(files: dict[str, bytes], name: str, source: str) -> str:
    if name in files:
        raise ValueError(f"{name} is the source itself: no other file can have this name")
    files[name] = as_bytes(source)
    return name
