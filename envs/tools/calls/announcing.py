"""Descriptions of tools: in words for a prompt, and as data for an API."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from zerogym.envs.tools.tool import Tool

_PLACEHOLDERS: dict[str, Any] = {
    "string": "...", "integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {},
}  # fmt: skip


def describe(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """Describe tools as the `tools` of OpenAI's chat completions and of chat templates."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": {k: v for k, v in tool.parameters.items() if k != "examples"},
            },
        }
        for tool in tools
    ]


def example_of(tool: Tool) -> dict[str, Any]:
    """Return arguments for an example: the schema's first of `examples`, else made from types."""
    examples = tool.parameters.get("examples")
    if examples:
        return dict(examples[0])
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    needed = {tool.body, *tool.parameters.get("required", ())}
    return {name: _value(schema) for name, schema in properties.items() if name in needed}


def full_example_of(tool: Tool) -> dict[str, Any]:
    """Return the example with all arguments that the tool has."""
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    return {name: _value(schema) for name, schema in properties.items()} | example_of(tool)


def arguments_in_words(tool: Tool) -> list[str]:
    """Return a line for each argument; none if the body is the only one."""
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    if set(properties) <= {tool.body}:
        return []
    needed = tool.parameters.get("required", [])
    lines = []
    for name, schema in properties.items():
        kind = schema.get("type", "any")
        kind = kind if isinstance(kind, str) else " or ".join(kind)
        if "enum" in schema:
            kind = "one of " + ", ".join(map(json.dumps, schema["enum"]))
        optional = "" if name in needed else ", optional"
        text = schema.get("description", "")
        lines.append(f"  {name} ({kind}{optional}){': ' if text else ''}{text}")
    return lines


def calls_in_words(count: int) -> str:
    """State how many calls there are, and what ends them."""
    calls = "one call" if count == 1 else f"{count} calls"
    return f"You have {calls}. A reply without a call is your final answer."


def _value(schema: Mapping[str, Any]) -> Any:
    for key in ("examples", "enum"):
        if schema.get(key):
            return schema[key][0]
    if "default" in schema:
        return schema["default"]
    kind = schema.get("type", "string")
    return _PLACEHOLDERS.get(kind if isinstance(kind, str) else kind[0], "...")
