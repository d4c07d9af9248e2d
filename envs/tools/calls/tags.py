"""Calls as tags: `<python>print(6 * 7)</python>`.

Of two opening tags of the same name before a closing one, the first is taken for a mention
("I use <python>: <python>..."). A tag that is not closed is a call if nothing follows its text; if
an answer follows, it was a mention; if another tag follows, the feedback says to close it.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from zerogym.envs.tools.calls.arguments import NEAR, nearest
from zerogym.envs.tools.calls.blocks import Blocks, read_body, write_body
from zerogym.envs.tools.calls.format import (
    MAX_FOUND,
    Ends,
    Found,
    Malformed,
    after_thoughts,
    unknown,
)
from zerogym.envs.tools.tool import Tool

_MARK = re.compile(r"(?<!`)`(?!`)[^`\n]++`(?!`)|<([a-z][a-z0-9_]{0,39})>")
_SKIPPED = ("think", "answer")  # what stands in these is no call


class Tags(Blocks):
    """A tag named like the tool, around the tool's main argument or a JSON object of all."""

    name = "tag"
    reserved: ClassVar[frozenset[str]] = frozenset((*_SKIPPED, "result", "tool_call"))

    def find(self, reply: str, tools: Mapping[str, Tool]) -> list[Found]:
        """Find the calls of a reply."""
        return _Search(reply, tools).run()

    def write(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        """Write a call."""
        written = f"<{tool.name}>{write_body(tool, arguments)}</{tool.name}>"
        if f"</{tool.name}>" in written[:-1] or f"<{tool.name}>" in written[1:]:
            raise ValueError(f"the arguments hold tags of {tool.name} itself")
        return written

    def stop_strings(self, tools: Sequence[Tool]) -> tuple[str, ...]:
        """Return the closing tags."""
        return tuple(f"</{tool.name}>" for tool in tools)


class _Search:
    """One pass over a reply."""

    def __init__(self, reply: str, tools: Mapping[str, Tool]) -> None:
        self._reply, self._tools = reply, tools
        self._ends = Ends(reply)
        self._near: dict[str, bool] = {}  # other names, and whether each is nearly a tool's

    def run(self) -> list[Found]:
        found: list[Found] = []
        position = after_thoughts(self._reply)
        while len(found) < MAX_FOUND and (mark := _MARK.search(self._reply, position)):
            position = mark.end()
            name = mark[1]
            if name is None:
                continue  # inline code
            if name in self._tools:
                item, position = self._block(name, position)
                found += [] if item is None else [item]
                continue
            end = self._ends.after(position, f"</{name}>") if self._matters(name) else -1
            if end >= 0:
                position = end + len(name) + 3
                found += [] if name in _SKIPPED else [unknown(name, self._tools)]
        return found

    def _block(self, name: str, begin: int) -> tuple[Found | None, int]:
        """Read the call of an opening tag; return it, if it is one, and where to go on."""
        end = self._ends.after(begin, f"</{name}>")
        if end >= 0:
            if 0 <= self._ends.after(begin, f"<{name}>") < end:
                return None, begin
            return read_body(self._tools[name], self._reply[begin:end]), end + len(name) + 3
        # Compiled only here: for tools that every episode has anew it would cost more than a step.
        names = "|".join(map(re.escape, self._tools))
        follows = re.compile(rf"</?(?:{names})>|<answer>").search(self._reply, begin)
        if follows is None:
            body, tag = self._reply[begin:], f"</{name}>"
            # Generation may have been cut inside the closing tag.
            halves = (tag[:size] for size in range(len(tag) - 1, 1, -1))
            body = body.removesuffix(next(filter(body.endswith, halves), ""))
            return read_body(self._tools[name], body), len(self._reply)
        if follows[0] == "<answer>":
            return None, begin
        return Malformed(f"<{name}> is not closed: write </{name}> after the call."), begin

    def _matters(self, name: str) -> bool:
        if name in _SKIPPED:
            return True
        if name not in self._near and len(self._near) < MAX_FOUND:
            self._near[name] = bool(nearest(name, self._tools, NEAR))
        return self._near.get(name, False)
