"""The base of tools with a process that stays from call to call."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

from zerogym.envs.tools.interpreters.execution import (
    MAX_CHARACTERS,
    check_characters,
    run_for_model,
    shared_sandbox,
)
from zerogym.envs.tools.sandbox import Limits, Result, Sandbox
from zerogym.envs.tools.sandbox.result import Level
from zerogym.envs.tools.tool import Tool, ToolResult


class Session(Protocol):
    """The state of an episode; `copy.deepcopy` gives one with the same past and no process."""

    def run(self, source: str, /) -> Result:
        """Run the next source."""
        ...

    def close(self) -> None:
        """End the process; the past is kept."""
        ...


class SessionTool(Tool):
    """Runs sources one after another in a session that belongs to the episode.

    A copy of the state repeats the past when it is first used. At most one process is open: that of
    the state which was called last.

    Args:
        cpu_s: CPU seconds of a call; the clock allows four times as many.
        characters: Most characters of output that are shown, the middle is left out.

    Raises:
        ValueError: If a number is out of its range.
        SandboxUnavailable: At the start of an episode, if this machine cannot hold the sandbox.
    """

    sandbox: Level = "strong"

    def __init__(self, cpu_s: float = 5.0, characters: int = MAX_CHARACTERS) -> None:
        self._limits = Limits(cpu_s=cpu_s, wall_s=4 * cpu_s)
        self._characters = check_characters(characters)
        self._live: Session | None = None

    @abstractmethod
    def open(self, sandbox: Sandbox, seed: int) -> Session:
        """Make a session without a past."""

    def new_state(self, seed: int) -> Session:
        """Make a session for an episode; its process starts with the first call."""
        self.close()
        return self.open(shared_sandbox(self.sandbox), seed)

    def call(self, arguments: Mapping[str, Any], state: Session) -> ToolResult:
        """Run a source after all those before it."""
        if state is not self._live:
            self.close()
            self._live = state
        return run_for_model(lambda: state.run(arguments[self.body]), self._characters)

    def close(self) -> None:
        """End the process."""
        if self._live is not None:
            self._live.close()
        self._live = None
