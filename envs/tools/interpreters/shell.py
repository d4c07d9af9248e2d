"""The tool that runs shell scripts: files stay from call to call, variables do not."""

import os
from collections.abc import Mapping
from typing import Any, ClassVar

from zerogym.envs.tools.interpreters.session import Session, SessionTool
from zerogym.envs.tools.sandbox import Limits, Result, Sandbox
from zerogym.envs.tools.sandbox.zygote import Zygote


class ShellTool(SessionTool):
    """Runs scripts in `/task` and shows what they print."""

    name = "shell"
    description = (
        "Runs a bash script in the folder /task and shows what it prints. Files stay for the next "
        "script; variables, the current folder and background processes do not."
    )
    parameters: ClassVar[Mapping[str, Any]] = {
        "type": "object",
        "properties": {"script": {"type": "string", "minLength": 1, "description": "the script"}},
        "required": ["script"],
        "additionalProperties": False,
        "examples": [{"script": "seq 1 10 > numbers.txt\nwc -l numbers.txt"}],
    }
    body = "script"

    def open(self, sandbox: Sandbox, seed: int) -> Session:
        """A folder without files."""
        return ShellSession(sandbox, seed, self._limits)


class ShellSession:
    """Scripts of an episode, each a process of its own in the same folder.

    Args:
        sandbox: Where they run.
        seed: Of the warm interpreter behind them.
        limits: The budget of each script.
    """

    def __init__(self, sandbox: Sandbox, seed: int, limits: Limits) -> None:
        self._sandbox, self._seed, self._limits = sandbox, seed, limits
        self._past: list[str] = []
        self._zygote: Zygote | None = None
        self._owner = os.getpid()

    def run(self, source: str, /) -> Result:
        """Run a script; where there is no process yet, the past ones run first.

        If the sandbox fails (`unavailable`), nothing has happened: try again.
        """
        if self._zygote is None or self._owner != os.getpid():
            self._zygote = self._sandbox.zygote(self._limits, seed=self._seed)
            self._owner = os.getpid()
            missed = self._past
        else:
            missed = []
        for script in (*missed, source):
            result = self._zygote.run(shell=script)
            if result.verdict == "unavailable":
                self.close()
                return result
        self._past.append(source)
        return result

    def close(self) -> None:
        """End the sandbox; the past is kept."""
        zygote, self._zygote = self._zygote, None
        if zygote is not None and self._owner == os.getpid():
            zygote.close()

    def __deepcopy__(self, memo: dict[int, Any]) -> "ShellSession":
        copied = ShellSession(self._sandbox, self._seed, self._limits)
        copied._past = list(self._past)
        return copied
