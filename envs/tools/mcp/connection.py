"""A connection to an MCP server that may die, hang or send nonsense: every call ends in time.

The `mcp` package is asynchronous, tools are not: each connection has a thread of its own. A server
that was started by a command gets none of this process's environment but `HOME`, `PATH` and their
like, and what it writes to its standard error is dropped.

Left out: a limit of the memory that one message of the server takes; resources, prompts and
requests of the server to its client, which are refused.
"""

import asyncio
import contextlib
import os
import shlex
import subprocess
import threading
import weakref
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, TypeVar

from zerogym.errors import ZerogymError, require

ResultT = TypeVar("ResultT")
MAX_TOOLS = 128
_PAGES = 16  # of a list of tools
_MARGIN = 8.0  # seconds beyond the limit that ending a process may take


class MCPServerFailed(ZerogymError):
    """An MCP server did not start, or its tools cannot be used; the message names the server."""


class Connection:
    """A connection, made when it is used first and again after it was lost.

    Args:
        server: A command, as a line or as a list of words, or a URL of the streamable HTTP
            transport.
        timeout: Seconds that starting, listing and each call may take.
        token_from: The environment variable with the token that a URL gets as `Bearer`.

    Raises:
        ValueError: If there is no command, or `timeout` is not above 0.
        MissingExtra: If the extra `serve` is not installed.
    """

    def __init__(
        self, server: str | Sequence[str], timeout: float = 30.0, token_from: str | None = None
    ) -> None:
        require("mcp_types", "serve", "a tool of an MCP server")
        self._server = server
        self.is_url = isinstance(server, str) and server.startswith(("http://", "https://"))
        self.words = shlex.split(server) if isinstance(server, str) else [*server]
        if not self.words or not 0 < timeout < 86_400:
            raise ValueError(f"an MCP server has a command and a timeout above 0, got {server!r}")
        self.timeout, self.token_from = timeout, token_from
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: Any = weakref.finalize(self, lambda: None)

    def __reduce__(self) -> tuple[Any, ...]:  # a copy, in a spec for example, is not open
        return type(self), (self._server, self.timeout, self.token_from)

    @property
    def name(self) -> str:
        """The server as messages name it: what it runs, without what a URL may hide."""
        shown = self.words[0].partition("?")[0] if self.is_url else shlex.join(self.words)
        return f"the MCP server {shown!r:.120}"

    def tools(self) -> list[Any]:
        """Return the tools that the server lists, as the `mcp` package describes them.

        Raises:
            MCPServerFailed: If it does not start or answer, or lists more than 128.
        """
        try:
            return self._run(self._listed())
        except MCPServerFailed:
            raise
        except Exception as error:
            self.close()
            raise MCPServerFailed(f"{self.name} does not list its tools: {_said(error)}") from None

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Return the server's result of a call.

        Raises:
            MCPServerFailed: If the server does not start.
            TimeoutError: If it does not answer; it is ended.
            Exception: Of the `mcp` package, where the server refuses or sends nonsense.
        """
        return self._run(self._called(tool, arguments))

    def close(self) -> None:
        """End the connection, and the server that it has started."""
        self._stop()
        self._client = self._loop = None

    async def _listed(self) -> list[Any]:
        found: list[Any] = []
        cursor = None
        for _ in range(_PAGES):
            page = await self._client.list_tools(cursor=cursor)
            found += page.tools
            cursor = page.next_cursor
            if not cursor or len(found) > MAX_TOOLS:
                break
        if cursor or len(found) > MAX_TOOLS:
            raise MCPServerFailed(f"{self.name} lists more than {MAX_TOOLS} tools")
        return found

    async def _called(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        return await self._client.call_tool(tool, dict(arguments))

    def _run(self, work: Coroutine[Any, Any, ResultT]) -> ResultT:
        """Run a coroutine in the thread of the connection, for at most the limit of time."""
        try:
            if self._client is None:
                self._open()
        except BaseException:
            work.close()
            raise
        assert self._loop is not None
        running = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return running.result(self.timeout)
        except (FutureTimeout, TimeoutError, CancelledError):
            running.cancel()
            self.close()
            raise TimeoutError(f"no answer in {self.timeout:g} s") from None

    def _open(self) -> None:
        """Start the thread, which opens the connection and keeps it open.

        Raises:
            MCPServerFailed: If the server does not start.
        """
        self.close()
        ready = threading.Event()
        outcome: dict[str, Any] = {}

        async def keep() -> None:
            stop = asyncio.Event()
            outcome["loop"], outcome["stop"] = asyncio.get_running_loop(), stop
            try:
                async with asyncio.timeout(self.timeout), contextlib.AsyncExitStack() as stack:
                    outcome["client"] = await stack.enter_async_context(await self._made(stack))
                    entered = stack.pop_all()
            except BaseException as error:
                outcome["error"] = error
                return
            ready.set()
            with contextlib.suppress(BaseException):  # whatever its end is, the thread ends
                async with entered:
                    await stop.wait()

        def run() -> None:
            with contextlib.suppress(BaseException):
                asyncio.run(keep())
            ready.set()

        thread = threading.Thread(target=run, name="zerogym-mcp", daemon=True)
        thread.start()
        ready.wait(self.timeout + _MARGIN)
        if "client" not in outcome or "error" in outcome:
            raise MCPServerFailed(f"{self.name} did not start: {_said(outcome.get('error'))}")
        self._client, self._loop = outcome["client"], outcome["loop"]
        self._stop = weakref.finalize(self, _end, outcome["loop"], outcome["stop"], thread)

    async def _made(self, stack: contextlib.AsyncExitStack) -> Any:
        from mcp import Client, StdioServerParameters
        from mcp.client.stdio import stdio_client
        from mcp.client.streamable_http import streamable_http_client
        from mcp.shared._httpx_utils import create_mcp_http_client

        if self.is_url:
            token = os.environ.get(self.token_from or "")
            headers = {"Authorization": f"Bearer {token}"} if token else None
            http = await stack.enter_async_context(create_mcp_http_client(headers=headers))
            return Client(streamable_http_client(self.words[0], http_client=http))
        command = StdioServerParameters(command=self.words[0], args=self.words[1:])
        return Client(stdio_client(command, errlog=subprocess.DEVNULL))


def _end(loop: asyncio.AbstractEventLoop, stop: asyncio.Event, thread: threading.Thread) -> None:
    with contextlib.suppress(RuntimeError):  # the loop has ended by itself
        loop.call_soon_threadsafe(stop.set)
    thread.join(_MARGIN)


def _said(error: BaseException | None) -> str:
    """Return what an error of the library says, of a group its first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if error is None or isinstance(error, TimeoutError):
        return "it does not answer in time"
    return f"{type(error).__name__}: {error}"[:300]
