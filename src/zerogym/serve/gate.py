"""The gate: a request shows the token and names this host, or it is refused.

A page in a browser can send requests to servers of its own machine. It cannot choose the headers
`Host` and `Origin`, so that on a loopback address only loopback names pass; elsewhere a token is
required.
"""

import base64
import binascii
import secrets
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Gate:
    """Refuses requests without the token, or for another host, before anything reads them.

    Args:
        app: The application behind it.
        token: The secret, None for none. It is sent as `Authorization: Bearer TOKEN`, or as the
            password of a URL (`http://any:TOKEN@host`), which WebSocket clients send as `Basic`.
        loopback: Whether only loopback names of hosts pass.
    """

    def __init__(self, app: ASGIApp, token: str | None, loopback: bool) -> None:
        self.app, self.token, self.loopback = app, token, loopback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        reason, status = "", 0
        if not self._is_for_us(headers):
            reason, status = "requests from pages of other hosts are refused", 403
        elif self.token and scope["path"] != "/health" and not self._has_token(headers):
            reason, status = "the token is missing or wrong", 401
        if not reason:
            await self.app(scope, receive, send)
            return
        if scope["type"] == "websocket" and "websocket.http.response" not in scope.get(
            "extensions", {}
        ):
            await send({"type": "websocket.close", "code": 1008, "reason": reason})
            return
        challenge = {"WWW-Authenticate": "Bearer"} if status == 401 else None
        await PlainTextResponse(f"{reason}\n", status, challenge)(scope, receive, send)

    def _is_for_us(self, headers: Mapping[str, str]) -> bool:
        origin = headers.get("origin")
        if not self.loopback:
            return origin is None or urlsplit(origin).netloc == headers.get("host")
        return _host(headers.get("host", "")) in LOOPBACK and (
            origin is None or urlsplit(origin).hostname in LOOPBACK
        )

    def _has_token(self, headers: Mapping[str, str]) -> bool:
        kind, _, shown = headers.get("authorization", "").partition(" ")
        if kind.lower() == "basic":
            try:
                shown = base64.b64decode(shown).decode().partition(":")[2]
            except (binascii.Error, UnicodeDecodeError):
                return False
        elif kind.lower() != "bearer":
            return False
        return secrets.compare_digest(shown.strip().encode(), (self.token or "").encode())


def _host(named: str) -> str:
    try:
        return urlsplit(f"//{named}").hostname or ""
    except ValueError:
        return ""
