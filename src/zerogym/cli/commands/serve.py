"""`zerogym serve ID...`: tasks over HTTP, WebSocket and MCP."""

import os
from typing import Annotated

import typer

from zerogym.cli.console import UsageError, err, friendly, usage_errors
from zerogym.cli.names import import_opponents, parse_arguments, typed_id

TOKEN = "ZEROGYM_SERVE_TOKEN"


@friendly
def serve(
    ids: Annotated[
        list[str],
        typer.Argument(metavar="ID...", help="For example countdown; the first is at the root."),
    ],
    mcp: Annotated[
        bool,
        typer.Option(
            "--mcp", help="Serve one ID to the MCP client that starts this command, over stdio."
        ),
    ] = False,
    host: Annotated[str, typer.Option(help="Address; others than loopback need a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8000,
    sessions: Annotated[int, typer.Option(min=1, help="Most sessions at a time.")] = 256,
    idle: Annotated[
        float, typer.Option(min=0.1, help="Seconds without a request that end a session.")
    ] = 900.0,
    max_message: Annotated[int, typer.Option(min=1024, help="Most bytes of a request.")] = 2**20,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the episodes that clients leave to us.")
    ] = None,
    arg: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Argument of the environments; may be repeated."),
    ] = None,
) -> None:
    """Serve tasks to OpenEnv's clients, to WebSocket clients and to assistants that speak MCP.

    The token, which every request has to show, stands in the variable ZEROGYM_SERVE_TOKEN.
    """
    from zerogym.serve import Limits, World, serve_http, serve_stdio

    arguments = parse_arguments(arg or [])
    if isinstance(arguments.get("opponent"), str):
        import_opponents(arguments["opponent"])
    worlds = []
    for name in ids:
        world = World(typed_id(name).rpartition(":")[2], arguments)
        with usage_errors(TypeError, ValueError, prefix=f"{world.id}: "):
            world.check()
        worlds.append(world)
    limits = Limits(sessions, idle, max_message)
    if mcp:
        if len(worlds) > 1:
            raise UsageError("--mcp serves one ID; over HTTP each ID has its own /ID/mcp")
        serve_stdio(worlds[0], limits, seed)
        return

    def ready(address: str) -> None:
        err.print(f"[bold cyan]{', '.join(world.id for world in worlds)}[/]  {address}")
        shown = "with the token" if os.environ.get(TOKEN) else "without a token"
        err.print(f"[dim]WebSocket /ws, HTTP /reset and /step, MCP /mcp, {shown}; Ctrl-C stops[/]")

    with usage_errors(ValueError):
        serve_http(worlds, host, port, os.environ.get(TOKEN) or None, limits, seed, ready)
