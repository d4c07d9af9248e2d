"""The interface of a format of tool calls: find them, write them, show their results."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from zerogym.envs.tools.calls.arguments import nearest, problem_with
from zerogym.envs.tools.tool import Tool

MAX_FOUND = 64  # calls of one reply; what comes after them is not read
MAX_CALL = 2**20  # characters of one call
THINK, THOUGHT = "<think>", "</think>"


@dataclass(frozen=True)
class Call:
    """A call whose arguments fit the tool's schema."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Malformed:
    """A call that cannot be run; `feedback` says why, in words for the model."""

    feedback: str


Found = Call | Malformed


class Format(ABC):
    """A way of writing tool calls; it has no state.

    Attributes:
        name: How it is chosen.
        reserved: Names that no tool can have, because they mean something else in this format.
    """

    name: ClassVar[str]
    reserved: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def find(self, reply: str, tools: Mapping[str, Tool]) -> list[Found]:
        """Find the calls of a reply, in order of appearance, the first `MAX_FOUND` of them."""

    @abstractmethod
    def write(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        """Write a call as text that `find` reads back.

        Raises:
            ValueError: If the format has no way to write it.
        """

    @abstractmethod
    def show(self, tool: str, text: str) -> str:
        """Write the result of a call as the model reads it; `text` cannot end or fake the block.

        `tool` is empty where the call was malformed.
        """

    @abstractmethod
    def announce(self, tools: Sequence[Tool], max_calls: int) -> str:
        """Describe the tools for the prompt. `find` finds no calls in it but its examples."""

    @abstractmethod
    def stop_strings(self, tools: Sequence[Tool]) -> tuple[str, ...]:
        """Return texts that end a call, at which generation may stop; empty if none is safe."""


class Ends:
    """Places of the next closing marks; each is searched once, so that all searches are linear."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[str, int] = {}

    def after(self, position: int, mark: str) -> int:
        """Return the place of the next `mark` from `position` on, or -1."""
        known = self._found.get(mark, -2)
        if known == -1 or known >= position:
            return known
        self._found[mark] = self._text.find(mark, position)
        return self._found[mark]


def after_thoughts(reply: str) -> int:
    """Return where the reply begins, after thoughts that were opened in the prompt."""
    end = reply.find(THOUGHT)
    if end < 0 or THINK in reply[:end]:
        return 0
    return end + len(THOUGHT)


def checked(tool: Tool, arguments: Mapping[str, Any]) -> Found:
    """Return the call, if its arguments fit the schema."""
    problem = problem_with(tool, arguments)
    return Malformed(f"{tool.name}: {problem}") if problem else Call(tool.name, arguments)


def unknown(name: str, tools: Mapping[str, Tool]) -> Malformed:
    """Return the feedback for a tool that does not exist."""
    near = nearest(name, tools)
    hint = f" Did you mean {near}?" if near else ""
    return Malformed(f"There is no tool {name[:40]!r}.{hint} Tools: {', '.join(tools)}.")


def tidied(body: str) -> str:
    """Remove the blanks and the code fence that models put around a call's text."""
    text = _dedented(body)
    first, line_break, rest = text.partition("\n")
    if line_break and first.startswith("```") and f"\n{rest}".find("\n```") == len(rest) - 3:
        text = _dedented(f"\n{rest[:-3]}")
    return text


def _dedented(text: str) -> str:
    head, _, rest = text.partition("\n")
    if head.strip():
        return text.strip()
    lines = rest.rstrip().split("\n")
    margins = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line.strip()]
    margin = min(margins, key=len, default="")
    if margin and all(other.startswith(margin) for other in margins):
        lines = [line.removeprefix(margin) for line in lines]
    return "\n".join(lines).strip("\n")
