"""Trackers of a run's metrics: TensorBoard, trackio, Weights & Biases.

`tensorboard --logdir OUT/tensorboard` shows each number of `metrics.jsonl` over the steps, and the
settings as text. `trackio show --project zerogym` shows the same of all runs on this machine.
Weights & Biases gets it too; `WANDB_MODE=offline` keeps it on this machine, and `wandb sync` sends
it later. An error of a tracker, a full disk say, does not end the run: there is one warning, and
the tracker gets no more metrics.

Left out: texts of replies, histograms.
"""

import io
import json
import os
import secrets
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any, Protocol

from zerogym.agents.llm.config.run import TrackerName
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.errors import require


class Tracker(Protocol):
    """A destination of a run's metrics."""

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        """Add the metrics of a step."""

    def close(self) -> None:
        """Finish; there will be no more metrics."""


class TensorBoard:
    """Event files in `out/tensorboard`.

    Args:
        config: The settings, which are shown at the first step.
        first: The first step. What a run without a later checkpoint wrote of it and of later ones
            is hidden.
    """

    def __init__(self, config: GRPOConfig, first: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        folder = Path(config.out) / "tensorboard"
        self._writer: Any = SummaryWriter(str(folder), purge_step=first)
        lines = json.dumps(config.record(), indent=2).splitlines()
        text = "\n".join(f"    {line}" for line in lines)  # as Markdown has code
        self._writer.add_text("settings", text, first)

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        """Add metrics; they are kept if the program is killed afterwards."""
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, step)
        self._writer.flush()

    def close(self) -> None:
        """Finish; there will be no more metrics."""
        self._writer.close()


class Trackio:
    """A run of the project `zerogym` (or `TRACKIO_PROJECT`) in trackio's own folder.

    Its name is that of the folder `out` and an id, which `out/trackio/id` keeps: a resumed run has
    the same name. Steps that it takes again are there twice.

    Args:
        config: The settings.
        first: The first step; 0 begins a new run.
    """

    def __init__(self, config: GRPOConfig, first: int) -> None:
        import trackio

        out = Path(config.out)
        with redirect_stdout(io.StringIO()):  # the terminal shows our progress
            self._run: Any = trackio.init(
                os.environ.get("TRACKIO_PROJECT", "zerogym"), resume="allow", embed=False,
                name=f"{out.name}-{_identity(out / 'trackio', first)}", config=config.record(),
            )  # fmt: skip

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        """Add metrics; those of the last half second may be lost if the program is killed."""
        self._run.log(dict(metrics), step=step)

    def close(self) -> None:
        """Finish; there will be no more metrics."""
        import trackio

        with redirect_stdout(io.StringIO()):  # the terminal shows our progress
            trackio.finish()  # as `self._run.finish()`, and not once more at exit


class WeightsAndBiases:
    """A run of the project `zerogym` (or `WANDB_PROJECT`); its files are in `out/wandb`.

    A resumed run has the same id. Steps that it takes again are the same steps, so that it does
    not matter which of the two lines is kept.

    Args:
        config: The settings.
        first: The first step; 0 begins a new run.
    """

    def __init__(self, config: GRPOConfig, first: int) -> None:
        import wandb

        out = Path(config.out)
        silent = wandb.Settings(console="off", silent=True)  # the terminal shows our progress
        self._run: Any = wandb.init(
            project=os.environ.get("WANDB_PROJECT", "zerogym"), name=out.name, dir=str(out),
            id=_identity(out / "wandb", first), resume="allow", config=config.record(),
            settings=silent,
        )  # fmt: skip

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        """Add metrics; those of the last step may be lost if the program is killed."""
        self._run.log(dict(metrics), step=step)

    def close(self) -> None:
        """Finish; there will be no more metrics."""
        self._run.finish()


def _identity(folder: Path, first: int) -> str:
    """Return the id of a run, which is kept in the folder and new for a new run."""
    kept = folder / "id"
    if not (first and kept.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        kept.write_text(secrets.token_hex(4), "ascii")
    return kept.read_text("ascii")


TRACKERS: dict[TrackerName, Callable[[GRPOConfig, int], Tracker]] = {
    "tensorboard": TensorBoard,
    "trackio": Trackio,
    "wandb": WeightsAndBiases,
}
EXTRAS: dict[TrackerName, str] = {"tensorboard": "track", "trackio": "trackio", "wandb": "wandb"}


def check_installed(names: Sequence[TrackerName]) -> None:
    """Raise MissingExtra if the package of a tracker is missing."""
    for name in names:
        require(name, EXTRAS[name], f"track={name!r}")


class Tracking:
    """All trackers of a run; one that fails gives a warning, and gets no more metrics.

    Args:
        config: The settings; `track` names the trackers.
        first: The first step.
    """

    def __init__(self, config: GRPOConfig, first: int) -> None:
        self._trackers: dict[TrackerName, Tracker] = {}
        for name in config.track:
            try:
                self._trackers[name] = TRACKERS[name](config, first)
            except Exception as error:
                _warn(name, error)

    def write(self, step: int, metrics: Mapping[str, float]) -> None:
        """Add the metrics of a step to all."""
        for name, tracker in list(self._trackers.items()):
            try:
                tracker.write(step, metrics)
            except Exception as error:
                del self._trackers[name]
                with suppress(Exception):
                    tracker.close()
                _warn(name, error)

    def close(self) -> None:
        """Finish; there will be no more metrics."""
        while self._trackers:
            name, tracker = self._trackers.popitem()
            try:
                tracker.close()
            except Exception as error:
                _warn(name, error)


def _warn(name: TrackerName, error: Exception) -> None:
    warnings.warn(f"{name} fails, and gets no more metrics: {error!r}", stacklevel=2)
