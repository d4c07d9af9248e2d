"""The prompts of a forward-backward run."""

from dataclasses import dataclass

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import Group
from zerogym.agents.zero_shot.settings.checks import check_least, check_shares


@describe_fields
@dataclass(frozen=True)
class PromptSettings(Group):
    """The z of training, and the data from which z of a reward is inferred later."""

    goal_share: float = 0.5  # part of the z that are B of a data point; the others are uniform
    samples: int = 10_000  # transitions kept beside the model, for reward inference

    def _check(self) -> None:
        """Refuse numbers out of range."""
        check_least(self, samples=1)
        check_shares(self, "goal_share")
