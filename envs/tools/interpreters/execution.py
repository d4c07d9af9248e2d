"""Shared parts of tools that run programs: a sandbox of the process, and results in words."""

import os
from collections.abc import Callable
from functools import lru_cache

from zerogym.envs.tools.calls.showing import cut
from zerogym.envs.tools.sandbox import Result, Sandbox
from zerogym.envs.tools.sandbox.result import Level
from zerogym.envs.tools.tool import ToolResult

MAX_CHARACTERS = 4000  # of what a call shows, by default
_STOPPED = {
    "time": "Stopped: it took too long",
    "memory": "Stopped: it used too much memory",
    "output": "Stopped: it printed too much",
    "killed": "Stopped: it was killed",
}


def shared_sandbox(level: Level) -> Sandbox:
    """Return the sandbox of this process and level; a sandbox keeps nothing from call to call.

    Raises:
        SandboxUnavailable: If this machine cannot hold the level.
    """
    return _sandbox(level, os.getpid())


@lru_cache(maxsize=8)
def _sandbox(level: Level, process: int) -> Sandbox:
    return Sandbox(level=level)


def check_characters(characters: int) -> int:
    """Return a number of characters to show, if it is one; raises ValueError."""
    if isinstance(characters, bool) or not isinstance(characters, int) or characters < 1:
        raise ValueError(f"characters must be an int >= 1, got {characters!r}")
    return characters


def run_or_again(run: Callable[[], Result]) -> Result:
    """Run a program, and once more if the sandbox fails."""
    result = run()
    return run() if result.verdict == "unavailable" else result


def run_for_model(run: Callable[[], Result], characters: int) -> ToolResult:
    """Run a program and show what it printed; a failure of the sandbox is tried once more."""
    result = run_or_again(run)
    if result.verdict == "unavailable":
        return ToolResult("The tool is not available.", ok=False, unavailable=True)
    return ToolResult(in_words(result, characters), result.verdict == "ok", result.cpu_s)


def in_words(result: Result, characters: int) -> str:
    """Show what was printed (standard output, then errors), cut in the middle, and what stopped it.

    `characters` bounds what was printed; the words around it take some 200 more.
    """
    out, err = result.stdout.rstrip("\n"), result.stderr.rstrip("\n")
    printed = cut("\n".join(part for part in (out, err) if part), characters)
    lines = [printed] if printed else []
    if result.verdict in _STOPPED:
        reason = f" ({result.reason[:100]})" if result.reason else ""
        lines.append(f"{_STOPPED[result.verdict]}{reason}.")
    elif "lost" in result.reason:
        lines.append(f"The interpreter has ended ({result.reason[:100]}).")
    elif not printed and result.verdict == "error":
        lines.append(f"It failed without a message ({result.reason[:100]}).")
    elif not printed:
        lines.append("(no output: print what you want to see)")
    return "\n".join(lines)
