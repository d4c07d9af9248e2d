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
    later_share: float = 0.0  # part of these points that come later in the walk of the transition
    reward_share: float = 0.0  # part of the z that are of random linear rewards and networks
    samples: int = 10_000  # transitions kept beside the model, for reward inference

    def _check(self) -> None:
        """Refuse numbers out of range."""
        check_least(self, samples=1)
        check_shares(self, "goal_share", "later_share", "reward_share")
        if self.goal_share + self.reward_share > 1:
            raise ValueError("goal_share and reward_share must not exceed 1 together")
