"""The base of wrappers that look at the tool calls of a reply."""

from typing import Any

import gymnasium as gym

from zerogym.envs.tools.calls.format import Call, Found
from zerogym.envs.tools.world import ToolWorld
from zerogym.wrappers.core import TextWrapper


class ToolCallWrapper(TextWrapper):
    """Wraps a `ToolWorld`, or an environment inside `WithTools`.

    Raises:
        TypeError: If the environment has no tools.
    """

    def __init__(self, env: gym.Env[Any, Any], **arguments: Any) -> None:
        super().__init__(env, **arguments)
        if not isinstance(env.unwrapped, ToolWorld) and not env.has_wrapper_attr("max_calls"):
            raise TypeError(f"{type(self).__name__} needs an environment with tools, not {env}")

    def found(self, reply: Any) -> list[Found]:
        """Return the calls of a reply, those that cannot be run included; none if it is no text."""
        if not isinstance(reply, str):
            return []
        tools = {tool.name: tool for tool in self.env.get_wrapper_attr("tools")}
        found: list[Found] = self.env.get_wrapper_attr("format").find(reply, tools)
        return found

    def calls(self, reply: Any) -> list[Call]:
        """Return the calls of a reply that can be run, `submit` left out, which is an answer."""
        return [
            call for call in self.found(reply) if isinstance(call, Call) and call.tool != "submit"
        ]
