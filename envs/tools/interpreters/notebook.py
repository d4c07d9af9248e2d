"""The tool that runs Python in a notebook: what a cell defines is there in the next one."""

from zerogym.envs.tools.interpreters.session import Session, SessionTool
from zerogym.envs.tools.sandbox import Sandbox
from zerogym.envs.tools.sandbox.notebook import Notebook
from zerogym.envs.tools.tool import one_text


class NotebookTool(SessionTool):
    """Runs cells of a notebook and shows what they print, and the value of a last expression."""

    name = "notebook"
    description = (
        "Runs a cell of Python (standard library only) and shows what it prints and the value of "
        "its last line. Variables, imports and files stay for the next cell."
    )
    parameters = one_text(
        "code", "the cell", "total = sum(n * n for n in range(10))\ntotal", minLength=1
    )
    body = "code"

    def open(self, sandbox: Sandbox, seed: int) -> Session:
        """Make a notebook without cells."""
        return Notebook(sandbox, seed=seed, limits=self._limits)
