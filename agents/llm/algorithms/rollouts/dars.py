"""DARS: a second round of episodes for hard problems."""

import math
from dataclasses import dataclass
from typing import Literal

from zerogym.agents.llm.algorithms.rollout_tables import Rolling, Rollouts, Step, rollouts
from zerogym.agents.llm.rollout.request import Request
from zerogym.errors import UnknownName

Schedule = Literal["equal", "hardness"]


@rollouts("dars")
@dataclass(frozen=True)
class DARS(Rollouts):
    """Play more episodes of problems of which less than half of the first ones succeeded.

    Of N first episodes a share u succeeds. The sum of absolute advantages of a group is N S(u),
    with S(u) = 2 u (1 - u) where advantages are not divided by the group's deviation, and
    2 sqrt(u (1 - u)) where they are (`divided`). It is largest at u = 1/2, so that hard problems
    weigh less; ceil((w N S(1/2) - N S(u)) / S(u)) further episodes make up for it, with w = 1
    (`equal`) or 2 (1 - u) (`hardness`). As in the authors' code u = 0 counts as 1 / (2 N), and a
    group has `most` episodes at most. Left out: a first round that only estimates u.
    """

    source = (
        '"Depth-Breadth Synergy in RLVR: Unlocking LLM Reasoning Gains with Adaptive Exploration" '
        "(2025, arXiv 2508.13755)"
    )
    schedule: Schedule = "equal"  # equal, or hardness: more for the hardest
    most: int = 32  # episodes of a group, both rounds together
    divided: bool = False  # whether the advantages are divided by the group's deviation

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.schedule not in ("equal", "hardness"):
            raise UnknownName("schedule", self.schedule, ["equal", "hardness"])
        if self.most < 1:
            raise ValueError(f"most must be at least 1, got {self.most!r}")

    def __call__(self, step: Step) -> Rolling:
        first = [Request(prompt) for prompt in step.draw(step.problems)]
        played = yield first
        more = []
        for number, (request, seats) in enumerate(zip(first, played, strict=True)):
            episodes = [each for group in seats for each in group]
            if not episodes:
                continue
            share = sum(each.correct for each in episodes) / len(episodes)
            extra = self.extra(share, max(map(len, seats)))
            if extra > 0:
                more.append(Request(request.prompt, extra, joins=number))
        second = (yield more) if more else []
        for request, seats in zip(more, second, strict=True):
            assert request.joins is not None
            for group in seats:
                [own] = [each for each in played[request.joins] if each[0].seat == group[0].seat]
                own += group
        return [group for seats in played for group in seats]

    def extra(self, share: float, count: int) -> int:
        """Return the further episodes of a group of which a share has succeeded."""
        if share >= 0.5 or count < 1:
            return 0
        share = share or 0.5 / count
        own, peak = 2 * share * (1 - share), 0.5
        if self.divided:
            own, peak = 2 * math.sqrt(share * (1 - share)), 1.0
        weight = 1.0 if self.schedule == "equal" else 2 * (1 - share)
        lacking = count * (weight * peak - own) / own
        return max(0, min(math.ceil(lacking), self.most - count))
