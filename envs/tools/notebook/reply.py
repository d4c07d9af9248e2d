"""Parse a reply: a cell to run, an answer, or neither.

Left out: several cells in one reply. The last one is run.
"""

import re
from dataclasses import dataclass

from zerogym.envs.reasoning.answers import extract_answer

MAX_REPLY = 60_000  # characters; of a longer reply the end is read
_CELL = re.compile(r"<python>|```[ \t]*(?:python3?|py)[ \t]*\r?\n", re.IGNORECASE)
_FENCE_END = re.compile(r"^[ \t]*```", re.MULTILINE)


@dataclass(frozen=True)
class Reply:
    """A cell, an answer, or neither; never both."""

    cell: str | None = None
    answer: str | None = None


def read_reply(reply: str) -> Reply:
    r"""The last cell or the last answer in a reply, whichever comes later.

    A cell stands in `<python>...</python>` or in a fenced block of Python, an answer in
    `<answer>...</answer>` or `\boxed{...}`. The end of a cell may be missing, since a model that
    stops there may not show it.

    Example:
        >>> read_reply("Let me look. <python>print(1)</python>")
        Reply(cell='print(1)', answer=None)
        >>> read_reply("<python>print(1)</python> It is <answer>1</answer>")
        Reply(cell=None, answer='1')
    """
    reply = reply[-MAX_REPLY:]
    cell, end = _last_cell(reply)
    answer, form = extract_answer(reply)
    place = {"tag": reply.rfind("</answer>"), "boxed": reply.rfind("\\boxed{")}.get(form, -1)
    if place >= end:
        return Reply(answer=answer) if place >= 0 else Reply()
    return Reply(cell=cell) if cell else Reply()


def _last_cell(reply: str) -> tuple[str, int]:
    """The last cell and where it ends; nothing and -1 if there is none."""
    openings = list(_CELL.finditer(reply))
    if not openings:
        return "", -1
    start = openings[-1].end()
    if openings[-1][0].startswith("<"):
        end = reply.lower().find("</python>", start)
    else:
        closing = _FENCE_END.search(reply, start)
        end = closing.start() if closing else -1
    end = len(reply) if end < 0 else end
    return reply[start:end].strip("\r\n").rstrip(), end
