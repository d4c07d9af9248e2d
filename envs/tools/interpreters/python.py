"""The tool that runs a Python program in a sandbox of its own, each time from nothing.

Left out: a seed. A program that draws without one, or shows its clock or user id, differs from run
to run; cells of the `notebook` begin with the episode's seed.
"""

from collections.abc import Mapping
from typing import Any

from zerogym.envs.tools.interpreters.execution import (
    MAX_CHARACTERS,
    check_characters,
    run_for_model,
    shared_sandbox,
)
from zerogym.envs.tools.sandbox import Limits
from zerogym.envs.tools.sandbox.execution.arguments import check_level
from zerogym.envs.tools.sandbox.monty.monty import MISSING
from zerogym.envs.tools.sandbox.result import Level
from zerogym.envs.tools.tool import Tool, ToolResult, one_text


class PythonTool(Tool):
    """Runs a program and shows what it prints.

    Args:
        level: The sandbox's level; at `monty` the description lists what that Python lacks.
        cpu_s: CPU seconds of a call; the clock allows four times as many.
        characters: Most characters of output that are shown, the middle is left out.

    Raises:
        UnknownName: If there is no such level.
        ValueError: If a number is out of its range.
        SandboxUnavailable: At the start of an episode, if this machine cannot hold the level.
    """

    name = "python"
    description = (
        "Runs a Python program (standard library only) and shows what it prints. "
        "Each program starts from nothing."
    )
    parameters = one_text(
        "code", "the program", "print(sum(n * n for n in range(10)))", minLength=1
    )
    body = "code"

    def __init__(
        self, level: Level = "strong", cpu_s: float = 5.0, characters: int = MAX_CHARACTERS
    ) -> None:
        if level == "monty":
            self.description = f"Runs a Python program and shows what it prints. {MISSING}"
        self.sandbox: Level = check_level(level)
        self._characters = check_characters(characters)
        self._limits = Limits(cpu_s=cpu_s, wall_s=4 * cpu_s)

    def new_state(self, seed: int) -> None:
        """Start the sandbox, so that a machine without one is found out here."""
        shared_sandbox(self.sandbox)

    def call(self, arguments: Mapping[str, Any], state: Any) -> ToolResult:
        """Run the program."""
        sandbox = shared_sandbox(self.sandbox)
        return run_for_model(
            lambda: sandbox.run(python=arguments["code"], limits=self._limits), self._characters
        )
