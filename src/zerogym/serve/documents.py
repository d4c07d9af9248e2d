"""The documents by which a world describes itself to programs: schemas, metadata, OpenAPI."""

from typing import Any

import zerogym
from zerogym.envs.lookup import find_task
from zerogym.serve.worlds import World

ACTION_SCHEMA = {
    "type": "object",
    "title": "Reply",
    "properties": {
        "text": {"type": "string", "description": "the whole reply of the agent"},
        "metadata": {"type": "object", "description": "not read"},
    },
    "required": ["text"],
}
OBSERVATION_SCHEMA = {
    "type": "object",
    "title": "TextObservation",
    "properties": {
        "text": {"type": "string", "description": "the text that is new since the last reply"},
        "info": {"type": "object", "description": "the keys are described in zerogym.envs.core"},
        "terminated": {"type": "boolean"},
        "truncated": {"type": "boolean"},
        "session_id": {"type": "string"},
        "episode_id": {"type": "string"},
        "seed": {"type": "integer"},
    },
}
STATE_SCHEMA = {
    "type": "object",
    "title": "State",
    "properties": {
        "episode_id": {"type": ["string", "null"]},
        "step_count": {"type": "integer", "minimum": 0},
        "return": {"type": "number"},
        "seed": {"type": "integer"},
        "env_id": {"type": "string"},
        "done": {"type": "boolean"},
    },
}
_JSON = "application/json"
_KEY = {"name": "session_id", "in": "query", "required": True, "schema": {"type": "string"}}
_RESULT = {
    "type": "object",
    "properties": {
        "observation": OBSERVATION_SCHEMA,
        "reward": {"type": ["number", "null"]},
        "done": {"type": "boolean"},
    },
}
_RESET = {
    "type": "object",
    "properties": {
        "seed": {"type": ["integer", "null"], "minimum": 0},
        "episode_id": {"type": ["string", "null"], "maxLength": 255},
        "session_id": {"type": "string", "description": "of a session that is open"},
        "difficulty": {"type": "number", "minimum": 0},
        "split": {"type": "string"},
        "category": {"type": "string"},
        "options": {"type": "object", "description": "further options of the environment's reset"},
    },
}
_STEP = {
    "type": "object",
    "properties": {"session_id": {"type": "string"}, "action": ACTION_SCHEMA},
    "required": ["session_id", "action"],
}
_CLOSE = {
    "type": "object",
    "properties": {"session_id": {"type": "string"}},
    "required": ["session_id"],
}


def schema() -> dict[str, Any]:
    """Return the schemas of actions, observations and states, which all worlds share."""
    return {"action": ACTION_SCHEMA, "observation": OBSERVATION_SCHEMA, "state": STATE_SCHEMA}


def metadata(world: World) -> dict[str, Any]:
    """Return the name of a world, and what it is in a sentence."""
    summary = find_task(world.id).summary
    return {"name": world.id, "description": summary, "version": zerogym.__version__}


def openapi(world: World) -> dict[str, Any]:
    """Return the description of a world's HTTP paths, in the form of OpenAPI 3.1."""
    return {
        "openapi": "3.1.0",
        "info": {"title": world.id, "version": zerogym.__version__},
        "paths": {
            "/reset": {"post": _operation("Start an episode.", _RESULT, _RESET)},
            "/step": {"post": _operation("Play a reply.", _RESULT, _STEP)},
            "/state": {"get": _operation("Read the state.", STATE_SCHEMA) | {"parameters": [_KEY]}},
            "/close": {"post": _operation("End a session.", {"type": "object"}, _CLOSE)},
            "/schema": {"get": _operation("Read the schemas.", {"type": "object"})},
            "/metadata": {"get": _operation("Read the name.", {"type": "object"})},
        },
    }


def _operation(
    summary: str, result: dict[str, Any], body: dict[str, Any] | None = None
) -> dict[str, Any]:
    found = {"description": "done", "content": {_JSON: {"schema": result}}}
    refused = {"description": "`detail` has the reason"}
    operation: dict[str, Any] = {"summary": summary, "responses": {"200": found, "4XX": refused}}
    if body is not None:
        operation["requestBody"] = {"content": {_JSON: {"schema": body}}}
    return operation
