"""Programs that draw a run's metrics while it goes on: TensorBoard and Weights & Biases.

`tensorboard --logdir OUT/tensorboard` shows each number of `metrics.jsonl` over the steps, and the
settings as text. Weights & Biases gets the same; `WANDB_MODE=offline` keeps it on this machine, and
`wandb sync` sends it later. What fails while a run goes on, a full disk say, does not end the run:
the tracker is told once and gets no more.

Left out: texts of replies, histograms.
"""

import json
import os
import secrets
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from zerogym.agents.llm.grpo_config import GRPOConfig, TrackerName
from zerogym.errors import require


class Tracker(Protocol):
    """Takes the metrics of a run."""

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        """Add a line."""

    def close(self) -> None:
        """Nothing more will come."""


class TensorBoard:
    """Event files in `out/tensorboard`.

    Args:
        config: The settings, which are shown from the step on from which they hold.
        first: Step of the first line. What was written of it and later ones, by a run that has
            not come so far as to save, is hidden.
    """

    def __init__(self, config: GRPOConfig, first: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        folder = Path(config.out) / "tensorboard"
        self._writer: Any = SummaryWriter(str(folder), purge_step=first)
        lines = json.dumps(asdict(config), indent=2).splitlines()
        text = "\n".join(f"    {line}" for line in lines)  # as Markdown has code
        self._writer.add_text("settings", text, first)

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        """Add a line; it is kept if the program is killed afterwards."""
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, step)
        self._writer.flush()

    def close(self) -> None:
        """Nothing more will come."""
        self._writer.close()


class WeightsAndBiases:
    """A run of the project `zerogym` (or `WANDB_PROJECT`); its files are in `out/wandb`.

    A resumed run goes on under the same id. Steps that it takes again are the same steps, so that
    it does not matter which of the two lines is kept.

    Args:
        config: The settings.
        first: Step of the first line; 0 begins a new run.
    """

    def __init__(self, config: GRPOConfig, first: int) -> None:
        import wandb

        out = Path(config.out)
        name = out / "wandb" / "id"
        if not (first and name.exists()):
            name.parent.mkdir(parents=True, exist_ok=True)
            name.write_text(secrets.token_hex(4), "ascii")
        quiet = wandb.Settings(console="off", silent=True)  # the terminal shows our progress
        self._run: Any = wandb.init(
            project=os.environ.get("WANDB_PROJECT", "zerogym"), name=out.name, dir=str(out),
            id=name.read_text("ascii"), resume="allow", config=asdict(config), settings=quiet,
        )  # fmt: skip

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        """Add a line; of a program that is killed the line of the last step may be lost."""
        self._run.log(dict(metrics), step=step)

    def close(self) -> None:
        """Nothing more will come."""
        self._run.finish()


TRACKERS: dict[TrackerName, Callable[[GRPOConfig, int], Tracker]] = {
    "tensorboard": TensorBoard,
    "wandb": WeightsAndBiases,
}


def check_installed(names: Sequence[TrackerName]) -> None:
    """Refuse trackers whose package is missing.

    Raises:
        MissingExtra: If one is.
    """
    for name in names:
        require(name, "wandb" if name == "wandb" else "track", f"track={name!r}")


class Tracking:
    """All trackers of a run; one that fails is warned of, and gets no more.

    Args:
        config: The settings; `track` names the trackers.
        first: Step of the first line.
    """

    def __init__(self, config: GRPOConfig, first: int) -> None:
        self._trackers: dict[TrackerName, Tracker] = {}
        for name in config.track:
            try:
                self._trackers[name] = TRACKERS[name](config, first)
            except Exception as error:
                _warn(name, error)

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        """Add a line to all."""
        for name, tracker in list(self._trackers.items()):
            try:
                tracker.write(step, metrics)
            except Exception as error:
                del self._trackers[name]
                with suppress(Exception):
                    tracker.close()
                _warn(name, error)

    def close(self) -> None:
        """Nothing more will come."""
        while self._trackers:
            name, tracker = self._trackers.popitem()
            try:
                tracker.close()
            except Exception as error:
                _warn(name, error)


def _warn(name: TrackerName, error: Exception) -> None:
    warnings.warn(f"{name} fails, and gets no more metrics: {error!r}", stacklevel=2)
