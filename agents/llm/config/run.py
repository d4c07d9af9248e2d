"""The length, the folder and the records of a run."""

from dataclasses import dataclass
from typing import Literal, get_args

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import Group, check_at_least
from zerogym.errors import UnknownName

TrackerName = Literal["tensorboard", "trackio", "wandb"]


@describe_fields
@dataclass(frozen=True)
class RunSettings(Group):
    """The length of a run, its randomness, and what it writes."""

    out: str = "runs/grpo"  # directory of checkpoints, metrics and the final model
    steps: int = 500  # optimiser batches
    seed: int = 0  # of problems and sampling, >= 0
    save_every: int = 50  # steps between checkpoints; 0: only at the end
    keep_checkpoints: int = 1  # the latest ones; games take a run's as `opponent="past:OUT"`
    keep_rollouts: bool = False  # write every trajectory to out/rollouts
    track: tuple[TrackerName, ...] = ()  # trackers of the metrics: tensorboard, trackio, wandb

    def _check(self) -> None:
        """Refuse numbers out of range and unknown trackers."""
        check_at_least(self, steps=0, seed=0, save_every=0, keep_checkpoints=1)
        for name in self.track:
            if name not in get_args(TrackerName):
                raise UnknownName("tracker", name, list(get_args(TrackerName)))
