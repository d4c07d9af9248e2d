"""The tool that runs a bash script in the episode's folder."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zerogym.envs.tools.folder.folder import Folder, TooLarge
from zerogym.envs.tools.interpreters.execution import (
    MAX_CHARACTERS,
    in_words,
    run_or_again,
    shared_sandbox,
)
from zerogym.envs.tools.sandbox import Limits
from zerogym.envs.tools.sandbox.result import Level
from zerogym.envs.tools.tool import Tool, ToolResult, one_text
from zerogym.errors import UnknownName

LEVELS: tuple[Level, ...] = ("strong", "landlock")
LIMITS = Limits(
    cpu_s=5.0, wall_s=20.0, memory_mib=256, disk_mib=16, files=2048, processes=64, output_kib=1024
)
# In braces: bash reads all of it before the model's script could change the file.
_RUN = """\
{
/usr/bin/mkdir home
/usr/bin/tar -xf before.tar -C home && /usr/bin/rm before.tar
cd home
bash ../script.sh < /dev/null
code=$?
cd ..
/usr/bin/chmod -R u+rwX home 2> /dev/null
/usr/bin/tar -cf after.tar -C home . 2> /dev/null
exit $code
}
"""


def check_shell_level(level: Level) -> Level:
    """Return a level at which a shell can run; raises `UnknownName` for another one."""
    if level not in LEVELS:
        raise UnknownName("level of the sandbox with a shell", level, list(LEVELS))
    return level


@dataclass
class FolderState:
    """The state of an episode with a folder.

    Attributes:
        folder: The files.
        output: Standard output of the last script; empty before the first.
    """

    folder: Folder = field(default_factory=lambda: Folder({}))
    output: str = ""


class Bash(Tool):
    """Runs a script in the folder and shows what it prints; files stay for the next one.

    Each script has a sandbox of its own, which gets the files and gives them back: nothing else is
    kept, and a script that is stopped, because it takes too long, leaves the files as they were.

    Args:
        level: `strong` or `landlock`.

    Raises:
        UnknownName: If the level is another one.
        SandboxUnavailable: At the first script, if this machine cannot hold the level.
    """

    name = "bash"
    description = (
        "Runs a bash script in the working folder and shows what it prints. Files stay for the "
        "next script; variables, the current folder and background processes do not."
    )
    parameters = one_text("script", "the script", "wc -l *.txt | sort -n", minLength=1)
    body = "script"

    def __init__(self, level: Level = "strong") -> None:
        self.sandbox: Level = check_shell_level(level)

    def call(self, arguments: Mapping[str, Any], state: FolderState) -> ToolResult:
        """Run the script; the state keeps the files and the output."""
        sandbox = shared_sandbox(self.sandbox)
        given = {"before.tar": state.folder.pack(), "script.sh": arguments["script"]}
        result = run_or_again(
            lambda: sandbox.run(shell=_RUN, files=given, collect=["after.tar"], limits=LIMITS)
        )
        if result.verdict == "unavailable":
            return ToolResult("The tool is not available.", ok=False, unavailable=True)
        text, state.output = in_words(result, MAX_CHARACTERS), result.stdout
        try:
            state.folder.unpack(result.files["after.tar"])
        except (KeyError, TooLarge, ValueError) as error:
            why = f": {error}" if isinstance(error, TooLarge) else ""
            text = f"{text}\nThe files are as they were before this script{why}."
            return ToolResult(text, ok=False)
        # No CPU seconds: the infos of two episodes with the same calls would differ.
        return ToolResult(text, result.verdict == "ok")
