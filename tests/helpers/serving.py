"""A server in a thread of the test's process, and a small WebSocket client for it."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from zerogym.serve import World
from zerogym.serve.running import bound_socket


@contextmanager
def running(worlds: Sequence[World], max_message: int = 2**20, **options: Any) -> Iterator[str]:
    """Run an application; yield its `host:port`."""
    import uvicorn

    from zerogym.serve.app import create_app

    app = create_app(worlds, **options)
    config = uvicorn.Config(
        app, log_level="critical", ws="websockets-sansio", ws_max_size=max_message,
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    with bound_socket("127.0.0.1", 0) as bound:
        thread = threading.Thread(target=server.run, args=([bound],))
        thread.start()
        try:
            yield f"127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(60)
            assert not thread.is_alive()


def connect(address: str, path: str = "/ws", **options: Any) -> Any:
    """Open a WebSocket."""
    from websockets.sync.client import connect

    return connect(f"ws://{address}{path}", **options)


def send(socket: Any, message: object) -> dict[str, Any]:
    """Send a message (a `str` as it is) and return the answer."""
    socket.send(message if isinstance(message, str | bytes) else json.dumps(message))
    return json.loads(socket.recv(60))


def reset(socket: Any, **data: Any) -> dict[str, Any]:
    """Start an episode."""
    return send(socket, {"type": "reset", "data": data})["data"]


def step(socket: Any, text: str) -> dict[str, Any]:
    """Play a reply."""
    return send(socket, {"type": "step", "data": {"text": text}})["data"]


def request(
    address: str, path: str, body: object = None, method: str | None = None, **headers: str
) -> tuple[int, Any]:
    """Send a request over HTTP; return the status and the body, parsed where it is JSON."""
    data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    made = urllib.request.Request(f"http://{address}{path}", data, named, method=method)
    try:
        with urllib.request.urlopen(made, timeout=60) as response:
            status, raw = response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        status, raw = error.code, error.read().decode()
    return status, json.loads(raw) if raw.startswith("{") else raw


def metric(address: str, name: str) -> int:
    """Return one of the server's counts."""
    lines = dict(
        line.split() for line in request(address, "/metrics")[1].splitlines() if line[0] != "#"
    )
    return int(lines[f"zerogym_{name}"])
