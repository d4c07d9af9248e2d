"""`Notebook`: a session that can be copied, because it remembers its cells."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from zerogym.envs.tools.sandbox.limits import Limits
from zerogym.envs.tools.sandbox.replay import Replayed
from zerogym.envs.tools.sandbox.result import Result
from zerogym.envs.tools.sandbox.session import Session

if TYPE_CHECKING:  # it imports this package's parts itself
    from zerogym.envs.tools.sandbox.sandbox import Sandbox


class Notebook(Replayed[Session]):
    """A list of cells, and the session in which they ran; a copy runs them again when it is used.

    A new session has the same seed, files and limits.

    Args:
        sandbox: Where it runs; shared with the copies.
        seed: Of `random` inside.
        limits: The budget of each cell; by default the sandbox's.
        files: What lies in its folder at the beginning.
        total_cpu_s: CPU seconds of all cells together, those that run again included.
    """

    def __init__(
        self,
        sandbox: "Sandbox",
        seed: int = 0,
        limits: Limits | None = None,
        files: Mapping[str, str | bytes] | None = None,
        total_cpu_s: float = 60.0,
    ) -> None:
        super().__init__()
        self.sandbox = sandbox
        self.seed = seed
        self.limits = limits
        self.files = dict(files or {})
        self.total_cpu_s = total_cpu_s

    def _open(self) -> Session:
        session = self.sandbox.session(self.limits, self.total_cpu_s, self.seed)
        session.put(self.files)
        return session

    def _run_in(self, warm: Session, source: str) -> Result:
        return warm.run(source)
