"""A world as an MCP server: the `mcp` package speaks the protocol, `mcp_tools.py` does the rest.

Connections of the older protocol, and stdio, have one session each; a client of the protocol of
2026 sends every request alone and names its session, whose `session_id` `start` returns.
"""

from typing import Any

from zerogym import __version__
from zerogym.errors import require
from zerogym.serve.mcp_tools import OWN, SESSION, Result, call_tool, list_tools
from zerogym.serve.openenv import as_refused
from zerogym.serve.session import Refused, Session
from zerogym.serve.sessions import Sessions
from zerogym.serve.worlds import World

STDIO = "stdio"  # the one connection of a process
INSTRUCTIONS = """\
A task of zerogym with an exact score. Call `start`, read the task, then call its tools or `reply`
until the episode has ended."""


class WorldServer:
    """One world for MCP's clients.

    Args:
        world: The world.
        sessions: The sessions of the process.
        over_stdio: Whether this process has one client, on its standard input.

    Attributes:
        server: The `mcp` package's server.
    """

    def __init__(self, world: World, sessions: Sessions, over_stdio: bool = False) -> None:
        self._types = require("mcp_types", "serve", "zerogym serve")
        lowlevel = require("mcp.server.lowlevel", "serve", "zerogym serve")
        self.world, self.sessions, self._over_stdio = world, sessions, over_stdio
        self._of: dict[str, Session] = {}  # by connection
        self.server: Any = lowlevel.Server(
            f"zerogym {world.name}",
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )

    async def _list(self, context: Any, params: Any) -> Any:
        connection = self._connection(context)
        known = self._known(connection)
        session = known or self.sessions.new(self.world)
        try:
            listed = await list_tools(session)
        finally:
            if known is None:
                await self._keep(connection, session)
        tools = [
            self._types.Tool(
                name=each["name"],
                description=each["description"],
                input_schema=each["inputSchema"],
            )
            for each in listed
        ]
        return self._types.ListToolsResult(tools=tools)

    async def _call(self, context: Any, params: Any) -> Any:
        connection, arguments = self._connection(context), params.arguments or {}
        try:
            session = await self._session(connection, params.name, arguments)
            result = await call_tool(session, params.name, arguments, self.sessions.counted)
        except Exception as error:
            result = Result(str(as_refused(error, self.world)), ok=False)
        text = result.text
        if params.name == OWN[0] and result.ok and connection is None:
            text = f"{text}\n\n{SESSION}: {session.key} (name it in every call)"
        return self._types.CallToolResult(
            content=[self._types.TextContent(text=text)],
            structured_content=dict(result.data) or None,
            is_error=not result.ok,
        )

    async def _session(
        self, connection: str | None, tool: str, arguments: dict[str, Any]
    ) -> Session:
        """Return the session that a call names, else that of its connection; `start` opens one.

        Raises:
            Refused: If there is none.
        """
        if arguments.get(SESSION) is not None:
            return self.sessions.get(arguments[SESSION], self.world)
        known = self._known(connection)
        if known is not None:
            return known
        if tool != OWN[0]:
            raise Refused(f"no episode is running: call `start` first, and name its `{SESSION}`")
        session = self.sessions.new(self.world)
        if connection is not None:
            self._of[connection] = session
        return session

    async def _keep(self, connection: str | None, session: Session) -> None:
        """Keep a session for its connection; end it where there is none to keep it for."""
        if connection is None:
            await self.sessions.close(session)
        else:
            self._of[connection] = session

    def _known(self, connection: str | None) -> Session | None:
        # Those that have ended are dropped here, so that the table does not grow.
        self._of = {name: each for name, each in self._of.items() if each.key in self.sessions.open}
        return None if connection is None else self._of.get(connection)

    def _connection(self, context: Any) -> str | None:
        if self._over_stdio:
            return STDIO
        headers = getattr(context.request, "headers", {})
        named = headers.get("mcp-session-id")
        return str(named) if named else None
