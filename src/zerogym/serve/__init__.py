"""Tasks over the network: HTTP and WebSocket in OpenEnv's format, MCP for assistants.

Read `worlds.py`, `session.py` and `sessions.py` first, then `openenv.py`, `mcp_tools.py`,
`mcp_server.py`, `documents.py`, `gate.py`, `app.py` and `running.py`. `create_app` of `app.py`
makes the application for a server of your own.
"""

from zerogym.serve.running import CannotServe, serve_http, serve_stdio
from zerogym.serve.sessions import Limits
from zerogym.serve.worlds import NoTextView, World

__all__ = ["CannotServe", "Limits", "NoTextView", "World", "serve_http", "serve_stdio"]
