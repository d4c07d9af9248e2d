"""The tool that gives the answer, for models that want to call a tool for everything."""

from collections.abc import Mapping
from typing import Any, ClassVar

from zerogym.envs.tools.tool import Tool, ToolResult


class Submit(Tool):
    """Turns its argument into the reply `<answer>...</answer>`, which the environment then gets."""

    name = "submit"
    description = "Gives the final answer."
    parameters: ClassVar[Mapping[str, Any]] = {
        "type": "object",
        "properties": {"answer": {"type": "string", "description": "the final answer"}},
        "required": ["answer"],
        "additionalProperties": False,
        "examples": [{"answer": "..."}],
    }
    body = "answer"

    def call(self, arguments: Mapping[str, Any], state: Any) -> ToolResult:
        """The reply for the environment."""
        return ToolResult(f"<answer>{arguments['answer']}</answer>")
