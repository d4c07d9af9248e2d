"""Requests to a server of language models: many at once, again where they fail, within its limits.

What may pass by itself (no connection, a time-out, status 408, 429 or 5xx, half a reply) is asked
again after a pause that doubles each time, half of it drawn at random ("Exponential Backoff And
Jitter", AWS Architecture Blog, 2015: "equal jitter"), or as long as `Retry-After` says. What the
server refuses is not. Left out: streaming.
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
LONGEST_PAUSE = 60.0  # seconds between two attempts, if the server does not ask for more
LONGEST_WAIT = 300.0  # seconds that a server may ask us to wait
_PASSING = (408, 425, 429)


class RequestRefused(EngineFailed):
    """The server understood, and will not: `status` and `code` say why."""

    def __init__(self, message: str, status: int, code: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class _Passing(Exception):
    """A failure that may pass; `wait` is how long the server asks us to wait (seconds)."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


class HTTPClient:
    """The way to one server; may be used from several threads.

    Args:
        server: Where it leads, and its limits.
    """

    def __init__(self, server: Server) -> None:
        self._http: Any = require("httpx2", "http", f"the model {server.model!r} of a server")
        self.server = server
        self._tls = self._http.create_ssl_context()  # once: it takes a tenth of a second
        self._lock = threading.Lock()
        self._next = 0.0  # when the next request may start, on the monotonic clock

    def get(self, path: str) -> Any:
        """One answer.

        Raises:
            ServerDown: If there is none after all attempts.
            EngineFailed: If the server refuses.
        """
        return self._run([("GET", path, None)], 0)[0]

    def post(self, path: str, bodies: Sequence[dict[str, Any]], seed: int) -> list[Any]:
        """The answers to bodies, in their order; a `Refused` stands where the server refused.

        Args:
            path: Below the address.
            bodies: JSON objects.
            seed: Of the pauses.

        Raises:
            ServerDown: If one has no answer after all attempts.
            EngineFailed: If an answer is too large.
        """
        return self._run([("POST", path, body) for body in bodies], seed)

    def _run(self, requests: Sequence[tuple[str, str, Any]], seed: int) -> list[Any]:
        # A loop of its own, in a thread of its own: the caller may have one (a notebook has), and
        # on Ctrl-C everything that is under way is given up.
        from anyio.from_thread import start_blocking_portal

        with start_blocking_portal("asyncio") as portal:
            return portal.call(self._all, requests, seed)

    async def _all(self, requests: Sequence[tuple[str, str, Any]], seed: int) -> list[Any]:
        places = asyncio.Semaphore(self.server.concurrent)
        limits = self._http.Limits(max_connections=self.server.concurrent)
        timeout = self.server.timeout
        async with self._http.AsyncClient(
            limits=limits, timeout=timeout, verify=self._tls
        ) as client:

            async def one(number: int, request: tuple[str, str, Any]) -> Any:
                rng = np.random.default_rng((seed, number))
                async with places:
                    return await self._persist(client, request, rng)

            tasks = [asyncio.create_task(one(*item)) for item in enumerate(requests)]
            try:
                return await asyncio.gather(*tasks)
            except BaseException:
                # The first failure ends the call: what is still asked would be paid for nothing.
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                raise

    async def _persist(self, client: Any, request: tuple[str, str, Any], rng: Any) -> Any:
        """Ask until there is an answer, or no attempt is left."""
        attempts = self.server.retries + 1
        reason = ""
        for attempt in range(attempts):
            await self._turn()
            try:
                return await self._ask(client, request)
            except RequestRefused as refusal:
                if request[0] == "GET":
                    raise
                return refusal
            except _Passing as failure:
                reason = str(failure)
                if failure.wait > LONGEST_WAIT:
                    reason += f"; it asks to wait {failure.wait:.0f} s"
                    break
                pause = min(LONGEST_PAUSE, self.server.backoff * 2.0**attempt)
                pause *= 0.5 + 0.5 * rng.random()
                if failure.wait:
                    self._hold(failure.wait)
                if attempt + 1 < attempts:
                    await asyncio.sleep(max(pause, failure.wait))
        raise ServerDown(f"{self._who}: {reason} (asked {attempt + 1} times)")

    async def _ask(self, client: Any, request: tuple[str, str, Any]) -> Any:
        """One attempt."""
        server = self.server
        try:
            async with asyncio.timeout(server.timeout):
                status, headers, text = await self._exchange(client, *request)
        except TimeoutError:
            raise _Passing(f"no reply within {server.timeout:g} s") from None
        except self._http.TimeoutException:
            raise _Passing(f"no reply within {server.timeout:g} s") from None
        except self._http.RequestError as error:
            raise _Passing(self._clean(f"{type(error).__name__}: {error}")) from None
        if status in _PASSING or status >= 500:
            said = self._clean(_message(text)[0])
            raise _Passing(f"status {status} {said}".strip(), _seconds(headers.get("retry-after")))
        if status != 200:
            said, code = _message(text)
            raise RequestRefused(f"{self._who}: status {status} {self._clean(said)}", status, code)
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise _Passing(f"its reply is not JSON: {self._clean(text)[:80]!r}") from None

    async def _exchange(
        self, client: Any, method: str, path: str, body: Any
    ) -> tuple[int, Any, str]:
        """Status, headers and text of a reply that is not too large."""
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
                    raise EngineFailed(f"{self._who}: a reply is larger than {MAX_BYTES:,} bytes")
            return reply.status_code, reply.headers, read.decode("utf-8", "replace")

    async def _turn(self) -> None:
        """Wait until a request may start."""
        limit = self.server.requests_per_minute
        with self._lock:
            start = max(time.monotonic(), self._next)
            self._next = start + (60 / limit if limit else 0.0)
        await asyncio.sleep(max(0.0, start - time.monotonic()))

    def _hold(self, seconds: float) -> None:
        """Start no request for a while: what slows one down is meant for all."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)

    @property
    def _who(self) -> str:
        return f"the server {self.server.address} (model {self.server.model})"

    def _clean(self, text: str) -> str:
        """A short text of the server in which the key is not repeated."""
        key = self.server.key
        return " ".join((text.replace(key, "***") if key else text).split())[:200]


def _message(text: str) -> tuple[str, str]:
    """What an error's body says, and its code; servers agree on neither."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return text, ""
    error = said.get("error", said) if isinstance(said, dict) else said
    if not isinstance(error, dict):
        return str(error), ""
    return str(error.get("message") or error.get("detail") or error), str(error.get("code"))


def _seconds(retry_after: str | None) -> float:
    """The seconds of `Retry-After`, which is a number or a date; 0 if it is neither.

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
