"""`Zygote`: a warm interpreter of one episode, from which each call is forked."""

import math
from collections.abc import Mapping, Sequence

from zerogym.envs.tools.sandbox.execution.arguments import (
    add_source,
    as_bytes,
    check_command,
    check_files,
    check_one,
)
from zerogym.envs.tools.sandbox.limits import Limits
from zerogym.envs.tools.sandbox.result import Result
from zerogym.envs.tools.sandbox.warm.base import Request, Warm, rlimits
from zerogym.envs.tools.sandbox.warm.live import Setup


class Zygote(Warm):
    """Runs each call as a fresh process of a sandbox that stays for one episode.

    Files stay in `/task`, `/tmp` and `/dev/shm` from call to call; processes and variables do not.
    `random` is seeded, for each call in turn. Made by `Sandbox.zygote`.
    """

    def __init__(self, setup: Setup, shell: str) -> None:
        super().__init__(setup)
        self._shell = shell

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
        """Run a command, a Python source, or a shell source; see `Sandbox.run`.

        A file replaces one of the same name. The limits of a call are at most the zygote's.

        Raises:
            ValueError: If the arguments themselves are wrong.
        """
        check_one(argv, python, shell)
        budget = self._check_limits(limits)
        contents = {name: as_bytes(content) for name, content in (files or {}).items()}
        name, everything = "", dict(contents)
        if python is not None:
            name = add_source(everything, "main.py", python)
        elif shell is not None:
            name = add_source(everything, "main.sh", shell)
            argv = [self._shell, name]
        check_files(everything, collect, budget)
        source = everything[name] if name else b""
        words = None if argv is None else check_command(argv)
        cpu = math.ceil(budget.cpu_s)
        both = {limit: (value, value) for limit, value in rlimits(budget).items()}
        head = {"name": name, "argv": words, "limits": {**both, "RLIMIT_CPU": (cpu, cpu + 1)}}
        return self._run(Request(head, source, budget, as_bytes(stdin), contents, collect))
