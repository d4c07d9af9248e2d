"""One group of episodes for each prompt."""

from dataclasses import dataclass

from zerogym.agents.llm.algorithms.rollout_tables import Rolling, Rollouts, Step, rollouts
from zerogym.agents.llm.rollout.request import Request


@rollouts("plain")
@dataclass(frozen=True)
class Plain(Rollouts):
    """Play a group of episodes of each prompt, and train on all of them."""

    numbered = False  # the draws of a step are those of runs from before there were requests
    one_round = True

    def __call__(self, step: Step) -> Rolling:
        played = yield [Request(prompt) for prompt in step.draw(step.problems)]
        return [group for seats in played for group in seats]
