"""Plan and solve: ask for a plan and its execution first, for the answer afterwards.

"Plan-and-Solve Prompting: Improving Zero-Shot Chain-of-Thought Reasoning by Large Language Models"
(2023, arXiv 2305.04091): an instruction makes a model plan before it works, and a second question
takes the answer out of the work. Both are in our words. Left out: the paper's longer instructions
for arithmetic (pass your own `plan`).
"""

from collections.abc import Sequence
from typing import Any

from zerogym.agents.core import Policy
from zerogym.agents.llm.prompting.queries import episode_starts, query

PLAN = (
    "Before you reply, say what is asked and list the steps that lead there. "
    "Then take the steps one after another."
)
ANSWER = "Therefore, what is the reply? Give it in the form that was asked for."


class PlanAndSolve:
    """A policy that lets another think before the first reply of each episode.

    The world hears the last reply only; the thoughts stay in the conversation. Later turns of an
    episode are passed on as they are (our choice: the paper's problems have one).

    Args:
        policy: A policy for texts that remembers its conversation.
        plan: Said after the first observation.
        answer: Said after the thoughts.
    """

    def __init__(self, policy: Policy, plan: str = PLAN, answer: str = ANSWER) -> None:
        self.policy, self.plan, self.answer = policy, plan, answer

    def predict(
        self,
        observations: Sequence[str],
        state: Sequence[Any] | None = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[list[str], list[Any]]:
        """Replies and conversations, thoughts included.

        Raises:
            ValueError: If the policy has no memory: it would not know its thoughts.
        """
        new = episode_starts(len(observations), state, episode_start)
        texts, states = list(observations), list(state or [None] * len(new))
        rows = [row for row, fresh in enumerate(new) if fresh]
        asked = [f"{texts[row]}\n\n{self.plan}" for row in rows]
        thoughts = query(self.policy, asked, [None] * len(rows), [True] * len(rows), deterministic)
        for row, (_, after) in zip(rows, thoughts, strict=True):
            if after is None:
                raise ValueError("PlanAndSolve needs a policy that remembers its conversation")
            texts[row], states[row] = self.answer, after
        said = query(self.policy, texts, states, [False] * len(texts), deterministic)
        return [reply for reply, _ in said], [after for _, after in said]
