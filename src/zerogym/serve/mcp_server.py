"""A world as an MCP server: the `mcp` package speaks the protocol, `mcp_tools.py` does the rest.

Connections of the older protocol, and stdio, have one session each; a client of the protocol of
2026 sends every request alone and names its session, whose `session_id` `start` returns.
"""

from contextlib import suppress
from typing import Any

from zerogym import __version__
from zerogym.errors import require
from zerogym.serve.mcp_tools import OWN, SESSION, Result, call_tool, list_tools
from zerogym.serve.openenv import as_refused
from zerogym.serve.session import Refused, Session
from zerogym.serve.sessions import Sessions
from zerogym.serve.worlds import World, dumped

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
        self._example: list[dict[str, Any]] | None = None
        self.server: Any = lowlevel.Server(
            f"zerogym {world.name}",
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )

    async def _list(self, context: Any, params: Any) -> Any:
        session = self._known(self._connection(context))
        listed = await (self._unstarted() if session is None else list_tools(session))
        tools = [
            self._types.Tool(
                name=each["name"],
                description=each["description"],
                input_schema=each["inputSchema"],
            )
            for each in listed
        ]
        return self._types.ListToolsResult(tools=tools)

    async def _unstarted(self) -> list[dict[str, Any]]:
        """Return the tools before an episode: of a world with other tools in each, an example."""
        if self._example is None:
            session = self.sessions.uncounted(self.world)
            try:
                self._example = await list_tools(session)
            finally:
                await session.close()
        return self._example

    async def _call(self, context: Any, params: Any) -> Any:
        connection, arguments = self._connection(context), params.arguments or {}
        try:
            session = self._session(connection, params.name, arguments)
            result = await call_tool(session, params.name, arguments, self.sessions.counted)
            text = result.text
            if params.name == OWN[0] and result.ok:
                text += await self._news(session, context)
                if connection is None:
                    text += f"\n\n{SESSION}: {session.key} (name it in every call)"
        except Exception as error:
            result = Result(str(as_refused(error, self.world)), ok=False)
            text = result.text
        return self._types.CallToolResult(
            content=[self._types.TextContent(text=text)],
            structured_content=dict(result.data) or None,
            is_error=not result.ok,
        )

    async def _news(self, session: Session, context: Any) -> str:
        """Return the descriptions of an episode's tools, if they are not those listed before it."""
        tools = await list_tools(session)
        if tools == await self._unstarted():
            return ""
        if self._over_stdio:
            with suppress(Exception):  # a client that has left, or one that cannot read it
                await context.session.send_tool_list_changed()
        own = [each for each in tools if each["name"] not in OWN]
        return f"\n\nThis episode has tools of its own:\n{dumped(own)}"

    def _session(self, connection: str | None, tool: str, arguments: dict[str, Any]) -> Session:
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
