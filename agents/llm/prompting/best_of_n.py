"""Best of n: several draws, of which the one that a scorer likes best is said.

An old idea without a paper of its own; "Learning to summarize from human feedback" (2020, arXiv
2009.01325) uses it with a learned reward as the scorer. The scorer must be something that exists
when the policy is used: the environment's own score is not. Left out: scoring turns ahead by
playing on.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from zerogym.agents.core import Policy
from zerogym.agents.llm.prompting.queries import Said, episode_starts, sample

Score = Callable[[str, str], float]


class BestOfN:
    """A policy that says the best of `n` draws of another; the first of equals.

    Its conversations are those of the draws that were said. Draws must differ, so they are always
    sampled: `deterministic` is not passed on, and the policy's own seed decides.

    Args:
        policy: A policy for texts whose draws differ.
        score: How good a reply to an observation is; the larger the better.
        n: Draws for each observation, >= 1.

    Raises:
        ValueError: If `n` is below 1.

    Example:
        >>> from zerogym.agents.llm.generation.engines import load_generator
        >>> from zerogym.agents.llm.policy import LLMPolicy
        >>> policy = BestOfN(LLMPolicy(load_generator("tiny")), lambda asked, reply: -len(reply), 4)
        >>> replies, state = policy.predict(["Calculate 8 - 3."])
    """

    def __init__(self, policy: Policy, score: Score, n: int = 8) -> None:
        if n < 1:
            raise ValueError(f"n must be at least 1, got {n!r}")
        self.policy, self.score, self.n = policy, score, n

    def predict(
        self,
        observations: Sequence[str],
        state: Sequence[Any] | None = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[list[str], list[Any]]:
        """The best of the draws for each observation, and the conversations that go on from them.

        Raises:
            ValueError: If a score is not a number.
        """
        new = episode_starts(len(observations), state, episode_start)
        draws = sample(self.policy, observations, state or [None] * len(new), new, self.n)
        best = [self._best(text, own) for text, own in zip(observations, draws, strict=True)]
        return [reply for reply, _ in best], [after for _, after in best]

    def _best(self, text: str, draws: list[Said]) -> Said:
        scores = [float(self.score(text, reply)) for reply, _ in draws]
        if any(math.isnan(score) for score in scores):
            raise ValueError(f"the score of a reply to {text[:80]!r} is not a number")
        return draws[scores.index(max(scores))]
