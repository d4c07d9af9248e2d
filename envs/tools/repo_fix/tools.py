"""The tools of RepoFix: look at files, edit them, run the tests."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from zerogym.envs.tools.calls.showing import cut
from zerogym.envs.tools.interpreters.execution import MAX_CHARACTERS, in_words
from zerogym.envs.tools.repo_fix.judge import run_tests
from zerogym.envs.tools.sandbox.result import Level
from zerogym.envs.tools.tool import Tool, ToolResult, one_text

MAX_FILE = 20_000  # characters of a file after an edit


@dataclass
class RepoState:
    """The state of an episode.

    Attributes:
        files: The files by path.
        read: Paths of those that were read.
        passed: The share of visible tests that passed when they last ran; None before.
    """

    files: dict[str, str]
    read: set[str] = field(default_factory=set)
    passed: float | None = None


def _missing(path: str, files: Mapping[str, str]) -> ToolResult:
    return ToolResult(f"There is no file {path[:80]!r}. Files: {', '.join(files)}.", ok=False)


class ReadFile(Tool):
    """Shows a file."""

    name = "read_file"
    description = "Shows a file."
    parameters = one_text("path", "the path of the file", "tests/test_core.py", maxLength=200)
    body = "path"

    def call(self, arguments: Mapping[str, Any], state: RepoState) -> ToolResult:
        """Show the text of the file, and remember that it was read."""
        path = arguments["path"].strip().removeprefix("./")
        if path not in state.files:
            return _missing(path, state.files)
        state.read.add(path)
        return ToolResult(cut(state.files[path], MAX_FILE) or "(an empty file)")


class EditFile(Tool):
    """Replaces a text of a file that was read."""

    name = "edit_file"
    description = (
        "Replaces a text of a file by another one. The file must have been read, and the old text "
        "must stand in it exactly once, blanks and line breaks included."
    )
    parameters: ClassVar[Mapping[str, Any]] = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "maxLength": 200, "description": "the path of the file"},
            "old": {
                "type": "string", "minLength": 1, "maxLength": 4000,
                "description": "a text of the file",
            },
            "new": {"type": "string", "maxLength": 4000, "description": "the text in its place"},
        },
        "required": ["path", "old", "new"],
        "additionalProperties": False,
        "examples": [{"path": "pkg/core.py", "old": "a <= b", "new": "a < b"}],
    }  # fmt: skip
    body = "new"

    def call(self, arguments: Mapping[str, Any], state: RepoState) -> ToolResult:
        """Replace the text, if the file was read and has it once."""
        path = arguments["path"].strip().removeprefix("./")
        if path not in state.files:
            return _missing(path, state.files)
        if path not in state.read:
            return ToolResult(f"Read {path} before you edit it.", ok=False)
        text, old = state.files[path], arguments["old"]
        count = text.count(old)
        if count != 1:
            return ToolResult(f"The old text stands in {path} {count} times, not once.", ok=False)
        changed = text.replace(old, arguments["new"])
        if len(changed) > MAX_FILE:
            return ToolResult(f"{path} would have over {MAX_FILE} characters.", ok=False)
        state.files[path] = changed
        return ToolResult(f"{path} is changed.")


class RunTests(Tool):
    """Runs the tests of the folder `tests`.

    Args:
        level: Of the sandbox.
    """

    name = "run_tests"
    description = "Runs the tests in the folder tests and shows those that fail."
    parameters: ClassVar[Mapping[str, Any]] = {
        "type": "object", "properties": {}, "additionalProperties": False,
    }  # fmt: skip
    body = ""

    def __init__(self, level: Level) -> None:
        self.sandbox: Level = level

    def call(self, arguments: Mapping[str, Any], state: RepoState) -> ToolResult:
        """Run the tests; `state.passed` is what they report of themselves."""
        result = run_tests(state.files, self.sandbox)
        if result.verdict == "unavailable":
            return ToolResult("The tool is not available.", ok=False, unavailable=True)
        words = result.stdout.rstrip("\n").rpartition("\n")[2].split()
        if len(words) == 4 and words[1:4:2] == ["passed,", "failed"]:
            passed, failed = (int(n) if n.isdecimal() else 0 for n in (words[0], words[2]))
            state.passed = passed / max(1, passed + failed)
        return ToolResult(in_words(result, MAX_CHARACTERS), result.verdict == "ok")
