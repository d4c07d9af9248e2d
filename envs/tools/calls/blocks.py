"""The base of tags and code fences: a text between two marks is a tool's main argument.

If the tool has more than one argument, a JSON object whose keys are arguments stands for them. An
empty text is no argument, if the tool needs none.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from zerogym.envs.tools.calls.announcing import (
    arguments_in_words,
    calls_in_words,
    example_of,
    full_example_of,
)
from zerogym.envs.tools.calls.arguments import names_of
from zerogym.envs.tools.calls.format import (
    MAX_CALL,
    Call,
    Format,
    Found,
    Malformed,
    checked,
    tidied,
)
from zerogym.envs.tools.calls.showing import without_marks
from zerogym.envs.tools.calls.strict_json import JsonError, read_json
from zerogym.envs.tools.tool import Tool

_OBJECT = re.compile(r'\{\s{0,100}"([^"\\\n]{1,100})"\s{0,100}:|\{\s{0,100}\}')

_INTRODUCTION = """\
You can use these tools before you answer. After a call, stop: its result comes back in
<result>...</result>."""


def read_body(tool: Tool, body: str) -> Found:
    """Read the call that a body makes."""
    if len(body) > MAX_CALL:
        return Malformed(f"{tool.name}: the call has more than {MAX_CALL} characters.")
    names = names_of(tool)
    text = tidied(body)
    if not names and text:
        return Malformed(f"{tool.name}: it takes no arguments.")
    if not text and tool.body not in tool.parameters.get("required", ()):
        return checked(tool, {})
    plain = _takes_text(tool)
    begin = _OBJECT.match(text) if names != [tool.body] or not plain else None
    if begin is None or (begin[1] is not None and begin[1] not in names):
        return checked(tool, {tool.body: text if plain else _number(text)})
    try:
        arguments = read_json(text)
    except JsonError as error:
        return Malformed(f"{tool.name}: {error}.")
    return checked(tool, arguments)


def write_body(tool: Tool, arguments: Mapping[str, Any]) -> str:
    """Write the body of a call, with line breaks around it if it has several lines.

    Blanks around the main argument are not kept.

    Raises:
        ValueError: If `read_body` would not give the arguments back.
    """
    text = arguments.get(tool.body)
    bodies = [json.dumps(dict(arguments)).replace("</", "<\\/")]
    if isinstance(text, str) and len(arguments) == 1:
        arguments = {tool.body: text.strip("\n").rstrip()}
        bodies.insert(0, arguments[tool.body])
    elif tool.body in arguments and len(arguments) == 1 and not _takes_text(tool):
        bodies.insert(0, json.dumps(text))
    if not arguments:
        bodies.insert(0, "")
    for body in bodies:
        read = read_body(tool, body)
        if isinstance(read, Call) and dict(read.arguments) == dict(arguments):
            return f"\n{body}\n" if "\n" in body else body
    raise ValueError(f"this call of {tool.name} cannot be written as a block: {bodies[0]!r:.100}")


def _takes_text(tool: Tool) -> bool:
    """Return whether a tool's main argument can be a text."""
    schema = tool.parameters.get("properties", {}).get(tool.body, {})
    kind = schema.get("type", "string")
    return "string" in ([kind] if isinstance(kind, str) else kind)


def _number(text: str) -> Any:
    """Return the JSON value of a text, or the text itself, about which feedback can be given."""
    try:
        return read_json(text)
    except JsonError:
        return text


class Blocks(Format):
    """A format whose calls are texts between two marks."""

    def show(self, tool: str, text: str) -> str:
        """Write a result between `<result>` and `</result>`, which it cannot contain."""
        return f"<result>\n{without_marks(text, 'result')}\n</result>"

    def announce(self, tools: Sequence[Tool], max_calls: int) -> str:
        """Describe the tools with an example each, and one of all arguments if it has more."""
        entries = []
        for tool in tools:
            one, full = example_of(tool), full_example_of(tool)
            lines = [f"{tool.name}: {tool.description}", *arguments_in_words(tool)]
            lines += ["For example:", self.write(tool, one)]
            if set(full) > set(one):
                lines += ["With all arguments:", self.write(tool, full)]
            entries.append("\n".join(lines))
        return "\n\n".join([_INTRODUCTION, *entries, calls_in_words(max_calls)])
