"""Calls of a function that a model wrote, in the sandbox.

Only inputs go in. The expected outputs are never in the sandbox, so that a program cannot find them
there: whatever it prints, patches or reads, it has to compute the right outputs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from zerogym.envs.tools.code_triplet.inputs import Arguments, written_arguments
from zerogym.envs.tools.interpreters.execution import run_or_again
from zerogym.envs.tools.sandbox import Limits, Sandbox
from zerogym.errors import SandboxUnavailable

LIMITS = Limits(
    cpu_s=2, wall_s=10, memory_mib=128, disk_mib=8, files=64, processes=4, open_files=64,
    output_kib=64,
)  # fmt: skip
RETURNED, RAISED = "= ", "! "
# In one file with the program, which every level of the sandbox can run. The lines come last, so a
# program may print what it likes.
_CALLER = """

_written = []
for _arguments in [
{inputs}
]:
    try:
        _written.append({returned!r} + repr(f(*_arguments)))
    except Exception as _error:
        _written.append({raised!r} + type(_error).__name__)
print("\\n" + "\\n".join(_written))
"""


@dataclass(frozen=True)
class Calls:
    """The results of calling a function.

    Attributes:
        outputs: For each input the `repr` of the output, or None if there is none.
        reason: Message why outputs are missing; empty if none is.
    """

    outputs: tuple[str | None, ...]
    reason: str = ""


def call(sandbox: Sandbox, source: str, inputs: Sequence[Arguments]) -> Calls:
    """Define `f` by a program that is not trusted, and call it on each input.

    Args:
        sandbox: Where it runs; each time anew.
        source: The program.
        inputs: The arguments of each call: integers, texts, lists.

    Raises:
        SandboxUnavailable: If the sandbox itself fails, twice, whatever the program is.
    """
    listed = "\n".join(f"    ({written_arguments(arguments)},)," for arguments in inputs)
    whole = source + _CALLER.format(inputs=listed, returned=RETURNED, raised=RAISED)
    result = run_or_again(lambda: sandbox.run(python=whole, limits=LIMITS))
    if result.verdict == "unavailable":
        raise SandboxUnavailable(result.reason)
    count = len(inputs)
    nothing: tuple[None, ...] = (None,) * count
    if result.verdict == "error":
        message = result.stderr.strip().rpartition("\n")[2][:200]
        return Calls(nothing, f"it fails: {message or result.reason}")
    if result.verdict != "ok":
        return Calls(nothing, f"it was ended: {result.reason}")
    lines = result.stdout.removesuffix("\n").split("\n")[-count:]
    if len(lines) < count or not all(line[:2] in (RETURNED, RAISED) for line in lines):
        return Calls(nothing, "it ends before all calls are made")
    found = tuple(line[2:] if line.startswith(RETURNED) else None for line in lines)
    raised = next((line[2:] for line in lines if line.startswith(RAISED)), "")
    return Calls(found, f"f raises {raised[:100]}" if raised else "")
