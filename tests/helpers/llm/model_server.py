"""A server of a language model on this machine, for tests: with scripted answers."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """One answer; a `body` that is no text is written as JSON."""

    body: Any = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0  # of silence before it
    hang_up: bool = False  # close the connection without a word


@dataclass(frozen=True)
class Request:
    """One request."""

    path: str
    body: Any
    authorization: str | None


Script = Callable[[Request], Answer]


class FakeServer:
    """Answers by a script; `address` ends with /v1, `requests` holds all requests."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[Request] = []
        self.stopped = threading.Event()
        self._lock = threading.Lock()
        self.busy = 0  # requests without an answer yet
        self.busiest = 0

    def start(self) -> None:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                fake.answer(self, None)

            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                fake.answer(self, json.loads(self.rfile.read(length)))

            def log_message(self, *words: Any) -> None: ...

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.http.server_address[1]}/v1"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        if not self.stopped.is_set():
            self.stopped.set()
            self.http.shutdown()
            self.http.server_close()

    def answer(self, handler: Any, body: Any) -> None:
        request = Request(handler.path, body, handler.headers.get("Authorization"))
        with self._lock:
            self.requests.append(request)
            self.busy += 1
            self.busiest = max(self.busiest, self.busy)
        answer = self.script(request)
        self.stopped.wait(answer.seconds)
        with self._lock:
            self.busy -= 1
        if answer.hang_up:
            handler.close_connection = True
            return
        text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        data = text.encode("utf-8")
        try:
            handler.send_response(answer.status)
            for name, value in answer.headers.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            handler.wfile.write(data)
        except OSError:
            handler.close_connection = True  # the client did not wait


@contextmanager
def serving(script: Script) -> Iterator[FakeServer]:
    """A server that runs while the block does."""
    server = FakeServer(script)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def message(text: str | None, finish: str = "stop", usage: tuple[int, int] = (7, 3)) -> Answer:
    """A reply of `/chat/completions`."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
    counts = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return Answer({"choices": [choice], "usage": counts})
