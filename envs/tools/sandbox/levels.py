"""The levels of the sandbox, from the strongest down, and how each runs a call."""

from zerogym.envs.tools.sandbox.execution.execute import Call, execute
from zerogym.envs.tools.sandbox.kernel.bubblewrap import find_programs
from zerogym.envs.tools.sandbox.result import Level, Result
from zerogym.envs.tools.sandbox.unprivileged.landlock import execute_landlock
from zerogym.envs.tools.sandbox.unprivileged.unsafe_local import execute_unsafe

# Level `unsafe-local` holds nothing, so nothing is checked for it.
ISOLATING: tuple[Level, ...] = ("strong", "landlock", "monty")


def execute_at(level: Level, call: Call) -> Result:
    """Run a command at a level; `monty` has none."""
    if level == "strong":
        return execute(find_programs(), call)
    run = {"landlock": execute_landlock, "unsafe-local": execute_unsafe}
    return run[level](call)
