"""RAE: a moving average of returns for each game and role as the baseline."""

from collections import defaultdict
from dataclasses import dataclass

from zerogym.agents.llm.algorithms.advantage_tables import Advantage, advantage
from zerogym.agents.llm.algorithms.batch import Batch, Sample, Weights


@advantage("rae")
@dataclass(frozen=True)
class Rae(Advantage):
    """Subtract the average of past returns of the same game and role, read before its update.

    A role is one that the game names, of the first turn that is trained on, else the seat.
    `A = r - b`, then `b <- decay b + (1 - decay) r`. The averages start at 0 and are in the
    checkpoint. All episodes of an update read the same b; n of them then count as n updates with
    their mean, so that their order does not matter (our choice). Left out: opponents.
    """

    source = (
        "SPIRAL: Self-Play on Zero-Sum Games Incentivizes Reasoning via Multi-Agent Multi-Turn "
        "Reinforcement Learning (2025, arXiv 2506.24119)"
    )
    uses_equal_groups = True
    minimum_group = 1

    decay: float = 0.95  # share of the old average that stays after an episode, in [0, 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.decay < 1:
            raise ValueError(f"decay must be in [0, 1), got {self.decay!r}")

    def __call__(self, batch: Batch) -> Weights:
        """Return returns less the averages of before, and update the averages."""
        baselines = batch.state.setdefault("baselines", {})
        weights = [
            [sample.total - baselines.get(_role(sample), 0.0) for sample in group]
            for group in batch.groups
        ]
        returns: dict[str, list[float]] = defaultdict(list)
        for sample in batch.samples:
            returns[_role(sample)].append(sample.total)
        for role, own in returns.items():
            kept = self.decay ** len(own)
            mean = sum(sorted(own)) / len(own)
            baselines[role] = kept * baselines.get(role, 0.0) + (1 - kept) * mean
        return weights


def _role(sample: Sample) -> str:
    item = sample.trajectory
    own = (turn.role for number, turn in enumerate(item.turns) if item.learns(number))
    role = next(own, item.role)
    return f"{item.env} {item.seat} {role}" if role == item.role else f"{item.env} {role}"
