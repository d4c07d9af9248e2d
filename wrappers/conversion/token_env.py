"""A text task token by token, for learners that choose one action a step: `TokenEnv`."""

import string
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from zerogym.wrappers.core import Options, Start, Step

CHARACTERS = tuple(string.digits + string.ascii_lowercase + " ,./+-*=()[]<>_:;?'")
END = "<end>"

Mask = Callable[[Sequence[int]], np.ndarray]


class TokenEnv(gym.Wrapper[Any, Any, str, str], RecordConstructorArgs):
    """The agent writes its reply one token a step; the task gets the finished reply.

    Observation: the last `context` tokens of prompt and reply, int64 (context,), padded on the
    left with `pad` (= number of tokens + 1); what the vocabulary lacks is `unknown`
    (= number of tokens). Action: `Discrete(tokens + 1)`, the last one ends the reply. Reward 0
    until the reply is finished, then the task's. `action_masks()` (MaskablePPO) and
    `info["action_mask"]` mark what may be written next.

    Args:
        env: A text environment.
        vocabulary: The tokens; single characters by default. Prompts are read by longest match.
        max_tokens: Tokens of a reply; then it is finished.
        context: Tokens of an observation.
        mask: From the tokens of the reply so far to bools (tokens + 1,), True where allowed, for
            example the top-p set of a slowly copied policy. None allows all; the end is allowed
            when nothing else is.
        answer_only: Put the reply into `<answer>` tags.

    Raises:
        TypeError: If `env` is no text environment.
        ValueError: If the vocabulary is empty or repeats a token, or (in `step`) the action is
            masked.

    Source:
        "Is Reinforcement Learning (Not) for Natural Language Processing: Benchmarks, Baselines, and
        Building Blocks for Natural Language Policy Optimization" (RL4LMs, NLPO, 2022, arXiv
        2210.01241): generation as a token-level environment with masked actions. The learner is
        any library's; the masking policy of NLPO is the `mask` argument.
    """

    def __init__(
        self,
        env: gym.Env[str, str],
        vocabulary: Sequence[str] = CHARACTERS,
        max_tokens: int = 16,
        context: int = 128,
        mask: Mask | None = None,
        answer_only: bool = True,
    ) -> None:
        RecordConstructorArgs.__init__(
            self, vocabulary=vocabulary, max_tokens=max_tokens, context=context, mask=mask,
            answer_only=answer_only,
        )  # fmt: skip
        gym.Wrapper.__init__(self, env)
        if not isinstance(env.action_space, spaces.Text):
            raise TypeError(f"TokenEnv needs a text environment, {env} has {env.action_space}")
        self.vocabulary = tuple(vocabulary)
        self._ids = {token: n for n, token in enumerate(self.vocabulary)}
        if not self._ids or len(self._ids) != len(self.vocabulary) or "" in self._ids:
            raise ValueError("the vocabulary must be different texts, none of them empty")
        self.max_tokens, self.context = max_tokens, context
        self.mask, self.answer_only = mask, answer_only
        self.end = self.unknown = len(self.vocabulary)
        self.pad = self.unknown + 1
        self._longest = max(map(len, self.vocabulary))
        self.observation_space = spaces.MultiDiscrete(np.full(context, self.pad + 1))
        self.action_space = spaces.Discrete(self.end + 1)
        self._prompt: list[int] = []
        self._written: list[int] = []

    def encode(self, text: str) -> list[int]:
        """Return the token numbers of a text, lower-cased if the vocabulary has no capitals."""
        found, place = [], 0
        if not any(token != token.lower() for token in self.vocabulary):
            text = text.lower()
        while place < len(text):
            for length in range(min(self._longest, len(text) - place), 0, -1):
                if (token := self._ids.get(text[place : place + length])) is not None:
                    break
            else:
                token, length = self.unknown, 1
            found.append(token)
            place += length
        return found

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Read the prompt."""
        prompt, info = self.env.reset(seed=seed, options=options)
        self._prompt, self._written = self.encode(prompt), []
        return self._observe(), info | {"action_mask": self.action_masks().astype(np.int8)}

    def step(self, action: Any) -> Step:
        """Write a token, or end the reply."""
        if not self.action_space.contains(action) or not self.action_masks()[int(action)]:
            raise ValueError(f"{action} is not an allowed token of TokenEnv")
        if int(action) != self.end:
            self._written.append(int(action))
        if int(action) == self.end or len(self._written) >= self.max_tokens:
            reply = f"<answer>{self.written}</answer>" if self.answer_only else self.written
            prompt, reward, terminated, truncated, info = self.env.step(reply)
            self._prompt += [*self._written, *self.encode(prompt)]
            self._written = []
            info = info | {"action_mask": self.action_masks().astype(np.int8)}
            return self._observe(), float(reward), terminated, truncated, info
        info = {"action_mask": self.action_masks().astype(np.int8)}
        return self._observe(), 0.0, False, False, info

    def action_masks(self) -> np.ndarray:
        """Return bools (tokens + 1,), True for what may be written next."""
        if self.mask is None:
            return np.ones(self.end + 1, bool)
        allowed = np.array(self.mask(tuple(self._written)), bool)
        if not allowed.any():
            allowed[self.end] = True
        return allowed

    @property
    def written(self) -> str:
        """The reply so far."""
        return "".join(self.vocabulary[token] for token in self._written)

    def _observe(self) -> np.ndarray:
        tokens = (self._prompt + self._written)[-self.context :]
        return np.array([self.pad] * (self.context - len(tokens)) + tokens, np.int64)
