"""Memory by summary: a conversation that grew too long starts anew from what mattered in it.

As the recursive summaries of "MemGPT: Towards LLMs as Operating Systems" (2023, arXiv 2310.08560),
without its stores: the policy itself writes the summary. Left out: searching in what was
forgotten, and counting tokens (characters need no tokenizer).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from zerogym.agents.core import Policy
from zerogym.agents.llm.prompting.queries import episode_starts, query

SUMMARISE = "Sum up in a few sentences what was done and found out so far, and what is left to do."


@dataclass(frozen=True)
class Memory:
    """One row's conversation.

    Attributes:
        inner: The state of the policy.
        task: The first observation of the episode, which is never summed up.
        length: Characters said since the conversation began, or began anew.
    """

    inner: Any
    task: str
    length: int


class Summarising:
    """A policy whose conversations stay short, by summaries that another policy writes of its own.

    Where a new observation would bring a conversation above `limit`, the policy is asked for a
    summary, in that conversation; a new one then opens with the episode's first observation, the
    summary and the new observation.

    Args:
        policy: A policy for texts that remembers its conversation.
        limit: Characters after which a conversation is summed up, >= 1; leave room in the model's
            context for the question and the summary.
        question: How the summary is asked for.

    Raises:
        ValueError: If `limit` is below 1.
    """

    def __init__(self, policy: Policy, limit: int, question: str = SUMMARISE) -> None:
        if limit < 1:
            raise ValueError(f"limit must be at least 1, got {limit!r}")
        self.policy, self.limit, self.question = policy, limit, question

    def predict(
        self,
        observations: Sequence[str],
        state: Sequence[Memory] | None = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[list[str], list[Memory]]:
        """Replies and memories; the world never hears a summary."""
        new = episode_starts(len(observations), state, episode_start)
        texts = list(observations)
        memories = [
            Memory(None, text, 0) if fresh or state is None else state[row]
            for row, (text, fresh) in enumerate(zip(texts, new, strict=True))
        ]
        long = [
            row
            for row, memory in enumerate(memories)
            if not new[row] and memory.length + len(texts[row]) > self.limit
        ]
        summaries = self._summaries([memories[row] for row in long], deterministic)
        for row, summary in zip(long, summaries, strict=True):
            task = memories[row].task
            texts[row] = f"{task}\n\nSo far: {summary}\n\n{texts[row]}"
            memories[row], new[row] = Memory(None, task, 0), True
        inner = [memory.inner for memory in memories]
        said = query(self.policy, texts, inner, new, deterministic)
        after = [
            Memory(held, memory.task, memory.length + len(text) + len(reply))
            for memory, text, (reply, held) in zip(memories, texts, said, strict=True)
        ]
        return [reply for reply, _ in said], after

    def _summaries(self, memories: Sequence[Memory], deterministic: bool) -> list[str]:
        inner = [memory.inner for memory in memories]
        count = len(memories)
        said = query(self.policy, [self.question] * count, inner, [False] * count, deterministic)
        return [reply for reply, _ in said]
