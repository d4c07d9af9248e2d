"""Tools of MCP servers, for `WithTools`.

Read `connection.py`, then `tool.py`.
"""

from zerogym.envs.tools.mcp.connection import MCPServerFailed
from zerogym.envs.tools.mcp.tool import MCPTool, mcp_tools

__all__ = ["MCPServerFailed", "MCPTool", "mcp_tools"]
