"""Calls as JSON: Hermes' `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`, and OpenAI's.

Beside `<tool_call>` these are read: an object with `tool_calls`, as OpenAI's servers return it, and
a bare object with `name` and `arguments` (or `parameters`), where one begins a line. Arguments may
be an object or, as OpenAI has it, an object written into a text.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from zerogym.envs.tools.calls.announcing import calls_in_words, describe, example_of
from zerogym.envs.tools.calls.format import (
    MAX_CALL,
    MAX_FOUND,
    Ends,
    Format,
    Found,
    Malformed,
    after_thoughts,
    checked,
    unknown,
)
from zerogym.envs.tools.calls.strict_json import JsonError, read_json, read_json_at_start
from zerogym.envs.tools.tool import Tool

_KEYS = "name|arguments|parameters|tool_calls|type|function"
_MARK = re.compile(
    r"(?<!`)`(?!`)[^`\n]++`(?!`)|(?P<tag><tool_call>|<think>|<answer>)"
    rf'|^[ \t]{{0,20}}(?P<bare>\{{\s{{0,20}}"(?:{_KEYS})"\s{{0,20}}:)',
    re.MULTILINE,
)
_FENCE = re.compile(r"\s{0,20}```(?:json)?[ \t]{0,20}\n")
_ANOTHER = re.compile(r"[,\s]{0,20}(?=\{)")  # a second object in the same tag
_CLOSE = "</tool_call>"
_SHAPE = 'A call is {"name": "...", "arguments": {...}}.'
_TRIES = 16  # bare objects that turn out to be no call, until no more are tried
_INTRODUCTION = """\
You can use these tools before you answer:
<tools>
{tools}
</tools>
After a call, stop: its result comes back in <tool_response>. For example:
{example}

{calls}"""


class Objects(Format):
    """A JSON object with the tool's name and its arguments."""

    name = "json"

    def find(self, reply: str, tools: Mapping[str, Tool]) -> list[Found]:
        """Find the calls of a reply."""
        found: list[Found] = []
        ends = Ends(reply)
        position, tries = after_thoughts(reply), 0
        while len(found) < MAX_FOUND and (mark := _MARK.search(reply, position)):
            position = mark.end()
            if mark["tag"] == "<tool_call>":
                items, position = _tagged(reply, position, ends, tools)
                found += items
            elif mark["tag"]:
                close = mark["tag"].replace("<", "</")
                end = ends.after(position, close)
                position = end + len(close) if end >= 0 else position
            elif mark["bare"] and tries < _TRIES:
                start = mark.start("bare")
                items, length = _bare(reply[start : start + MAX_CALL], tools)
                tries += not items
                position = max(position, start + length)
                found += items
        return found[:MAX_FOUND]

    def write(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        """Write a call."""
        call = json.dumps({"name": tool.name, "arguments": dict(arguments)}, ensure_ascii=False)
        return f"<tool_call>\n{call}\n{_CLOSE}"

    def show(self, tool: str, text: str) -> str:
        """Write a result as JSON between `<tool_response>` and `</tool_response>`."""
        fields = {"name": tool, "content": text} if tool else {"content": text}
        content = json.dumps(fields, ensure_ascii=False)
        marks = r"<(?=/?tool_(?:response|call))"
        content = re.sub(marks, r"\\u003c", content, flags=re.IGNORECASE)
        return f"<tool_response>\n{content}\n</tool_response>"

    def announce(self, tools: Sequence[Tool], max_calls: int) -> str:
        """Describe the tools as JSON, a line each, with an example of the first one."""
        return _INTRODUCTION.format(
            tools="\n".join(json.dumps(tool, ensure_ascii=False) for tool in describe(tools)),
            example=self.write(tools[0], example_of(tools[0])),
            calls=calls_in_words(max_calls),
        )

    def stop_strings(self, tools: Sequence[Tool]) -> tuple[str, ...]:
        """Return the closing tag."""
        return (_CLOSE,)


def _tagged(
    reply: str, begin: int, ends: Ends, tools: Mapping[str, Tool]
) -> tuple[list[Found], int]:
    """Read the calls after a `<tool_call>`; return them and where to go on."""
    fence = _FENCE.match(reply, begin)
    begin = fence.end() if fence else begin
    found: list[Found] = []
    while len(found) < MAX_FOUND:
        try:
            value, length = read_json_at_start(reply[begin : begin + MAX_CALL])
        except JsonError as error:
            end = ends.after(begin, _CLOSE)
            hint = "" if end >= 0 else f" The call must end with {_CLOSE}."
            return [*found, Malformed(_sentence(error) + hint)], max(begin, end)
        found += _calls(value, tools)
        begin += length
        if not (another := _ANOTHER.match(reply, begin)):
            break
        begin = another.end()
    return found, begin


def _bare(text: str, tools: Mapping[str, Tool]) -> tuple[list[Found], int]:
    """Read the calls of an object without a tag, and its length; none if it is something else."""
    try:
        value, length = read_json_at_start(text)
    except JsonError as error:
        is_call = re.search(r'"(?:arguments|tool_calls)"\s{0,20}:', text[:10_000])
        return ([Malformed(_sentence(error))], len(text)) if is_call else ([], 0)
    one = value.get("function", value)
    shaped = isinstance(one, dict) and "name" in one and {"arguments", "parameters"} & set(one)
    described = isinstance(one, dict) and "description" in one  # a tool, not a call of it
    if isinstance(value.get("tool_calls"), list) or (shaped and not described):
        return _calls(value, tools), length
    return [], length


def _calls(value: Any, tools: Mapping[str, Tool]) -> list[Found]:
    """Read the calls of a JSON value."""
    if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
        value = value["tool_calls"]
    if not isinstance(value, list):
        return [_call(value, tools)]
    return [_call(item, tools) for item in value[:MAX_FOUND]]


def _call(value: Any, tools: Mapping[str, Tool]) -> Found:
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        value = value["function"]
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return Malformed(_SHAPE)
    name = value["name"]
    arguments = value.get("arguments", value.get("parameters", {}))
    if name not in tools:
        return unknown(name, tools)
    if isinstance(arguments, str):
        try:
            arguments = read_json(arguments)
        except JsonError as error:
            return Malformed(f"{name}: the arguments are {error}.")
    if not isinstance(arguments, dict):
        return Malformed(f"{name}: the arguments must be a JSON object. {_SHAPE}")
    return checked(tools[name], arguments)


def _sentence(error: JsonError) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."
