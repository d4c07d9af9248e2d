"""The tool protocol: something that a policy may call, whatever environment it is in."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from zerogym.envs.tools.sandbox.result import Level


@dataclass(frozen=True)
class ToolResult:
    """The result of a call.

    Attributes:
        text: What the policy reads, cut to a bounded length.
        ok: Whether the call did its job; False for a program that failed, too.
        cost: CPU seconds that the call took, 0 where they are not worth counting.
        unavailable: The tool itself failed (no sandbox, for example), through no fault of the
            policy: the episode must not count.
    """

    text: str
    ok: bool = True
    cost: float = 0.0
    unavailable: bool = False


def one_text(name: str, description: str, example: str, **rules: Any) -> dict[str, Any]:
    """The JSON schema of a tool with one argument, a text; `rules` are further ones of it."""
    return {
        "type": "object",
        "properties": {name: {"type": "string", **rules, "description": description}},
        "required": [name],
        "additionalProperties": False,
        "examples": [{name: example}],
    }


class Tool(ABC):
    """Something that a policy may call.

    All that changes during an episode is in its state, which `copy.deepcopy` copies: that makes
    snapshots of episodes possible. A tool that holds a process or a file finds it again from the
    state, and lets go of it in `close`. One tool object serves one environment; it may be used from
    any thread, by one at a time.

    Attributes:
        name: How it is called, `[a-z][a-z0-9_]*`.
        description: What it does, in words for the policy; may depend on its arguments.
        parameters: JSON schema of its arguments, an object.
        body: The argument that the text inside a tag or a code fence becomes.
        sandbox: The level of the sandbox in which it runs programs, None if it runs none.
    """

    name: ClassVar[str]
    description: str
    parameters: ClassVar[Mapping[str, Any]]
    body: ClassVar[str]
    sandbox: Level | None = None

    def new_state(self, seed: int) -> Any:
        """The state at the beginning of an episode; randomness comes from `seed` only."""
        return None

    @abstractmethod
    def call(self, arguments: Mapping[str, Any], state: Any) -> ToolResult:
        """Run a call, whose arguments fit `parameters`; returns in bounded time, whatever they are.

        It changes `state` in place, and raises only for defects of the tool.
        """

    def close(self) -> None:  # noqa: B027 (most tools hold nothing)
        """Let go of processes, files and connections; the tool may be used again afterwards."""
