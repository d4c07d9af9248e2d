"""The tools by name: one line adds a tool."""

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, cast

from zerogym.envs.tools.tool import Tool
from zerogym.errors import UnknownName

TOOLS: dict[str, str] = {
    "calculator": "zerogym.envs.tools.calculator.calculator:Calculator",
    "mcp": "zerogym.envs.tools.mcp.tool:MCPTool",
    "notebook": "zerogym.envs.tools.interpreters.notebook:NotebookTool",
    "open_page": "zerogym.envs.tools.search.tools:OpenPageTool",
    "python": "zerogym.envs.tools.interpreters.python:PythonTool",
    "search": "zerogym.envs.tools.search.tools:SearchTool",
    "shell": "zerogym.envs.tools.interpreters.shell:ShellTool",
    "sql": "zerogym.envs.tools.sql.tool:SQLTool",
    "submit": "zerogym.envs.tools.submit:Submit",
}

ToolLike = Tool | str | tuple[str, Mapping[str, Any]] | Sequence[Any]


def make_tool(tool: ToolLike) -> Tool:
    """Make a tool from a name, or from a pair of a name and arguments.

    A tool that is already one is returned as it is.

    Raises:
        UnknownName: If there is no tool of this name.
        TypeError: If `tool` is something else, or the arguments are not the tool's.

    Example:
        >>> make_tool("calculator").call({"expression": "2 ** 10"}, None).text
        '1024'
    """
    if isinstance(tool, Tool):
        return tool
    match (tool, {}) if isinstance(tool, str) else tool:
        case (str(name), Mapping() as arguments):
            pass
        case _:
            raise TypeError(
                f"a tool is a Tool, a name or a pair (name, arguments), got {tool!r:.100}"
            )
    if name not in TOOLS:
        raise UnknownName("tool", name, list(TOOLS))
    module, _, made = TOOLS[name].partition(":")
    return cast(Tool, getattr(importlib.import_module(module), made)(**arguments))
