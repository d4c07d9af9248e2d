"""The length, the rates and the log of a forward-backward run."""

from dataclasses import dataclass

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import Group
from zerogym.agents.zero_shot.settings.checks import check_least, check_shares


@describe_fields
@dataclass(frozen=True)
class TrainingSettings(Group):
    """The length of a run, its randomness, the fall of its rates, and what it logs."""

    updates: int = 3_000  # gradient steps
    batch_size: int = 128  # transitions a gradient step
    seed: int = 0  # of the data, the initial weights and the batches
    seeds: int = 1  # runs trained at once, with seeds from `seed` on; see `multi_seed.py`
    peak_updates: int = 4_000  # then tau and rates fall as peak_updates / update, see `tau_scale`
    final_lr: float = 0.02  # all rates fall linearly to this part of themselves in the second half
    evaluate_every: int = 0  # updates between scores in the log, on tasks of the world; 0: none
    checkpoint_every: int = 1_000  # updates between checkpoints
    stop_diverged: bool = True  # end a diverging run; False: only one with NaN or infinite numbers

    def _check(self) -> None:
        """Refuse numbers out of range."""
        check_least(self, seed=0, updates=0, evaluate_every=0)
        check_least(self, seeds=1, peak_updates=1, checkpoint_every=1)
        check_least(self, batch_size=2)  # a batch is its own negatives
        check_shares(self, "final_lr")
