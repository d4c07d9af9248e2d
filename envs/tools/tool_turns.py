"""The calls of one reply: run one after another, with what an episode remembers of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from zerogym.envs.tools.calls import Call, Format, Malformed
from zerogym.envs.tools.calls.format import Found
from zerogym.envs.tools.calls.showing import cut, plain
from zerogym.envs.tools.submit import Submit
from zerogym.envs.tools.tool import Tool, ToolResult

MAX_RESULT = 8192  # characters of a result; tools cut their own before, where it makes sense
MAX_BLOCK = 2 * MAX_RESULT + 300  # characters of a result as it is shown
NO_CALLS_LEFT = "No calls are left: give the final answer."
ANSWER_NOT_READ = "The answer in that reply was not read: it was written before the results."


class Counted(Protocol):
    """The part of an episode that counts calls: states of tools by name, counts, CPU seconds."""

    states: dict[str, Any]
    calls: int
    failed: int
    cost: float


@dataclass
class ToolTurns:
    """The memory of an episode.

    Attributes:
        states: Of the tools, by name.
        calls: Calls so far, the malformed ones too.
        failed: Those that were malformed, or that did not do their job.
        cost: CPU seconds of the calls so far.
        inner: The environment's last info, as far as it stays true between its steps.
        over: Whether the episode has ended.
    """

    states: dict[str, Any]
    calls: int = 0
    failed: int = 0
    cost: float = 0.0
    inner: dict[str, Any] = field(default_factory=dict)
    over: bool = False


@dataclass
class Results:
    """The results of the calls of one reply.

    Attributes:
        blocks: The results as the model reads them.
        feedback: What was wrong with malformed calls.
        notes: What else the model has to know.
        made: Calls that were run, with their results.
        unavailable: A tool failed by itself, and the rest was not run.
    """

    blocks: list[str] = field(default_factory=list)
    feedback: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    made: list[tuple[Call, ToolResult]] = field(default_factory=list)
    unavailable: bool = False

    @property
    def text(self) -> str:
        """The blocks and the notes."""
        return "\n".join([*self.blocks, *self.notes])


def run_calls(
    found: Sequence[Found],
    tools: Mapping[str, Tool],
    format: Format,
    turns: Counted,
    max_calls: int,
    max_result: int = MAX_RESULT,
) -> Results:
    """Run calls until none are left or a tool fails by itself; `turns` counts them."""
    results = Results()
    for number, item in enumerate(found):
        if isinstance(item, Call) and isinstance(tools[item.tool], Submit):
            if ANSWER_NOT_READ not in results.notes:
                results.notes.append(ANSWER_NOT_READ)
            continue
        if turns.calls >= max_calls:
            left_out = len(found) - number
            results.notes.append(
                f"{left_out} more {'call was' if left_out == 1 else 'calls were'} not run."
            )
            break
        turns.calls += 1
        if isinstance(item, Malformed):
            turns.failed += 1
            results.feedback.append(item.feedback)
            error = f"Error: {item.feedback}"
            results.blocks.append(_block(format, "", error, max_result))
            continue
        result = tools[item.tool].call(item.arguments, turns.states[item.tool])
        results.made.append((item, result))
        turns.cost += result.cost
        turns.failed += not result.ok
        if result.unavailable:
            results.unavailable = True
            break
        results.blocks.append(_block(format, item.tool, result.text, max_result))
    if turns.calls >= max_calls:
        results.notes.append(NO_CALLS_LEFT)
    return results


def _block(format: Format, tool: str, text: str, size: int) -> str:
    return format.show(tool, cut(plain(cut(text, size)), size))
