"""The tool that gives the answer, for models that call a tool for everything."""

from collections.abc import Mapping
from typing import Any

from zerogym.envs.tools.tool import Tool, ToolResult, one_text


class Submit(Tool):
    """Turns its argument into the reply `<answer>...</answer>`, which the environment then gets."""

    name = "submit"
    description = "Gives the final answer."
    parameters = one_text("answer", "the final answer", "...")
    body = "answer"

    def call(self, arguments: Mapping[str, Any], state: Any) -> ToolResult:
        """The reply for the environment."""
        return ToolResult(f"<answer>{arguments['answer']}</answer>")
