"""A tool of an MCP server as a `Tool`.

What a server lists is not trusted: of its schemas only names, types, choices and descriptions are
kept, so that no pattern and no reference of a schema can cost time. The server checks the rest, and
its words come back as the result.

Left out: snapshots of what the server remembers; after `set_state` it goes on from where it was.
Nothing is drawn from the episode's seed.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from zerogym.envs.tools.calls.showing import cut, plain
from zerogym.envs.tools.mcp.connection import Connection, MCPServerFailed
from zerogym.envs.tools.tool import Tool, ToolResult

MAX_TEXT = 8192  # characters of a result
_MAX_DESCRIPTION = 1000
_MAX_ARGUMENTS = 64
_TYPES = ("string", "integer", "number", "boolean", "array", "object")


class MCPTool(Tool):
    """One tool of an MCP server, in the toolbox as `mcp`.

    A server that dies or does not answer gives a result that says so, and is started again by the
    next call. If it cannot be started the tool is unavailable, and the episode does not count.

    Args:
        server: A command, as a line or a list of words, or a URL. A name that a recorded file holds
            starts nothing (`envs/recorded.py`).
        tool: The server's name of the tool.
        timeout: Seconds that starting the server, and each call, may take.
        token_from: The environment variable with the token for a URL.

    Raises:
        MCPServerFailed: If the server does not start, or has no such tool.

    Example:
        `WithTools(env, [("mcp", {"server": "python my_server.py", "tool": "lookup"})])`
    """

    def __init__(
        self,
        server: str | Sequence[str],
        tool: str,
        timeout: float = 30.0,
        token_from: str | None = None,
    ) -> None:
        self._connection = Connection(server, timeout, token_from)
        listed = {each.name: each for each in self._connection.tools()}
        if tool not in listed:
            self._connection.close()
            known = ", ".join(sorted(listed)[:20]) or "none"
            raise MCPServerFailed(
                f"{self._connection.name} has no tool {tool!r:.80}; it has: {known}"
            )
        self._describe(listed[tool])

    @classmethod
    def of(cls, connection: Connection, listed: Any) -> "MCPTool":
        """Make a tool from its entry in the server's list."""
        made = cls.__new__(cls)
        made._connection = connection
        made._describe(listed)
        return made

    def _describe(self, listed: Any) -> None:
        self._tool = listed.name
        # Each tool has a name of its own, where most have one a class.
        self.name = tool_name(listed.name)  # type: ignore[misc]
        self.description = plain(listed.description or "A tool of a server.")[:_MAX_DESCRIPTION]
        self.parameters = plain_schema(listed.input_schema)  # type: ignore[misc]
        names = list(self.parameters["properties"])
        texts = [n for n in names if self.parameters["properties"][n].get("type") == "string"]
        needed = [n for n in texts if n in self.parameters["required"]]
        self.body = next(iter([*needed, *texts, *names]), "")  # type: ignore[misc]

    def call(self, arguments: Mapping[str, Any], state: Any) -> ToolResult:
        """Run the call on the server."""
        try:
            result = self._connection.call(self._tool, arguments)
        except MCPServerFailed as error:
            return ToolResult(f"Error: {error}", ok=False, unavailable=True)
        except TimeoutError as error:
            return ToolResult(f"Error: {error}. The server was ended.", ok=False)
        except Exception as error:
            if _is_closed(error):
                self._connection.close()
                return ToolResult("Error: the server has ended during the call.", ok=False)
            return ToolResult(cut(plain(f"Error: {_message(error)}"), 500), ok=False)
        return ToolResult(text_of(result), ok=not result.is_error)

    def close(self) -> None:
        """End the connection; the next call makes a new one."""
        self._connection.close()


def mcp_tools(
    server: str | Sequence[str],
    names: Sequence[str] | None = None,
    timeout: float = 30.0,
    token_from: str | None = None,
) -> list[MCPTool]:
    """Return the tools of an MCP server, which share one connection.

    Args:
        server: A command, as a line or a list of words, or a URL.
        names: The server's names of the tools to take; None takes all.
        timeout: Seconds that starting the server, and each call, may take.
        token_from: The environment variable with the token for a URL.

    Raises:
        MCPServerFailed: If the server does not start, has no such tool, or has tools that cannot
            have names of their own here.
        MissingExtra: If the extra `serve` is not installed.

    Example:
        `WithTools(env, mcp_tools("python my_server.py"))`
    """
    connection = Connection(server, timeout, token_from)
    listed = {each.name: each for each in connection.tools()}
    missing = [name for name in names or () if name not in listed]
    taken = [listed[name] for name in (listed if names is None else names) if name in listed]
    shared = len({tool_name(each.name) for each in taken}) < len(taken)
    if missing or shared or not taken:
        connection.close()
        reason = f"has no tool {missing[0]!r:.80}" if missing else "has no tools"
        raise MCPServerFailed(
            f"{connection.name} {'has two tools with one name' if shared else reason}; it has: "
            f"{_known(listed)}"
        )
    return [MCPTool.of(connection, each) for each in taken]


def tool_name(name: str) -> str:
    """Return a tool's name with the characters that names have here.

    Example:
        >>> tool_name("getWeather-now"), tool_name("2nd")
        ('getweather_now', 'tool_2nd')
    """
    kept = re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_")[:34]
    return kept if kept[:1].isalpha() else f"tool_{kept}"


def plain_schema(schema: object) -> dict[str, Any]:
    """Return the names, types, choices and descriptions of a schema of arguments.

    Example:
        >>> plain_schema({"properties": {"q": {"type": "string", "pattern": "(a+)+$"}}})
        {'type': 'object', 'properties': {'q': {'type': 'string'}}, 'required': []}
    """
    given = schema if isinstance(schema, Mapping) else {}
    properties = given.get("properties")
    found: dict[str, Any] = {}
    for name, rules in properties.items() if isinstance(properties, Mapping) else ():
        if len(found) < _MAX_ARGUMENTS and isinstance(name, str) and len(name) <= 100:
            found[name] = _plain_rules(rules if isinstance(rules, Mapping) else {})
    required = given.get("required")
    needed = [name for name in required if name in found] if isinstance(required, list) else []
    return {"type": "object", "properties": found, "required": needed}


def _plain_rules(rules: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    if rules.get("type") in _TYPES:
        kept["type"] = rules["type"]
    choices = rules.get("enum")
    if isinstance(choices, list) and 0 < len(choices) <= _MAX_ARGUMENTS:
        kept["enum"] = choices
    if isinstance(rules.get("description"), str):
        kept["description"] = plain(rules["description"])[:_MAX_DESCRIPTION]
    return kept


def text_of(result: Any) -> str:
    """Return the text of a result, cut; other content is named by its kind."""
    parts = []
    for part in result.content[:64]:
        text = getattr(part, "text", None)
        shown = text if isinstance(text, str) else f"[{getattr(part, 'type', 'content')}]"
        parts.append(shown)
    if not parts and result.structured_content is not None:
        parts.append(json.dumps(result.structured_content, ensure_ascii=False))
    return plain(cut("\n".join(parts), MAX_TEXT))


def _known(listed: Mapping[str, Any]) -> str:
    return cut(", ".join(sorted(listed)[:20]) or "none", 500)


def _is_closed(error: Exception) -> bool:
    from mcp_types import CONNECTION_CLOSED

    closed = type(error).__name__ in ("ClosedResourceError", "BrokenResourceError")
    return closed or getattr(error, "code", None) == CONNECTION_CLOSED


def _message(error: Exception) -> str:
    said = getattr(error, "message", None)
    return said if isinstance(said, str) else f"the server's result cannot be read: {error}"
