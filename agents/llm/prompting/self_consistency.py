"""Self-consistency: several draws, of which the answer that most of them give is said.

"Self-Consistency Improves Chain of Thought Reasoning in Language Models" (2022, arXiv 2203.11171):
reasoning differs from draw to draw, and right ways agree in the end. Left out: votes weighed by
probability, which the paper finds no better.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from zerogym.agents.core import Policy
from zerogym.agents.llm.prompting.queries import Said, episode_starts, sample
from zerogym.envs.reasoning.answers import extract_answer


def answer_of(reply: str) -> str:
    """The answer in a reply, as the environments read it, without outer blanks and case.

    Example:
        >>> answer_of("so 2 + 2 = 4 <answer> Four </answer>")
        'four'
    """
    return extract_answer(reply)[0].strip().casefold()


class SelfConsistency:
    """A policy that says the majority's answer of `n` draws of another.

    Said is the first whole draw with that answer, so that conversations go on from what was really
    said; of answers with as many votes, the one drawn first. Draws are always sampled, so that they
    differ: `deterministic` is not passed on.

    Args:
        policy: A policy for texts whose draws differ.
        n: Draws for each observation, >= 1.
        extract: What of a reply is the answer; equal ones are votes for the same.

    Raises:
        ValueError: If `n` is below 1.
    """

    def __init__(
        self, policy: Policy, n: int = 8, extract: Callable[[str], str] = answer_of
    ) -> None:
        if n < 1:
            raise ValueError(f"n must be at least 1, got {n!r}")
        self.policy, self.n, self.extract = policy, n, extract

    def predict(
        self,
        observations: Sequence[str],
        state: Sequence[Any] | None = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[list[str], list[Any]]:
        """The majority's reply to each observation, and the conversations that go on from them."""
        new = episode_starts(len(observations), state, episode_start)
        draws = sample(self.policy, observations, state or [None] * len(new), new, self.n)
        agreed = [self._agreed(own) for own in draws]
        return [reply for reply, _ in agreed], [after for _, after in agreed]

    def _agreed(self, draws: list[Said]) -> Said:
        answers = [self.extract(reply) for reply, _ in draws]
        ((winner, _),) = Counter(answers).most_common(1)  # the first of equals
        return draws[answers.index(winner)]
