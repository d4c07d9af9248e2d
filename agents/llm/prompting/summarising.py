"""Summaries: a conversation that grew too long starts anew from a summary of it.

As the recursive summaries of "MemGPT: Towards LLMs as Operating Systems" (2023, arXiv 2310.08560),
without its stores: the policy itself writes the summary. Left out: searching in what was dropped,
and counting tokens (characters need no tokenizer).
"""

from dataclasses import dataclass
from typing import Any

from zerogym.agents.core import Policy
from zerogym.agents.llm.prompting.queries import PromptingPolicy, Reply, query

SUMMARISE = "Sum up in a few sentences what was done and found out so far, and what is left to do."


@dataclass(frozen=True)
class Talk:
    """The conversation of one row.

    Attributes:
        inner: The state of the policy.
        task: The first observation of the episode, which is never summed up.
        length: Characters since the conversation began, or began anew.
    """

    inner: Any
    task: str
    length: int


class Summarising(PromptingPolicy):
    """A policy that keeps the conversations of another one short by summaries.

    Where a new observation would bring a conversation above `limit`, the policy is queried for a
    summary, in that conversation; a new one then opens with the episode's first observation, the
    summary and the new observation. The environment never gets a summary.

    Args:
        policy: A policy for texts that keeps its conversation.
        limit: Characters after which a conversation is summed up, >= 1; leave room in the model's
            context for the question and the summary.
        question: The request for a summary.

    Raises:
        ValueError: If `limit` is below 1.
    """

    def __init__(self, policy: Policy, limit: int, question: str = SUMMARISE) -> None:
        if limit < 1:
            raise ValueError(f"limit must be at least 1, got {limit!r}")
        super().__init__(policy)
        self.limit, self.question = limit, question

    def _reply(
        self, texts: list[str], states: list[Any], new: list[bool], deterministic: bool
    ) -> list[Reply]:
        talks: list[Talk] = [
            Talk(None, text, 0) if fresh else state
            for text, state, fresh in zip(texts, states, new, strict=True)
        ]
        long = [
            row
            for row, talk in enumerate(talks)
            if not new[row] and talk.length + len(texts[row]) > self.limit
        ]
        count = len(long)
        summaries = query(
            self.policy, [self.question] * count, [talks[row].inner for row in long],
            [False] * count, deterministic,
        )  # fmt: skip
        for row, (summary, _) in zip(long, summaries, strict=True):
            task = talks[row].task
            texts[row] = f"{task}\n\nSo far: {summary}\n\n{texts[row]}"
            talks[row], new[row] = Talk(None, task, 0), True
        replies = query(self.policy, texts, [talk.inner for talk in talks], new, deterministic)
        return [
            (reply, Talk(inner, talk.task, talk.length + len(text) + len(reply)))
            for talk, text, (reply, inner) in zip(talks, texts, replies, strict=True)
        ]
