"""Thinking in chunks of a fixed size: `MarkovianChunk`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from zerogym.wrappers.core import Options, Start, Step, TextWrapper

_END = "</answer>"


@dataclass
class _Turns:
    question: str
    chunks: int = 0
    carried: str = ""


class MarkovianChunk(TextWrapper):
    """A reply is written in chunks; between chunks all but the end of it is forgotten.

    Each action is a chunk. If it has no `</answer>` and chunks are left, the next observation is
    the question and the last `carry` tokens written so far: the whole context of a policy that
    must start from nothing (`info["new_context"]` is True: give the policy `episode_start`). The
    first chunk has `size` tokens, the later ones `size - carry`, so the budget of an episode is
    `size + (max_chunks - 1) * (size - carry)` and no context is longer than question + size.
    What a chunk has too many is cut off unread.

    Args:
        env: A single-turn text environment.
        size: C, tokens of a chunk with what it carries.
        carry: m, tokens that are carried, in [0, size).
        max_chunks: I, at least 1; the last chunk is scored whatever it holds.
        encode: Text to tokens; characters by default.
        decode: Tokens to text, the inverse.

    Raises:
        ValueError: If an argument is out of its range.

    Example:
        >>> import zerogym
        >>> env = MarkovianChunk(gym.make("zerogym/RandomCalculation-v0", difficulty=0), 40, 10, 4)
        >>> env.budget
        130
        >>> _ = env.reset(seed=2)
        >>> print(env.step("Let me see, 8 minus 3 is")[0])
        Calculate 8 - 3.
        Give the final answer as <answer>...</answer>.
        minus 3 is
        >>> env.step(" 5: <answer>5</answer>")[1]
        1.0

    Source:
        "The Markovian Thinker" (Delethink, 2025, arXiv 2510.06557). The carried text follows the
        question after a line break (our choice).
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        size: int = 8192,
        carry: int = 4096,
        max_chunks: int = 5,
        encode: Callable[[str], Sequence[Any]] = list,
        decode: Callable[[Sequence[Any]], str] = "".join,
    ) -> None:
        if not 0 <= carry < size or max_chunks < 1:
            raise ValueError("0 <= carry < size and max_chunks >= 1 are required")
        super().__init__(
            env, size=size, carry=carry, max_chunks=max_chunks, encode=encode, decode=decode
        )
        self.size, self.carry, self.max_chunks = size, carry, max_chunks
        self.encode, self.decode = encode, decode
        self.allow_longer_observations()

    @property
    def budget(self) -> int:
        """Most tokens of an episode: C + (I - 1)(C - m)."""
        return self.size + (self.max_chunks - 1) * (self.size - self.carry)

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Draw a question."""
        question, info = self.env.reset(seed=seed, options=options)
        self._memory = _Turns(question)
        return question, info | self._info()

    def step(self, action: str) -> Step:
        """Take a chunk: end the reply, or go on from what it carries."""
        if not isinstance(action, str):
            raise TypeError(f"MarkovianChunk takes a str as action, got {type(action).__name__}")
        turns: _Turns = self._memory
        room = self.size - (self.carry if turns.chunks else 0)
        written = turns.carried + self.decode(self.encode(action)[:room])
        turns.chunks += 1
        if _END in written or turns.chunks >= self.max_chunks:
            observation, reward, terminated, truncated, info = self.env.step(written)
            info = {**info, **self._info(), "new_context": False}
            return observation, float(reward), terminated, truncated, info
        tokens = self.encode(written)
        turns.carried = self.decode(tokens[len(tokens) - self.carry :]) if self.carry else ""
        observation = f"{turns.question}\n{turns.carried}"
        return observation, 0.0, False, False, self._info()

    def _info(self) -> dict[str, Any]:
        return {"chunk": self._memory.chunks, "new_context": True}
