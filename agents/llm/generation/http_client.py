"""Concurrent requests to a server of language models, with retries and rate limits.

Transient failures (no connection, a time-out, status 408, 429 or 5xx, half a reply) are retried
after a pause that doubles each time, half of it random ("Exponential Backoff And Jitter", AWS
Architecture Blog, 2015: "equal jitter"), or after the time in `Retry-After`. Refusals are not
retried. The `openai` client is not used (our choice): it bounds neither the bytes of a reply nor
the requests per minute, its pauses follow from no seed, and it lacks vLLM's control interface.
Left out: streaming.
"""

import asyncio
import json
import math
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import numpy as np

from zerogym.agents.llm.models.endpoints import Server
from zerogym.errors import EngineFailed, ServerDown, require

MAX_BYTES = 4_000_000  # of one reply: a server cannot fill the memory
LONGEST_PAUSE = 60.0  # seconds between two attempts, without `Retry-After`
LONGEST_WAIT = 300.0  # seconds of `Retry-After`, beyond which the server counts as down
_TRANSIENT = (408, 425, 429)

Request = tuple[str, str, Any]  # method, path, body


class RequestRefused(EngineFailed):
    """A request that the server refused, with `status` and `code`."""

    def __init__(self, message: str, status: int, code: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class _Transient(Exception):
    """A failure that may pass; `wait` is the server's `Retry-After` in seconds."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


class HTTPClient:
    """A client of one server; may be used from several threads.

    Args:
        server: Its address and limits.
    """

    def __init__(self, server: Server) -> None:
        self._http: Any = require("httpx2", "http", f"the model {server.model!r} of a server")
        self.server = server
        self._name = f"the server {server.address} (model {server.model})"
        self._tls = self._http.create_ssl_context()  # once: it takes a tenth of a second
        self._lock = threading.Lock()
        self._next = 0.0  # when the next request may start, on the monotonic clock

    def get(self, path: str) -> Any:
        """Return the answer to a GET request.

        Raises:
            ServerDown: If there is none after all attempts.
            EngineFailed: If the server refuses.
        """
        return self._run([("GET", path, None)], 0)[0]

    def post(self, path: str, bodies: Sequence[dict[str, Any]], seed: int) -> list[Any]:
        """Return the answers to POST requests in order, a `RequestRefused` for each refusal.

        Args:
            path: Path below the address.
            bodies: JSON objects.
            seed: Seed of the pauses.

        Raises:
            ServerDown: If one has no answer after all attempts.
            EngineFailed: If an answer is too large.
        """
        return self._run([("POST", path, body) for body in bodies], seed)

    def _run(self, requests: Sequence[Request], seed: int) -> list[Any]:
        # A loop of its own, in a thread of its own: the caller may have one (a notebook has), and
        # on Ctrl-C everything that is under way is given up.
        from anyio.from_thread import start_blocking_portal

        with start_blocking_portal("asyncio") as portal:
            return portal.call(self._all, requests, seed)

    async def _all(self, requests: Sequence[Request], seed: int) -> list[Any]:
        concurrent, timeout = self.server.concurrent, self.server.timeout
        places = asyncio.Semaphore(concurrent)
        limits = self._http.Limits(max_connections=concurrent)
        async with self._http.AsyncClient(
            limits=limits, timeout=timeout, verify=self._tls
        ) as client:

            async def one(number: int, request: Request) -> Any:
                async with places:
                    rng = np.random.default_rng((seed, number))
                    return await self._with_retries(client, request, rng)

            tasks = [asyncio.create_task(one(*item)) for item in enumerate(requests)]
            try:
                return await asyncio.gather(*tasks)
            except BaseException:
                # The first failure ends the call: the other replies would cost for nothing.
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                raise

    async def _with_retries(self, client: Any, request: Request, rng: np.random.Generator) -> Any:
        """Send a request until there is an answer, or no attempt is left."""
        attempts = self.server.retries + 1
        reason = ""
        for attempt in range(attempts):
            await self._wait_for_turn()
            try:
                return await self._attempt(client, request)
            except RequestRefused as refusal:
                if request[0] == "GET":
                    raise
                return refusal
            except _Transient as failure:
                reason = str(failure)
                if failure.wait > LONGEST_WAIT:
                    reason += f"; its Retry-After is {failure.wait:.0f} s"
                    break
                pause = min(LONGEST_PAUSE, self.server.backoff * 2.0**attempt)
                pause *= 0.5 + 0.5 * rng.random()
                if failure.wait:  # a limit of one request is one of all
                    with self._lock:
                        self._next = max(self._next, time.monotonic() + failure.wait)
                if attempt + 1 < attempts:
                    await asyncio.sleep(max(pause, failure.wait))
        raise ServerDown(f"{self._name}: {reason} (attempts: {attempt + 1})")

    async def _wait_for_turn(self) -> None:
        """Wait until a request may start."""
        limit = self.server.requests_per_minute
        with self._lock:
            start = max(time.monotonic(), self._next)
            self._next = start + (60 / limit if limit else 0.0)
        await asyncio.sleep(max(0.0, start - time.monotonic()))

    async def _attempt(self, client: Any, request: Request) -> Any:
        """Send a request once."""
        timeout = self.server.timeout
        try:
            async with asyncio.timeout(timeout):
                status, headers, text = await self._exchange(client, *request)
        except (TimeoutError, self._http.TimeoutException):
            raise _Transient(f"no reply within {timeout:g} s") from None
        except self._http.RequestError as error:
            raise _Transient(self._clean(f"{type(error).__name__}: {error}")) from None
        if status != 200:
            message, code = _message(text)
            reason = f"status {status} {self._clean(message)}".strip()
            if status in _TRANSIENT or status >= 500:
                raise _Transient(reason, _seconds(headers.get("retry-after")))
            raise RequestRefused(f"{self._name}: {reason}", status, code)
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise _Transient(f"its reply is not JSON: {self._clean(text)[:80]!r}") from None

    async def _exchange(
        self, client: Any, method: str, path: str, body: Any
    ) -> tuple[int, Any, str]:
        """Return status, headers and text of a reply, whose size is bounded."""
        key = self.server.key
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        content = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(body).encode("ascii")
        address = f"{self.server.address}/{path}"
        read = bytearray()
        async with client.stream(method, address, headers=headers, content=content) as reply:
            async for part in reply.aiter_bytes():
                read += part
                if len(read) > MAX_BYTES:
                    raise EngineFailed(f"{self._name}: a reply is larger than {MAX_BYTES:,} bytes")
            return reply.status_code, reply.headers, read.decode("utf-8", "replace")

    def _clean(self, text: str) -> str:
        """Return a text of the server, shortened and without the key."""
        key = self.server.key
        return " ".join((text.replace(key, "***") if key else text).split())[:200]


def _message(text: str) -> tuple[str, str]:
    """Return the message and the code of an error's body; servers agree on neither."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return text, ""
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return str(error), ""
    return str(error.get("message") or error.get("detail") or error), str(error.get("code"))


def _seconds(retry_after: str | None) -> float:
    """Return the seconds of `Retry-After`, which is a number or a date; 0 if it is neither.

    Example:
        >>> _seconds("2"), _seconds("soon")
        (2.0, 0.0)
    """
    if not retry_after:
        return 0.0
    try:
        wait = float(retry_after)
    except ValueError:
        try:
            until = parsedate_to_datetime(retry_after)
        except ValueError:
            return 0.0
        wait = (until.astimezone(UTC) - datetime.now(UTC)).total_seconds()
    return max(0.0, wait) if math.isfinite(wait) else 0.0
