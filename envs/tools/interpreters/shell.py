"""The tool that runs shell scripts: files stay from call to call, variables do not."""

from zerogym.envs.tools.interpreters.session import Session, SessionTool
from zerogym.envs.tools.sandbox import Limits, Result, Sandbox, Zygote
from zerogym.envs.tools.sandbox.replay import Replayed
from zerogym.envs.tools.tool import one_text


class ShellTool(SessionTool):
    """Runs scripts in `/task` and shows what they print."""

    name = "shell"
    description = (
        "Runs a bash script in the folder /task and shows what it prints. Files stay for the next "
        "script; variables, the current folder and background processes do not."
    )
    parameters = one_text(
        "script", "the script", "seq 1 10 > numbers.txt\nwc -l numbers.txt", minLength=1
    )
    body = "script"

    def open(self, sandbox: Sandbox, seed: int) -> Session:
        """Make a folder without files."""
        return ShellSession(sandbox, seed, self._limits)


class ShellSession(Replayed[Zygote]):
    """Scripts of an episode, each a process of its own in the same folder.

    Args:
        sandbox: Where they run.
        seed: Of the warm interpreter behind them.
        limits: The budget of each script.
    """

    def __init__(self, sandbox: Sandbox, seed: int, limits: Limits) -> None:
        super().__init__()
        self._sandbox, self._seed, self._limits = sandbox, seed, limits

    def _open(self) -> Zygote:
        return self._sandbox.zygote(self._limits, seed=self._seed)

    def _run_in(self, warm: Zygote, source: str) -> Result:
        return warm.run(shell=source)
