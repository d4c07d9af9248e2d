"""The metrics of a run as it goes on: `metrics.jsonl`, trackers and a callback."""

import json
import math
import signal
from collections.abc import Callable, Mapping
from pathlib import Path

from zerogym.agents.atomic_files import write_text
from zerogym.agents.json_lines import read_rows
from zerogym.agents.llm.distributed import parallel
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.training.tracking import Tracking, check_installed
from zerogym.errors import writing

Progress = Callable[[Mapping[str, float]], None]


class RunLog:
    """The metrics of a run, a line for each step and evaluation; a context manager.

    Of several processes of a run the first alone writes.

    Args:
        config: The settings; the directory `out` is made where the block begins.
        on_progress: Callback for each line.
        last: Step of the checkpoint from which the run resumes: lines of later steps, which will
            be taken again, are dropped. None if the run starts: then all are.

    Raises:
        MissingExtra: If the package of a tracker is not installed.
    """

    def __init__(self, config: GRPOConfig, on_progress: Progress | None, last: int | None) -> None:
        check_installed(config.track)
        self.config, self.on_progress, self.last = config, on_progress, last
        self.path = Path(config.out) / "metrics.jsonl"

    def __enter__(self) -> "RunLog":
        if parallel.rank():
            return self
        self.path.parent.mkdir(parents=True, exist_ok=True)
        resuming = self.last is not None and self.path.exists()
        rows = read_rows(self.path) if resuming else []
        kept = [row for row in rows if row.get("step", 0) <= (self.last or 0)]
        write_text(self.path, "".join(f"{json.dumps(row)}\n" for row in kept))
        self.tracking = Tracking(self.config, 0 if self.last is None else self.last + 1)
        return self

    def __exit__(self, *_: object) -> None:
        if not parallel.rank():
            self.tracking.close()

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        """Add a line."""
        if parallel.rank():
            return
        line = {"step": step, **metrics}
        with writing(self.path), open(self.path, "a", encoding="utf-8") as file:
            plain = {name: value if math.isfinite(value) else None for name, value in line.items()}
            file.write(json.dumps(plain) + "\n")  # JSON has no NaN: null
        self.tracking.write(step, metrics)
        if self.on_progress is None:
            return
        try:
            self.on_progress(line)
        except KeyboardInterrupt:
            if parallel.world_size() == 1:
                raise
            signal.raise_signal(signal.SIGINT)  # so that the step ends as those of the others do
