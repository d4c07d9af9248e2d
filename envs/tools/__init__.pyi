from .problem_env import ToolProblemEnv, Turn
from .tool import Tool, ToolResult, one_text

__all__ = [
    "Tool",
    "ToolProblemEnv",
    "ToolResult",
    "Turn",
    "one_text",
]
