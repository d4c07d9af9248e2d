"""Self-consistency: of several samples, the most frequent answer is the reply.

"Self-Consistency Improves Chain of Thought Reasoning in Language Models" (2022, arXiv 2203.11171):
chains of thought differ between samples, and correct ones agree in the answer. Left out: votes
weighted by probability, which the paper finds no better.
"""

from collections import Counter
from collections.abc import Callable

from zerogym.agents.core import Policy
from zerogym.agents.llm.prompting.queries import Reply, SamplingPolicy
from zerogym.envs.reasoning.answers import extract_answer


def answer_of(reply: str) -> str:
    """Return the answer in a reply, as the environments read it, without outer blanks and case.

    Example:
        >>> answer_of("so 2 + 2 = 4 <answer> Four </answer>")
        'four'
    """
    return extract_answer(reply)[0].strip().casefold()


class SelfConsistency(SamplingPolicy):
    """A policy that replies with the majority's answer of `n` samples of another.

    The reply is the first whole sample with that answer, so that conversations go on from it; of
    answers with as many votes, the one sampled first.

    Args:
        policy: A policy for texts whose samples differ.
        n: Samples for each observation, >= 1.
        extract: The answer of a reply; equal ones are votes for the same.

    Raises:
        ValueError: If `n` is below 1.
    """

    def __init__(
        self, policy: Policy, n: int = 8, extract: Callable[[str], str] = answer_of
    ) -> None:
        super().__init__(policy, n)
        self.extract = extract

    def _choose(self, text: str, replies: list[Reply]) -> Reply:
        answers = [self.extract(reply) for reply, _ in replies]
        ((winner, _),) = Counter(answers).most_common(1)  # the first of equals
        return replies[answers.index(winner)]
