"""The tools of a session: `start`, `reply` and those of its world, free of any MCP library.

A world's own tools become calls in the format that its environment reads, so that an assistant's
calls are counted, checked and scored as those of a policy are.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym

from zerogym.envs.tools.calls import describe
from zerogym.envs.tools.calls.showing import plain
from zerogym.envs.tools.tool import Tool
from zerogym.envs.tools.world import ToolWorld
from zerogym.serve.session import PINNED, Refused, Session

SESSION = "session_id"
_NAMED = {
    "type": "string",
    "description": "The session that an earlier `start` named; may be left out on a connection "
    "that has one of its own.",
}
START: dict[str, Any] = {
    "name": "start",
    "description": "Starts an episode of the task and returns what it says. An episode that is "
    "running in this session ends.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "seed": {"type": "integer", "minimum": 0, "description": "The same seed gives the same "
                     "episode."},
            "difficulty": {"type": "number", "minimum": 0, "description": "0 is the easiest."},
            SESSION: _NAMED,
        },
        "additionalProperties": False,
    },
}  # fmt: skip
REPLY: dict[str, Any] = {
    "name": "reply",
    "description": "Sends a reply to the running episode, in the form that the task describes, and "
    "returns what follows.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "The whole reply."},
            SESSION: _NAMED,
        },
        "required": ["text"],
        "additionalProperties": False,
    },
}
OWN = (START["name"], REPLY["name"])


@dataclass(frozen=True)
class Result:
    """The result of a call.

    Attributes:
        text: What the assistant reads.
        ok: Whether the call was a step or a start.
        data: The same as numbers, for programs.
    """

    text: str
    ok: bool = True
    data: Mapping[str, Any] = field(default_factory=dict)


async def list_tools(session: Session) -> list[dict[str, Any]]:
    """Return the descriptions of the tools, with MCP's keys."""
    return [START, REPLY, *await session.look(_described)]


async def call_tool(
    session: Session, name: object, arguments: object, counted: Counter[str]
) -> Result:
    """Run a call; whatever is wrong with it is said in the result.

    Args:
        session: The session.
        name: The name of the tool.
        arguments: Its arguments, an object.
        counted: The server's counts.
    """
    given = {} if arguments is None else arguments
    if not isinstance(given, Mapping):
        return Result("the arguments of a call are an object", ok=False)
    given = {key: value for key, value in given.items() if key != SESSION}
    try:
        if name == "start":
            return await _start(session, given, counted)
        if name == "reply":
            reply: Any = given.get("text")
            if not isinstance(reply, str):
                return Result("`reply` takes the argument `text`, a text", ok=False)
        else:
            reply = await session.look(lambda env: _written(env, name, given))
        return _ended(await session.step(reply), counted)
    except Refused as refused:
        counted["errors"] += 1
        return Result(str(refused).replace("reset first", "call `start` first"), ok=False)


async def _start(session: Session, given: Mapping[str, Any], counted: Counter[str]) -> Result:
    seed = given.get("seed")
    if seed is not None and (type(seed) is not int or not 0 <= seed < 2**63):
        return Result("`seed` is an integer from 0 to 2**63 - 1", ok=False)
    options = {key: given[key] for key in PINNED if given.get(key) is not None}
    data = await session.reset(seed, options or None)
    counted["episodes"] += 1
    text = await session.look(lambda env: _introduced(env, data["observation"]["text"]))
    return Result(text, data=data)


def _ended(data: dict[str, Any], counted: Counter[str]) -> Result:
    counted["steps"] += 1
    text = data["observation"]["text"]
    if data["done"]:
        info = data["observation"]["info"]
        shown = [f"reward {data['reward']:g}"]
        shown += [f"{key} {info[key]}" for key in ("score", "answer", "feedback") if info.get(key)]
        text = f"{text}\nThe episode has ended: {', '.join(shown)}."
    return Result(plain(text), data=data)


def _introduced(env: gym.Env[Any, Any], prompt: str) -> str:
    """Return the first text, with this server's tools in the place of calls written in replies."""
    world = env.unwrapped
    if not isinstance(world, ToolWorld):
        return plain(f"{prompt}\n\nAnswer with the tool `reply`.")
    task = prompt.removesuffix(world.format.announce(world.tools, world.max_calls)).rstrip()
    names = ", ".join(f"`{_name(tool)}`" for tool in world.tools)
    return plain(
        f"{task}\n\nThe tools of this task: {names}; you have {world.max_calls} calls. Give the "
        "final answer with the tool `reply`, as <answer>...</answer>."
    )


def _described(env: gym.Env[Any, Any]) -> list[dict[str, Any]]:
    found = []
    for tool in _tools_of(env):
        schema = dict(describe([tool])[0]["function"]["parameters"])
        if SESSION not in schema.get("properties", {}):
            schema["properties"] = {**schema.get("properties", {}), SESSION: _NAMED}
        found.append({"name": _name(tool), "description": tool.description, "inputSchema": schema})
    return found


def _written(env: gym.Env[Any, Any], name: object, given: Mapping[str, Any]) -> str:
    """Write a call of one of the world's tools as a reply.

    Raises:
        Refused: If there is no such tool, or no way to write these arguments.
    """
    tools = {_name(tool): tool for tool in _tools_of(env)}
    if not isinstance(name, str) or name not in tools:
        known = ", ".join([*OWN, *tools])
        raise Refused(f"there is no tool {name!r:.80}; there are: {known}", "VALIDATION_ERROR")
    world = env.unwrapped
    assert isinstance(world, ToolWorld)
    try:
        return world.format.write(tools[name], given)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Refused(f"{name}: these arguments cannot be written as a call: {error}") from None


def _tools_of(env: gym.Env[Any, Any]) -> tuple[Tool, ...]:
    """Return a world's tools; before the first episode those of one that nobody plays."""
    world = env.unwrapped
    if not isinstance(world, ToolWorld):
        return ()
    try:
        return world.tools
    except gym.error.ResetNeeded:
        env.reset(seed=0)
        return world.tools


def _name(tool: Tool) -> str:
    return f"world_{tool.name}" if tool.name in OWN else tool.name
