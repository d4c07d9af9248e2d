"""`FolderWorld`: base of worlds whose only tool is bash in a folder of the episode."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from zerogym.envs.problems import Difficulty
from zerogym.envs.splits import Split
from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.folder.bash import Bash, FolderState, check_shell_level
from zerogym.envs.tools.folder.folder import Folder
from zerogym.envs.tools.problem_env import PosedT
from zerogym.envs.tools.sandbox.result import Level
from zerogym.envs.tools.tool import Tool
from zerogym.envs.tools.world import CallFormat, ToolWorld


class FolderWorld(ToolWorld[PosedT]):
    """A folder of files, bash scripts that change it, and a judge of what is left in it.

    The answer ends the episode, and its text does not matter. A subclass names the first files and
    the expert's scripts.

    Args:
        level: Of the sandbox in which scripts run: `strong` or `landlock`.

    The other arguments are those of `ToolWorld`.
    """

    waits = True

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        max_turns: int | None = None,
        max_calls: int | None = None,
        call_cost: float = 0.0,
        format: CallFormat = "tag",
        render_mode: str | None = None,
        level: Level = "strong",
    ) -> None:
        super().__init__(
            difficulty, split, category, max_turns, max_calls, call_cost, format, render_mode
        )
        self.level = check_shell_level(level)

    @abstractmethod
    def _files(self, problem: PosedT) -> Mapping[str, str | bytes]:
        """Return the contents of the first files by path."""

    @abstractmethod
    def _scripts(self, problem: PosedT) -> Sequence[str]:
        """Return the expert's scripts, in order."""

    def _toolbox(self, problem: PosedT) -> Sequence[Tool]:
        return [Bash(self.level)]

    def _new_state(self, problem: PosedT) -> FolderState:
        return FolderState(Folder(self._files(problem)))

    def _plan(self, problem: PosedT) -> Sequence[Call]:
        return [Call("bash", {"script": script}) for script in self._scripts(problem)]

    def _answer(self, problem: PosedT) -> str:
        return "done"

    def _info(self) -> dict[str, Any]:
        return super()._info() | {"sandbox": self.level}
