"""Calls as fenced code: three backticks and the tool's name, the code, three backticks.

Fences follow CommonMark: a line of at least three backticks opens one, a line of at least as many
closes it. Left out: fences of tildes.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from zerogym.envs.tools.calls.arguments import NEAR, nearest
from zerogym.envs.tools.calls.blocks import Blocks, read_body, write_body
from zerogym.envs.tools.calls.format import (
    MAX_FOUND,
    THINK,
    THOUGHT,
    Ends,
    Found,
    after_thoughts,
    unknown,
)
from zerogym.envs.tools.tool import Tool

# A fence and the first word after it, or a tag around what is no call.
_MARK = re.compile(
    r"^ {0,3}(?P<ticks>`{3,40})(?!`)[ \t]{0,20}(?P<name>[^\s`]{0,40})[^`\n]*+$"
    r"|(?P<tag><think>|<answer>)",
    re.MULTILINE,
)
_CLOSE = re.compile(r"^[ \t]{0,20}(`{3,40})[ \t]{0,20}$", re.MULTILINE)


class Fences(Blocks):
    """A fence named like the tool, around the tool's main argument or a JSON object of all."""

    name = "fence"

    def find(self, reply: str, tools: Mapping[str, Tool]) -> list[Found]:
        """Find the calls of a reply."""
        found: list[Found] = []
        ends = Ends(reply)
        position = after_thoughts(reply)
        while len(found) < MAX_FOUND and (mark := _MARK.search(reply, position)):
            position = mark.end()
            if mark["tag"]:
                close = THOUGHT if mark["tag"] == THINK else "</answer>"
                end = ends.after(position, close)
                position = end + len(close) if end >= 0 else position
                continue
            body, position = _until_close(reply, position, len(mark["ticks"]))
            name = mark["name"]
            if name in tools:
                found.append(read_body(tools[name], body))
            elif name and nearest(name, tools, NEAR):
                found.append(unknown(name, tools))
        return found

    def write(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        """Write a call, its fence longer than any in it."""
        body = write_body(tool, arguments).strip("\n")
        longest = max(map(len, re.findall("`+", body)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}{tool.name}\n{body}\n{fence}"

    def stop_strings(self, tools: Sequence[Tool]) -> tuple[str, ...]:
        """Return none: a closing fence looks like an opening one."""
        return ()


def _until_close(reply: str, begin: int, ticks: int) -> tuple[str, int]:
    """Return the text up to a fence of at least as many backticks, or all, and its end."""
    for close in _CLOSE.finditer(reply, begin):
        if len(close[1]) >= ticks:
            return reply[begin : close.start()], close.end()
    return reply[begin:], len(reply)
