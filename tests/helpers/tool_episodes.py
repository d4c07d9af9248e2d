"""A tool that counts, and easy episodes with tools, for tests."""

from collections.abc import Mapping
from typing import Any

import gymnasium as gym

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.core import TextEnv
from zerogym.envs.tools.tool import Tool, ToolResult
from zerogym.wrappers import WithTools

HOSTILE = ("\0", "\ud800", "\x1b[2J", "é" * 1000, "(" * 100_000, "x" * 2**20, "\n" * 2**20, "'''")


def text_of(tool: Tool, text: str, state: Any = None) -> str:
    return tool.call({tool.body: text}, state).text


class Counter(Tool):
    """Counts its calls, from a random number on; fails for some arguments."""

    name, description, body = "counter", "Counts.", "what"
    parameters = {  # noqa: RUF012
        "type": "object",
        "properties": {"what": {"type": "string"}},
        "additionalProperties": False,
    }

    def __init__(self) -> None:
        self.closed = 0

    def new_state(self, seed: int) -> list[int]:
        return [seed]

    def call(self, arguments: Mapping[str, Any], state: list[int]) -> ToolResult:
        state[0] += 1
        what = arguments.get("what", "")
        return ToolResult(f"{what} {state[0]}", what != "bad", 0.5, unavailable=what == "gone")

    def close(self) -> None:
        self.closed += 1


def easy(**options: Any) -> gym.Env[str, str]:
    return gym.make("zerogym/RandomCalculation-v0", difficulty=0, **options)


def calculating(**options: Any) -> WithTools:
    return WithTools(easy(), ["calculator", "submit"], **options)


def right(env: gym.Env[Any, Any]) -> str:
    return str(env.get_wrapper_attr("oracle_action")())


def call(text: str, tool: str = "calculator") -> str:
    return f"<{tool}>{text}</{tool}>"


class Echo(TextEnv):
    """Ends with the reply `done`."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        return f"task {seed}", {}

    def step(self, action: str) -> Any:
        return "over", float("5" in action), "5" in action, False, {}


class Python(Tool):
    """One argument."""

    name, description, body = "python", "Runs code.", "code"
    parameters = {  # noqa: RUF012
        "type": "object",
        "properties": {"code": {"type": "string", "minLength": 1}},
        "required": ["code"],
        "additionalProperties": False,
    }

    def call(self, arguments: Mapping[str, Any], state: Any) -> ToolResult:
        return ToolResult(arguments["code"])


class Search(Python):
    """Several arguments."""

    name, description, body = "search", "Finds pages.", "query"
    parameters = {  # noqa: RUF012
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "what to look for"},
            "k": {"type": "integer", "minimum": 1, "maximum": 9},
            "order": {"enum": ["best", "newest"]},
        },
        "required": ["query"],
        "additionalProperties": False,
        "examples": [{"query": "tall towers", "k": 3}],
    }


class Clock(Python):
    """No argument."""

    name, description, body = "clock", "Tells the time.", ""
    parameters = {"type": "object", "properties": {}, "additionalProperties": False}  # noqa: RUF012


TOOLS: dict[str, Tool] = {tool.name: tool for tool in (Python(), Search(), Clock())}
