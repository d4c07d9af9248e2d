"""The evaluations of a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import Group, check_at_least


@describe_fields
@dataclass(frozen=True)
class EvaluationSettings(Group):
    """The evaluations on problems that the model is not trained on."""

    eval_every: int = 0  # steps between evaluations; 0: only before and after
    eval_episodes: int = 300  # problems of the test side; games from each seat; 0: no evaluation
    eval_samples: int = 1  # episodes of each problem; of several, pass@k and out/outcomes
    eval_temperature: float = 0.0  # of evaluated replies, >= 0; 0 takes the likeliest tokens
    eval_opponent: str = "random"  # of a game's evaluation: who plays all other seats
    eval_wrappers: Mapping[str, Any] = field(default_factory=dict)  # those of the evaluation
    eval_tasks: Mapping[str, Any] = field(
        default_factory=dict
    )  # in place of the test side of what is trained on: {NAME: {"env": ID, "kwargs": {...}}}

    def _check(self) -> None:
        """Refuse numbers out of range, and several samples that are all the same."""
        check_at_least(self, eval_every=0, eval_episodes=0, eval_samples=1, eval_temperature=0)
        if self.eval_samples > 1 and self.eval_temperature == 0:
            raise ValueError(
                f"at eval_temperature 0 all {self.eval_samples} samples of a problem are the same: "
                "set it, say to 1"
            )
