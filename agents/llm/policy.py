"""A language model as a policy: text in, text out, the conversation is its state.

Where a conversation outgrows the model's context in spite of `context`, the reply is empty.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from zerogym.agents.llm.generation.engines import load_generator
from zerogym.agents.llm.generation.protocol import Generator, Sampling
from zerogym.agents.llm.prompting.queries import episode_starts
from zerogym.agents.llm.rollout.chat_template import ChatKind, make_chat
from zerogym.agents.llm.rollout.context_window import CONTEXTS, Context
from zerogym.agents.llm.rollout.conversation import Conversation, Room


class LLMPolicy:
    """A `Policy` for text environments over any generation engine.

    Args:
        generator: The engine, or the name of a model that `load_generator` loads.
        sampling: How replies are sampled; the policy derives a new seed from its `seed` at each
            call, so that a new policy with the same arguments plays the same.
        chat: `template` uses the tokenizer's chat template, `plain` lines of text, `auto` the
            template where there is one.
        system: System text; None leaves it to the template.
        context: The policy for a conversation that outgrows the context, or its name; default:
            `stop`.

    Example:
        >>> from zerogym.agents.llm import LLMPolicy
        >>> policy = LLMPolicy("tiny")
        >>> replies, state = policy.predict(["Calculate 8 - 3."], deterministic=True)
        >>> len(replies), len(state), type(replies[0]).__name__
        (1, 1, 'str')
    """

    def __init__(
        self,
        generator: Generator | str | os.PathLike[str],
        sampling: Sampling | None = None,
        chat: ChatKind = "auto",
        system: str | None = None,
        context: Context | str | None = None,
    ) -> None:
        if isinstance(generator, str | os.PathLike):
            generator = load_generator(generator)
        self.generator = generator
        self.sampling = sampling or Sampling()
        self.chat, self.system, self.context = chat, system, CONTEXTS.make(context or "stop")
        made = make_chat(chat, generator.tokenizer, system)
        self._room = Room(made, generator.tokenizer, generator.context_length, self.sampling)
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
            observations: B texts, each new since the last turn of its conversation.
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
        new = episode_starts(len(texts), state, episode_start)
        talks = [
            self.context.observe(None if state is None or fresh else state[row], text, self._room)
            for row, (text, fresh) in enumerate(zip(texts, new, strict=True))
        ]
        replies, kinds = [""] * len(talks), [""] * len(talks)
        to_write = list(range(len(talks)))  # more than once where one has chunks or a summary
        while to_write:
            sampling = replace(self.sampling, seed=int(self._seeds.integers(2**63)))
            if deterministic:
                sampling = replace(sampling, temperature=0.0)
            prompts = [list(talks[i].ids) for i in to_write]
            completions = self.generator.generate(prompts, sampling)
            for i, completion in zip(to_write, completions, strict=True):
                talks[i], kinds[i] = self.context.write(talks[i], completion, self._room)
                replies[i] = talks[i].reply_text(completion.text, self._room)
            to_write = [i for i in to_write if kinds[i] != "reply"]
        return replies, talks


def _check_texts(observations: Any) -> list[str]:
    if isinstance(observations, str):
        raise TypeError("LLMPolicy takes a batch of texts: [text], not text")
    texts = list(observations)
    if wrong := [type(text).__name__ for text in texts if not isinstance(text, str)]:
        raise TypeError(
            f"LLMPolicy reads texts, got {wrong[0]}: make the environment with view='text' if it "
            "has two views"
        )
    return [str(text) for text in texts]
