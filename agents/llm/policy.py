"""A language model as a policy: text in, text out, the conversation is its state.

Left out: cutting or summarising a conversation that outgrows the model's context. There the reply
is empty, and the environment scores it as it scores silence.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zerogym.agents.llm.chat import ChatKind, make_chat
from zerogym.agents.llm.generation import Generator, Sampling


@dataclass(frozen=True)
class Conversation:
    """What one environment's episode has said so far, as ids.

    Attributes:
        ids: Everything up to and including the last reply.
        reply: The ids of the last reply, as sampled.
    """

    ids: tuple[int, ...]
    reply: tuple[int, ...]


class LLMPolicy:
    """A `Policy` for text environments over any generation engine.

    Args:
        generator: The engine.
        sampling: How replies are drawn; the policy derives a new seed from its `seed` at each
            call, so that a new policy with the same arguments plays the same.
        chat: `template` uses the tokenizer's chat template, `plain` lines of text, `auto` the
            template where there is one.
        system: System text; None leaves it to the template.

    Example:
        >>> from zerogym.agents.llm.models import load_generator
        >>> policy = LLMPolicy(load_generator("tiny"))
        >>> replies, state = policy.predict(["Calculate 8 - 3."], deterministic=True)
        >>> len(replies), len(state), type(replies[0]).__name__
        (1, 1, 'str')
    """

    def __init__(
        self,
        generator: Generator,
        sampling: Sampling | None = None,
        chat: ChatKind = "auto",
        system: str | None = None,
    ) -> None:
        self.generator = generator
        self.sampling = sampling or Sampling()
        self._chat = make_chat(chat, generator.tokenizer, system)
        self._seeds = np.random.default_rng(self.sampling.seed)

    def predict(
        self,
        observations: Sequence[str],
        state: Sequence[Conversation] | None = None,
        episode_start: Sequence[bool] | np.ndarray | None = None,
        deterministic: bool = False,
    ) -> tuple[list[str], list[Conversation]]:
        """Reply to each observation.

        Args:
            observations: B texts: what is new since the last turn of each conversation.
            state: The B conversations that the last call returned, or None at the start.
            episode_start: Bools (B,), True where a new episode begins.
            deterministic: Take the most likely token each time.

        Returns:
            B replies, and the conversations for the next call; `state` itself is not changed.

        Raises:
            TypeError: If the observations are not texts.
            ValueError: If `state` or `episode_start` has another length than `observations`.
        """
        texts = _check_texts(observations)
        prompts = self._prompts(texts, state, episode_start)
        sampling = replace(self.sampling, seed=int(self._seeds.integers(2**63)))
        if deterministic:
            sampling = replace(sampling, temperature=0.0)
        completions = self.generator.generate(prompts, sampling)
        conversations = [
            Conversation((*prompt, *completion.ids), completion.ids)
            for prompt, completion in zip(prompts, completions, strict=True)
        ]
        return [completion.text for completion in completions], conversations

    def _prompts(
        self,
        texts: list[str],
        state: Sequence[Conversation] | None,
        episode_start: Sequence[bool] | np.ndarray | None,
    ) -> list[list[int]]:
        if state is None:
            return [self._chat.opening(text) for text in texts]
        fresh = [False] * len(texts) if episode_start is None else [bool(b) for b in episode_start]
        if not len(texts) == len(state) == len(fresh):
            raise ValueError(
                f"{len(texts)} observations, {len(state)} conversations and "
                f"{len(fresh)} episode_start flags do not belong together"
            )
        return [
            self._chat.opening(text) if new else [*old.ids, *self._chat.following(old.reply, text)]
            for text, old, new in zip(texts, state, fresh, strict=True)
        ]


def _check_texts(observations: Any) -> list[str]:
    if isinstance(observations, str):
        raise TypeError("LLMPolicy takes a batch of texts: [text], not text")
    texts = list(observations)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(
                f"LLMPolicy reads texts, got {type(text).__name__}: make the environment with "
                "view='text' if it has two views"
            )
    return [str(text) for text in texts]
