from .problem_env import ToolProblemEnv
from .tool import Tool, ToolResult, one_text

__all__ = [
    "Tool",
    "ToolProblemEnv",
    "ToolResult",
    "one_text",
]
