"""Running a server: over HTTP until Ctrl-C, or over stdio until the client leaves."""

import asyncio
import errno
import ipaddress
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress

from zerogym.errors import ZerogymError, require
from zerogym.serve.sessions import GRACE, Limits, Sessions
from zerogym.serve.worlds import World


class CannotServe(ZerogymError):
    """A server cannot start; the message names the address and the remedy."""


def serve_http(
    worlds: Sequence[World],
    host: str = "127.0.0.1",
    port: int = 8000,
    token: str | None = None,
    limits: Limits | None = None,
    seed: int | None = None,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve worlds over HTTP, WebSocket and MCP until Ctrl-C or SIGTERM.

    Args:
        worlds: The worlds; the first has its paths at the root, too.
        host: Where the server can be reached; only from this machine by default.
        port: The port, 0 for any that is free.
        token: The secret that requests must show; required where other machines reach the server.
        limits: Limits of the server.
        seed: Seed of the seeds that clients leave to the server; None draws it.
        ready: Called with the address when the port is open.

    Raises:
        CannotServe: If the port is in use, the host has no such address, or a token is missing.
        MissingExtra: If the extra `serve` is not installed.
    """
    uvicorn = require("uvicorn", "serve", "zerogym serve")
    require("websockets", "serve", "zerogym serve")
    require("starlette", "serve", "zerogym serve")
    from zerogym.serve.app import create_app

    limits = limits or Limits()
    loopback = _is_loopback(host)
    if not (loopback or token):
        raise CannotServe(f"other machines reach {host}: a token is required")
    app = create_app(worlds, limits, token, seed, loopback)
    with bound_socket(host, port) as bound:
        shown = f"[{host}]" if ":" in host else host
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            ws="websockets-sansio",
            ws_max_size=limits.message,
            ws_per_message_deflate=False,  # small messages; packing costs more than it saves
            timeout_graceful_shutdown=GRACE,
            limit_concurrency=2 * limits.sessions + 64,  # connections and requests
            server_header=False,
        )
        ready(f"http://{shown}:{bound.getsockname()[1]}")
        uvicorn.Server(config).run(sockets=[bound])


def serve_stdio(world: World, limits: Limits | None = None, seed: int | None = None) -> None:
    """Serve a world to the MCP client that has started this process, until it leaves.

    Args:
        world: The world.
        limits: Limits of the server.
        seed: Seed of the seeds that the client leaves to the server; None draws it.

    Raises:
        MissingExtra: If the extra `serve` is not installed.
    """
    require("mcp_types", "serve", "zerogym serve --mcp")
    from mcp.server.lowlevel import NotificationOptions
    from mcp.server.stdio import stdio_server

    from zerogym.serve.mcp_server import WorldServer

    async def serve() -> None:
        sessions = Sessions([world], limits, seed)
        server = WorldServer(world, sessions, over_stdio=True).server
        try:
            async with stdio_server() as (read, write):
                changing = NotificationOptions(tools_changed=True)
                await server.run(read, write, server.create_initialization_options(changing))
        finally:
            await sessions.close_all()

    asyncio.run(serve())


def _is_loopback(host: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket at an address.

    Raises:
        CannotServe: If the address cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen(2048)  # connections wait for the first moment of the server
    except (OSError, OverflowError) as error:
        bound.close()
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise CannotServe(f"port {port} of {host} is in use: choose another, or 0") from None
        raise CannotServe(f"{host}:{port} cannot be served: {error}") from None
    return bound
