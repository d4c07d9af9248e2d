"""What a cell gave, in words for the policy: cut to a bounded length, the same on every machine."""

from zerogym.envs.tools.sandbox import Limits, Result

MAX_SHOWN = 4000  # characters
_HEAD = 2600


def show(result: Result, limits: Limits) -> str:
    """Output, errors, and why the cell was ended, if it was."""
    parts = [result.stdout, result.stderr, _verdict(result, limits)]
    return cut("\n".join(part.rstrip("\n") for part in parts if part)) or "(no output)"


def cut(text: str) -> str:
    """A text without its middle if it is longer than `MAX_SHOWN`.

    Example:
        >>> len(cut("x" * 5000)), cut("x" * 5000)[2590:2640]
        (4033, 'xxxxxxxxxx\\n... (1000 characters left out) ...\\nxxxx')
    """
    if len(text) <= MAX_SHOWN:
        return text
    gone = len(text) - MAX_SHOWN
    tail = MAX_SHOWN - _HEAD
    return f"{text[:_HEAD]}\n... ({gone} characters left out) ...\n{text[-tail:]}"


def _verdict(result: Result, limits: Limits) -> str:
    """Without the numbers that a machine measured, which differ from run to run."""
    return {
        "time": f"(The cell was stopped: more than {limits.cpu_s:g} CPU seconds.)",
        "memory": f"(The cell was stopped: more than {limits.memory_mib} MiB of memory or "
        f"{limits.disk_mib} MiB of files.)",
        "output": "(The cell was stopped: it printed too much.)",
        "killed": "(The cell was killed.)",
    }.get(result.verdict, "")
