"""OpenEnv's messages: what a client sends is checked, what it gets has the form it expects.

The formats are those of OpenEnv 0.3 (`openenv.core.env_server.types`, BSD-3): a WebSocket message
`{"type": "reset" | "step" | "state" | "close" | "mcp", "data": {...}}` gets `{"type": "observation"
| "state" | "error" | "mcp", "data": {...}}`; over HTTP `/reset` and `/step` get the data alone. An
action is `{"text": REPLY}`.

Left out: OpenEnv's web page, its MCP methods `openenv/session/...`, and its plain HTTP without a
session, where every request gets a new environment: here `/reset` opens a session whose
`session_id` (in the observation) `/step` and `/state` name.
"""

import json
import logging
from collections.abc import Mapping
from typing import Any

from zerogym.serve.mcp_tools import call_tool, list_tools
from zerogym.serve.session import PINNED, Refused, Session
from zerogym.serve.sessions import Sessions
from zerogym.serve.worlds import World

logger = logging.getLogger("zerogym.serve")
FAILED = "the environment failed; the server's log has the reason. Reset first"
_DEEP = "the JSON is nested too deeply"


def parsed(text: str | bytes) -> dict[str, Any]:
    """Parse a message, which is a JSON object.

    Raises:
        Refused: If it is none.
    """
    try:
        message = json.loads(text)
    except RecursionError:
        raise Refused(_DEEP, "INVALID_JSON", 422) from None
    except ValueError as error:  # UnicodeDecodeError is one
        raise Refused(f"invalid JSON: {error}", "INVALID_JSON", 422) from None
    if not isinstance(message, dict):
        raise Refused("a message is a JSON object", "INVALID_JSON", 422)
    return message


async def reset(session: Session, data: Mapping[str, Any]) -> dict[str, Any]:
    """Start an episode by `seed`, `episode_id`, `options`, `difficulty`, `split`, `category`.

    Further keys are not read, as OpenEnv's server does.

    Raises:
        Refused: If a value cannot be used.
    """
    seed, named, options = data.get("seed"), data.get("episode_id"), data.get("options")
    if seed is not None and (type(seed) is not int or not 0 <= seed < 2**63):
        raise _invalid("seed is an integer from 0 to 2**63 - 1, or null")
    if named is not None and not (isinstance(named, str) and len(named) <= 255):
        raise _invalid("episode_id is a text of at most 255 characters, or null")
    if options is not None and not isinstance(options, dict):
        raise _invalid("options is an object, or null")
    options = (options or {}) | {key: data[key] for key in PINNED if data.get(key) is not None}
    return await session.reset(seed, options or None, named)


async def step(session: Session, action: object) -> dict[str, Any]:
    """Play the reply of an action.

    Raises:
        Refused: If it is none, or no episode is running.
    """
    text = action.get("text") if isinstance(action, Mapping) else None
    if not isinstance(text, str):
        raise _invalid('an action is {"text": REPLY}')
    return await session.step(text)


async def answer(raw: str, session: Session, sessions: Sessions) -> dict[str, Any] | None:
    """Return the message that answers a WebSocket message; None where the client closes."""
    try:
        message = parsed(raw)
        kind, data = message.get("type"), message.get("data", {})
        if kind == "close":
            return None
        if kind == "state":
            return {"type": "state", "data": session.state}
        if kind not in ("reset", "step", "mcp"):
            raise Refused(f"unknown message type: {kind!r:.80}", "UNKNOWN_TYPE")
        if not isinstance(data, dict):
            raise _invalid("data is an object")
        if kind == "mcp":
            return {"type": "mcp", "data": await rpc(data, session, sessions)}
        done = await (reset if kind == "reset" else step)(session, data)
        sessions.counted["episodes" if kind == "reset" else "steps"] += 1
        return {"type": "observation", "data": done}
    except Exception as error:
        refused = as_refused(error, session.world)
        sessions.counted["errors"] += 1
        return {"type": "error", "data": {"message": str(refused), "code": refused.code}}


async def rpc(request: Mapping[str, Any], session: Session, sessions: Sessions) -> dict[str, Any]:
    """Return the JSON-RPC response to `tools/list` or `tools/call` inside a WebSocket session."""
    method, params = request.get("method"), request.get("params") or {}
    response: dict[str, Any] = {"jsonrpc": "2.0", "id": request.get("id")}
    if method == "tools/list":
        return response | {"result": {"tools": await list_tools(session)}}
    if method != "tools/call":
        error = {"code": -32601, "message": f"method not found: {method!r:.80}"}
        return response | {"error": error}
    if not isinstance(params, dict):
        return response | {"error": {"code": -32602, "message": "params is an object"}}
    result = await call_tool(session, params.get("name"), params.get("arguments"), sessions.counted)
    content = [{"type": "text", "text": result.text}]
    return response | {"result": {"content": content, "isError": not result.ok}}


def as_refused(error: Exception, world: World) -> Refused:
    """Return what a client reads of an exception; the log gets what is no fault of the client."""
    if isinstance(error, Refused):
        return error
    logger.error("%s failed", world.id, exc_info=error)
    return Refused(FAILED, "EXECUTION_ERROR", 500)


def _invalid(message: str) -> Refused:
    return Refused(message, "VALIDATION_ERROR", 422)
