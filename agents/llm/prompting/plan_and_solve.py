"""Plan and solve: one prompt for a plan and its execution, another for the answer.

"Plan-and-Solve Prompting: Improving Zero-Shot Chain-of-Thought Reasoning by Large Language Models"
(2023, arXiv 2305.04091): an instruction makes a model plan before it works, and a second prompt
extracts the answer. Both are in our words. Left out: the paper's longer instructions for arithmetic
(pass your own `plan`).
"""

from typing import Any

from zerogym.agents.core import Policy
from zerogym.agents.llm.prompting.queries import PromptingPolicy, Reply, query

PLAN = (
    "Before you reply, say what is asked and list the steps that lead there. "
    "Then take the steps one after another."
)
ANSWER = "Therefore, what is the reply? Give it in the form that was asked for."


class PlanAndSolve(PromptingPolicy):
    """A policy that lets another reason before the first reply of each episode.

    The environment gets the last reply only; the reasoning stays in the conversation. Later turns
    of an episode are passed on as they are (our choice: the paper's problems have one).

    Args:
        policy: A policy for texts that keeps its conversation.
        plan: Text after the first observation.
        answer: Text after the reasoning.

    Raises:
        ValueError: `predict`, if the policy has no state.
    """

    def __init__(self, policy: Policy, plan: str = PLAN, answer: str = ANSWER) -> None:
        super().__init__(policy)
        self.plan, self.answer = plan, answer

    def _reply(
        self, texts: list[str], states: list[Any], new: list[bool], deterministic: bool
    ) -> list[Reply]:
        rows = [row for row, fresh in enumerate(new) if fresh]
        prompts = [f"{texts[row]}\n\n{self.plan}" for row in rows]
        plans = query(self.policy, prompts, [None] * len(rows), [True] * len(rows), deterministic)
        for row, (_, after) in zip(rows, plans, strict=True):
            if after is None:
                raise ValueError("PlanAndSolve needs a policy that remembers its conversation")
            texts[row], states[row] = self.answer, after
        return query(self.policy, texts, states, [False] * len(texts), deterministic)
