"""The application: OpenEnv's paths and MCP on one port, for each world.

The first world has its paths at the root, every world under its name:

| path | method | what it does |
|---|---|---|
| `/ws` | WebSocket | a session: messages of `openenv.py` |
| `/reset`, `/step`, `/state`, `/close` | POST (`/state`: GET) | a session over plain HTTP |
| `/schema`, `/metadata`, `/openapi.json` | GET | forms of actions and observations; what it is |
| `/mcp` | MCP's streamable HTTP | tools for assistants |
| `/health`, `/metrics` | GET, at the root only | whether it serves; counts in Prometheus' format |
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from zerogym.serve import documents, openenv
from zerogym.serve.gate import Gate
from zerogym.serve.mcp_server import WorldServer
from zerogym.serve.session import Refused
from zerogym.serve.sessions import Limits, Sessions
from zerogym.serve.worlds import World, dumped

COUNTED = ("sessions", "episodes", "steps", "errors", "refused_full", "closed_idle")


def create_app(
    worlds: Sequence[World],
    limits: Limits | None = None,
    token: str | None = None,
    seed: int | None = None,
    loopback: bool = True,
) -> Starlette:
    """Make the application, for a server of your own; `serve_http` runs it.

    Args:
        worlds: The worlds, each once; the first has its paths at the root, too.
        limits: Limits of the server.
        token: The secret that every request except `/health` must show, None for none.
        seed: Seed of the seeds that clients leave to the server; None draws it.
        loopback: Whether only this machine can reach the server; then requests with the name of
            another host are refused, which pages in a browser could send.

    Raises:
        MissingExtra: If the extra `serve` is not installed.
        ValueError: If there is no world, or one twice.
    """
    limits = limits or Limits()
    sessions = Sessions(worlds, limits, seed)
    servers = [WorldServer(world, sessions) for world in worlds]
    mcp_apps = [
        each.server.streamable_http_app(
            json_response=True,
            session_idle_timeout=limits.idle,
            max_sessions=limits.sessions,
            max_request_body_size=limits.message,
            host="",  # the gate checks the names of hosts
        )
        for each in servers
    ]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for each in servers:
                await stack.enter_async_context(each.server.session_manager.run())
            idle = asyncio.create_task(sessions.close_idle())
            try:
                yield
            finally:
                idle.cancel()
                with suppress(asyncio.CancelledError):
                    await idle
                await sessions.close_all()

    pairs = list(zip(worlds, mcp_apps, strict=True))
    routes: list[BaseRoute] = [
        Route("/health", lambda request: _json({"status": "healthy"})),
        Route("/metrics", lambda request: PlainTextResponse(_metrics(sessions))),
    ]
    routes += [Mount(f"/{world.name}", routes=_routes(world, sessions, m)) for world, m in pairs]
    routes += _routes(*pairs[0][:1], sessions, pairs[0][1])
    return Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(Gate, token=token, loopback=loopback)],
    )


def _routes(world: World, sessions: Sessions, mcp_app: Starlette) -> list[BaseRoute]:
    """Return the paths of a world."""

    def handler(
        play: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]],
    ) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            try:
                raw = await _body(request, sessions.limits)
                data = openenv.parsed(raw) if raw.strip() else dict(request.query_params)
                return _json(await play(data))
            except Exception as error:
                refused = openenv.as_refused(error, world)
                sessions.counted["errors"] += 1
                return _json({"detail": str(refused), "code": refused.code}, refused.status)

        return handle

    async def reset(data: dict[str, Any]) -> dict[str, Any]:
        key = data.get("session_id")
        session = sessions.new(world) if key is None else sessions.get(key, world)
        try:
            done = await openenv.reset(session, data)
        except BaseException:
            if key is None:
                await sessions.close(session)
            raise
        sessions.counted["episodes"] += 1
        return done

    async def step(data: dict[str, Any]) -> dict[str, Any]:
        done = await openenv.step(sessions.get(data.get("session_id"), world), data.get("action"))
        sessions.counted["steps"] += 1
        return done

    async def state(data: dict[str, Any]) -> dict[str, Any]:
        return sessions.get(data.get("session_id"), world).state

    async def close(data: dict[str, Any]) -> dict[str, Any]:
        await sessions.close(sessions.get(data.get("session_id"), world))
        return {"closed": True}

    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        with suppress(WebSocketDisconnect, RuntimeError):  # RuntimeError: the client has left
            await _converse(websocket, world, sessions)
            await websocket.close()

    return [
        Route("/reset", handler(reset), methods=["POST"]),
        Route("/step", handler(step), methods=["POST"]),
        Route("/state", handler(state), methods=["GET"]),
        Route("/close", handler(close), methods=["POST"]),
        Route("/schema", lambda request: _json(documents.schema())),
        Route("/openapi.json", lambda request: _json(documents.openapi(world))),
        Route("/metadata", lambda request: _json(documents.metadata(world))),
        WebSocketRoute("/ws", socket),
        *mcp_app.routes,
    ]


async def _converse(websocket: WebSocket, world: World, sessions: Sessions) -> None:
    """Answer messages until the client closes, leaves, or sends nothing for too long."""
    try:
        session = sessions.new(world)
    except Refused as full:
        data = {"message": str(full), "code": full.code}
        await websocket.send_text(dumped({"type": "error", "data": data}))
        return
    try:
        while True:
            try:
                async with asyncio.timeout(sessions.limits.idle):
                    raw = await websocket.receive_text()
            except KeyError:  # a binary message
                raw = ""
            except TimeoutError:
                await sessions.expire(session)
                message = f"no message for {sessions.limits.idle:g} s: the session has ended"
                data = {"message": message, "code": "SESSION_ERROR"}
                await websocket.send_text(dumped({"type": "error", "data": data}))
                return
            answer = await openenv.answer(raw, session, sessions)
            if answer is None:
                return
            await websocket.send_text(dumped(answer))
    finally:
        await sessions.close(session)


async def _body(request: Request, limits: Limits) -> bytes:
    """Read the body of a request.

    Raises:
        Refused: If it has more bytes than the limit, or does not end in time.
    """
    parts, size = [], 0
    try:
        async with asyncio.timeout(limits.idle):
            async for part in request.stream():
                size += len(part)
                if size > limits.message:
                    reason = f"a request has at most {limits.message} bytes"
                    raise Refused(reason, "VALIDATION_ERROR", 413)
                parts.append(part)
    except TimeoutError:
        raise Refused("the request did not end in time", "SESSION_ERROR", 408) from None
    return b"".join(parts)


def _json(value: Any, status: int = 200) -> Response:
    return Response(dumped(value), status, media_type="application/json")


def _metrics(sessions: Sessions) -> str:
    lines = ["# TYPE zerogym_sessions gauge", f"zerogym_sessions {len(sessions.open)}"]
    for name in COUNTED:
        full = f"zerogym_{name}_total"
        lines += [f"# TYPE {full} counter", f"{full} {sessions.counted[name]}"]
    return "\n".join(lines) + "\n"
