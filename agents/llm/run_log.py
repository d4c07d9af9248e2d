"""What a run tells while it goes on: `metrics.jsonl`, and whoever wants to see progress."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from zerogym.agents.llm import parallel

Progress = Callable[[Mapping[str, float]], None]


class RunLog:
    """The metrics of a run, a line for each step and evaluation.

    Of several processes of a run the first alone writes and tells.

    Args:
        out: The directory of the run, which is made.
        on_progress: Called with each line.
        last: Step of the checkpoint from which the run goes on: lines of later steps, which will
            be taken again, are dropped. None if the run starts: then all are.
    """

    def __init__(self, out: Path, on_progress: Progress | None, last: int | None) -> None:
        self.path, self.on_progress = out / "metrics.jsonl", on_progress
        if parallel.rank():
            return
        out.mkdir(parents=True, exist_ok=True)
        resuming = last is not None and self.path.exists()
        lines = self.path.read_text("utf-8").splitlines() if resuming else []
        whole = [line for line in lines if line.endswith("}")]  # a kill may leave half a line
        kept = [line for line in whole if json.loads(line)["step"] <= (last or 0)]
        beside = self.path.with_suffix(".part")  # a kill must not take the history along
        beside.write_text("".join(f"{line}\n" for line in kept), "utf-8")
        beside.replace(self.path)

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        """Add a line."""
        if parallel.rank():
            return
        line = {"step": step, **metrics}
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        if self.on_progress is not None:
            self.on_progress(line)
