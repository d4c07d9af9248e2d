"""Groups that teach nothing are replaced: DAPO's dynamic sampling, and a band of difficulty."""

from dataclasses import dataclass

from zerogym.agents.llm.algorithms.rollout_tables import (
    Group,
    Rolling,
    Rollouts,
    Step,
    rollouts,
)
from zerogym.agents.llm.rollout.request import Request
from zerogym.agents.settings import check_at_least


@rollouts("refill")
@dataclass(frozen=True)
class Refill(Rollouts):
    """Drop groups whose rewards are all equal, and play others in their place.

    With `easiest` below 1 or `hardest` above 0, groups whose share of successful episodes is
    outside of the band are dropped, too, as in "Online Difficulty Filtering for Reasoning Oriented
    Reinforcement Learning" (2025, arXiv 2504.03380). Rewards are those of the environment. A
    problem of a game counts as long as the group of one seat is left. If the rounds are not enough
    the batch is smaller, or empty.
    """

    source = (
        '"DAPO: An Open-Source LLM Reinforcement Learning System at Scale" (2025, arXiv 2503.14476)'
    )
    numbered = False  # the draws of a step are those of runs from before there were requests
    drops_equal_groups = True
    rounds: int = 9  # of replacement, at most
    hardest: float = 0.0  # least share of successful episodes in a group
    easiest: float = 1.0  # its largest share

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, rounds=0)
        if not 0 <= self.hardest <= self.easiest <= 1:
            raise ValueError(
                f"0 <= hardest <= easiest <= 1 must hold, got {self.hardest} and {self.easiest}"
            )

    def __call__(self, step: Step) -> Rolling:
        kept: list[list[Group]] = []
        for _ in range(self.rounds + 1):
            missing = step.problems - len(kept)
            if missing <= 0:
                break
            played = yield [Request(prompt) for prompt in step.draw(missing)]
            useful = [[group for group in seats if self._keeps(step, group)] for seats in played]
            kept += [seats for seats in useful if seats]
        return [group for seats in kept for group in seats]

    def _keeps(self, step: Step, group: Group) -> bool:
        if not step.teaches(group):
            return False
        if (self.hardest, self.easiest) == (0.0, 1.0):
            return True
        share = sum(each.correct for each in group) / len(group)
        return self.hardest <= share <= self.easiest
