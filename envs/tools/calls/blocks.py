"""What tags and code fences share: a text between two marks is a tool's main argument.

If the tool has more than one argument, a JSON object whose keys are arguments stands for them.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from zerogym.envs.tools.calls.arguments import names_of
from zerogym.envs.tools.calls.format import MAX_CALL, Found, Malformed, checked, tidied
from zerogym.envs.tools.calls.showing import without_marks
from zerogym.envs.tools.calls.strict_json import JsonError, read_json
from zerogym.envs.tools.tool import Tool

_OBJECT = re.compile(r'\{\s{0,100}"([^"\\\n]{1,100})"\s{0,100}:|\{\s{0,100}\}')


def read_body(tool: Tool, body: str) -> Found:
    """The call that a body makes."""
    if len(body) > MAX_CALL:
        return Malformed(f"{tool.name}: the call has more than {MAX_CALL} characters.")
    names = names_of(tool)
    text = tidied(body)
    if not names and not text:
        return checked(tool, {})
    begin = _OBJECT.match(text) if names != [tool.body] else None
    if begin is None or (begin[1] is not None and begin[1] not in names):
        return checked(tool, {tool.body: text})
    try:
        arguments = read_json(text)
    except JsonError as error:
        return Malformed(f"{tool.name}: {error}.")
    return checked(tool, arguments)


def write_body(tool: Tool, arguments: Mapping[str, Any]) -> str:
    """The body of a call, with line breaks around it if it has several lines.

    Raises:
        ValueError: If `read_body` would not give the arguments back (blanks around the body are
            not kept).
    """
    text = arguments.get(tool.body) if set(arguments) == {tool.body} else None
    if isinstance(text, str):
        arguments = {tool.body: (text := tidied(text))}
    body = text if isinstance(text, str) else json.dumps(dict(arguments)).replace("</", "<\\/")
    body = f"\n{body}\n" if "\n" in body else body
    read = read_body(tool, body)
    if isinstance(read, Malformed) or dict(read.arguments) != dict(arguments):
        raise ValueError(f"this call of {tool.name} cannot be written as a block: {body[:100]!r}")
    return body


def show_result(text: str) -> str:
    """A result between marks that it cannot contain."""
    return f"<result>\n{without_marks(text, 'result')}\n</result>"
