"""The tool that runs Python in a notebook: what a cell defines is there in the next one."""

from collections.abc import Mapping
from typing import Any, ClassVar

from zerogym.envs.tools.interpreters.session import Session, SessionTool
from zerogym.envs.tools.sandbox import Sandbox
from zerogym.envs.tools.sandbox.notebook import Notebook


class NotebookTool(SessionTool):
    """Runs cells of a notebook and shows what they print, and the value of a last expression."""

    name = "notebook"
    description = (
        "Runs a cell of Python (standard library only) and shows what it prints and the value of "
        "its last line. Variables, imports and files stay for the next cell."
    )
    parameters: ClassVar[Mapping[str, Any]] = {
        "type": "object",
        "properties": {"code": {"type": "string", "minLength": 1, "description": "the cell"}},
        "required": ["code"],
        "additionalProperties": False,
        "examples": [{"code": "total = sum(n * n for n in range(10))\ntotal"}],
    }
    body = "code"

    def open(self, sandbox: Sandbox, seed: int) -> Session:
        """A notebook without cells."""
        return Notebook(sandbox, seed=seed, limits=self._limits)
