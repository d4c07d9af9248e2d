"""Engines with scripted replies, a token a character, and environments for them."""

import re
from collections.abc import Sequence

from zerogym.agents.llm.generation.protocol import Completion, Sampling
from zerogym.envs.core import TextEnv


class Letters:
    """A tokenizer whose tokens are characters; `~` ends a text."""

    chat_template, bos_token_id, eos_token_id, pad_token_id = None, None, ord("~"), 0

    def __call__(self, text, **options):
        return {"input_ids": [ord(letter) for letter in text]}

    def decode(self, ids, **options):
        return "".join(map(chr, ids))


class Scripted:
    """An engine that answers the last line of its prompt by a function."""

    def __init__(self, answer, context_length: int = 10_000) -> None:
        self.tokenizer, self.context_length, self.weight_version = Letters(), context_length, 3
        self.answer, self.calls = answer, []

    def generate(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Completion]:
        self.calls.append((len(prompts), sampling.seed))
        return [self._reply("".join(map(chr, prompt))) for prompt in prompts]

    def _reply(self, prompt: str) -> Completion:
        if len(prompt) >= self.context_length:
            return Completion("", (), (), "context")
        text = self.answer(prompt)
        ids = tuple(map(ord, text + "~"))
        return Completion(text, ids, (-0.5,) * len(ids), "stop")

    def update_weights(self, weights, version: int) -> None: ...


class CountDown(TextEnv):
    """Says a number from 3 to 5; repeat it, then the numbers below it; 1 for each right reply."""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._episode = int(self.np_random.integers(3, 6))
        return f"say {self._episode}", {}

    def step(self, action):
        reward = float(action == str(self._episode))
        self._episode -= 1
        done = self._episode == 0
        return f"say {self._episode}", reward, done, False, {"correct": bool(reward), "odd": {1}}


def repeat(prompt: str) -> str:
    return re.findall(r"say (\d)", prompt)[-1]


TURNS = 6


class Echo(TextEnv):
    """Six turns; the reward of each is its number."""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._episode, self.observed = 0, []
        return f"task{self.np_random.integers(10)}", {}

    def step(self, action):
        self._episode += 1
        self.observed.append(action)
        done = self._episode == TURNS
        return f"ask{self._episode}", float(self._episode), done, False, {"heard": action}


class Skipping(Letters):
    """Its end token is not decoded."""

    def decode(self, ids, **options):
        return super().decode(ids).replace("~", "")


class Typist(Scripted):
    """Writes an endless text, a few letters at a time."""

    def __init__(self, text: str, context_length: int) -> None:
        super().__init__(None, context_length)
        self.tokenizer = Skipping()
        self.text, self.at = text, 0

    def generate(self, prompts, sampling):
        assert len(prompts) == 1
        room = min(sampling.max_new_tokens, self.context_length - len(prompts[0]))
        written = self.text[self.at : self.at + max(room, 0)]
        end = written.find("~") + 1
        written = written[:end] if end else written
        self.at += len(written)
        full = len(written) < sampling.max_new_tokens
        finish = "stop" if end else "context" if full else "length"
        ids = tuple(map(ord, written))
        text = written.removesuffix("~")
        return [Completion(text, ids, (-1.0,) * len(ids), finish)]
