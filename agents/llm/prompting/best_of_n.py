"""Best of n: the sample with the highest score is the reply.

An old idea without a paper of its own; "Learning to summarize from human feedback" (2020, arXiv
2009.01325) uses it with a learned reward as the scorer. The scorer must be something that exists
when the policy is used: the environment's own score is not. Left out: scoring turns by playing on.
"""

import math
from collections.abc import Callable

from zerogym.agents.core import Policy
from zerogym.agents.llm.prompting.queries import Reply, SamplingPolicy

Score = Callable[[str, str], float]


class BestOfN(SamplingPolicy):
    """A policy that replies with the best of `n` samples of another; the first of equals.

    Args:
        policy: A policy for texts whose samples differ.
        score: The quality of a reply to an observation; the larger the better.
        n: Samples for each observation, >= 1.

    Raises:
        ValueError: If `n` is below 1; `predict`, if a score is not a number.

    Example:
        >>> from zerogym.agents.llm.generation.engines import load_generator
        >>> from zerogym.agents.llm.policy import LLMPolicy
        >>> policy = BestOfN(LLMPolicy(load_generator("tiny")), lambda text, reply: -len(reply), 4)
        >>> replies, state = policy.predict(["Calculate 8 - 3."])
    """

    def __init__(self, policy: Policy, score: Score, n: int = 8) -> None:
        super().__init__(policy, n)
        self.score = score

    def _choose(self, text: str, replies: list[Reply]) -> Reply:
        scores = [float(self.score(text, reply)) for reply, _ in replies]
        if any(math.isnan(score) for score in scores):
            raise ValueError(f"the score of a reply to {text[:80]!r} is not a number")
        return replies[scores.index(max(scores))]
