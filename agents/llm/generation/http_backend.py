"""Generation by an OpenAI-compatible server, for models that are evaluated or played against.

`MessageServer` sends messages to `/chat/completions`, which every server has: the server applies
the chat template, its tokens stay unknown, and so do log-probabilities (NaN). `TokenServer` sends
ids to `/completions` and gets ids and log-probabilities back, which vLLM supports
(`return_token_ids`); its records are those of the engines of this process.

The weights are the server's, so neither can train; `served_backend.py` updates those of vLLM. Left
out: tool calls of the protocol, the hidden reasoning of some models (it counts in the cost only).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from zerogym.agents.llm.generation.character_tokenizer import CharacterTokenizer
from zerogym.agents.llm.generation.cost import Usage
from zerogym.agents.llm.generation.http_client import HTTPClient, RequestRefused
from zerogym.agents.llm.generation.protocol import (
    Completion,
    Finish,
    Sampling,
    cut_after_stop,
    row_seeds,
    without_entropies,
)
from zerogym.agents.llm.models.endpoints import Server, read_server
from zerogym.agents.llm.models.loading import load_tokenizer
from zerogym.errors import EngineFailed

UNLIMITED = 10**9  # tokens, where no limit is known: the server refuses what is too long
# Codes, or parts of messages, with which servers refuse a conversation that is too long.
_TOO_LONG = (
    "context_length_exceeded", "context length", "context size", "context window",
    "maximum model length", "max_model_len",
)  # fmt: skip


class _ServerGenerator(ABC):
    """The base of both interfaces; attributes as in `Generator`.

    Attributes:
        usage: Tokens and price of all replies so far, without calls that ended in ServerDown.
    """

    path: str

    def __init__(self, server: Server, tokenizer: Any, context_length: int) -> None:
        self.server, self.tokenizer = server, tokenizer
        self.context_length = context_length
        self.weight_version = 0
        self.usage = Usage(server.prompt_price, server.reply_price)
        self._client = HTTPClient(server)

    def generate(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Completion]:
        """Return one completion for each prompt, by concurrent requests.

        Raises:
            ServerDown: If the server does not reply.
            EngineFailed: If it refuses, or its replies cannot be used.
            ValueError: If a prompt has no token, there is not one of `sampling.seeds` for each, or
                entropies are requested.
        """
        without_entropies(sampling, "a server")
        if not all(prompts):
            raise ValueError("a prompt has no token to start from")
        bodies = [
            self._settings(sampling, seed) | self._body(list(prompt), sampling)
            for prompt, seed in zip(prompts, row_seeds(len(prompts), sampling), strict=True)
        ]
        sent = [row for row, prompt in enumerate(prompts) if self._room(prompt) > 0]
        answers = self._client.post(self.path, [bodies[row] for row in sent], sampling.seed)
        for answer in answers:  # all count, also if one of them cannot be used
            if not isinstance(answer, RequestRefused):
                self.usage.add(answer.get("usage") if isinstance(answer, dict) else None)
        completions = [Completion("", (), (), "context")] * len(prompts)
        for row, answer in zip(sent, answers, strict=True):
            if isinstance(answer, RequestRefused):
                message = f"{answer.code} {answer}".lower()
                if answer.status not in (400, 413, 422) or not any(p in message for p in _TOO_LONG):
                    raise answer
                continue
            try:
                completions[row] = self._read(answer, sampling, self._room(prompts[row]))
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                raise EngineFailed(
                    f"the server {self.server.address} (model {self.server.model}) replies in "
                    f"another form than OpenAI's: {type(error).__name__} {error}"
                ) from None
        return completions

    def update_weights(self, weights: Any | Mapping[str, Any], version: int) -> None:
        """Raise EngineFailed: the weights are the server's."""
        raise EngineFailed(
            f"{self.server.address}#{self.server.model} has weights of its own: it can be "
            "evaluated and played against, not trained"
        )

    def _room(self, prompt: Sequence[int]) -> int:
        return self.context_length - len(prompt)

    def _settings(self, sampling: Sampling, seed: int) -> dict[str, Any]:
        """Return the settings that both interfaces have, without those that have no effect."""
        settings: dict[str, Any] = {
            "model": self.server.model,
            self.server.limit_name: sampling.max_new_tokens,
            "temperature": sampling.temperature,
            "seed": seed,
        }
        settings |= {"top_p": sampling.top_p} if sampling.top_p < 1 else {}
        settings |= {"top_k": sampling.top_k} if sampling.top_k else {}
        omitted = self.server.omit.split(",")
        return {name: value for name, value in settings.items() if name not in omitted}

    @abstractmethod
    def _body(self, prompt: list[int], sampling: Sampling) -> dict[str, Any]:
        """Return the fields of one interface's own."""

    @abstractmethod
    def _read(self, answer: Any, sampling: Sampling, room: int) -> Completion:
        """Return the reply in an answer."""


class MessageServer(_ServerGenerator):
    """An engine with messages in and texts out: any server, also of closed models.

    `ids` are the characters of conversation and reply (`CharacterTokenizer`). Servers drop the stop
    text that ended a reply without naming it, so none is sent: a reply is cut here, and the tokens
    beyond the cut count in the cost.

    Args:
        server: The server and its settings.
    """

    path = "chat/completions"

    def __init__(self, server: Server) -> None:
        # The limit counts the server's tokens, which are not ours to count: it refuses instead.
        super().__init__(server, CharacterTokenizer(), UNLIMITED)

    def _body(self, prompt: list[int], sampling: Sampling) -> dict[str, Any]:
        return {"messages": self.tokenizer.messages(prompt)}

    def _read(self, answer: Any, sampling: Sampling, room: int) -> Completion:
        choice = answer["choices"][0]
        content = choice["message"].get("content") or ""  # None: a refusal, or only reasoning
        # A lone surrogate is no text: it could neither be written down nor sent back.
        text = cut_after_stop(content.encode("utf-8", "replace").decode(), sampling.stop)
        cut = choice.get("finish_reason") == "length" and len(text) == len(content)
        ids = tuple(map(ord, text))
        return Completion(text, ids, (math.nan,) * len(ids), "length" if cut else "stop")


class TokenServer(_ServerGenerator):
    """An engine with ids in, ids and log-probabilities out: vLLM.

    Its log-probabilities are those before temperature, top-p and top-k. They are recorded where
    these change nothing, or at temperature 0; elsewhere they are NaN.

    Args:
        server: The server and its settings.
        tokenizer: The tokenizer of the model that it hosts.

    Raises:
        ServerDown, EngineFailed: If the server does not report the length of its context.
    """

    path = "completions"

    def __init__(self, server: Server, tokenizer: Any) -> None:
        super().__init__(server, tokenizer, server.context_length)
        if not server.context_length:
            self.context_length = self._reported_context()

    def _reported_context(self) -> int:
        listed = self._client.get("models")
        models = listed.get("data") if isinstance(listed, dict) else None
        found = {m.get("id"): m for m in models or () if isinstance(m, dict)}
        if self.server.model not in found:
            raise EngineFailed(
                f"{self.server.address} hosts no model {self.server.model!r}, but "
                f"{', '.join(map(repr, found)) or 'none'}"
            )
        length = found[self.server.model].get("max_model_len")
        if not isinstance(length, int):
            raise EngineFailed(
                f"{self.server.address} reports no length of its context: add context_length"
            )
        return length

    def _body(self, prompt: list[int], sampling: Sampling) -> dict[str, Any]:
        return {
            "prompt": prompt,
            self.server.limit_name: max(1, min(sampling.max_new_tokens, self._room(prompt))),
            "stop": list(sampling.stop),
            # Always sent: the server's own defaults are those of the model's authors.
            "top_p": sampling.top_p,
            "top_k": sampling.top_k,
            "min_p": 0.0,
            "repetition_penalty": 1.0,
            "include_stop_str_in_output": True,
            "logprobs": 1,
            "return_token_ids": True,
        }

    def _read(self, answer: Any, sampling: Sampling, room: int) -> Completion:
        choice = answer["choices"][0]
        if choice.get("token_ids") is None:
            raise ValueError("no token_ids: leave `tokenizer` out to send messages")
        ids = tuple(int(number) for number in choice["token_ids"])
        given = choice["logprobs"]["token_logprobs"]
        if len(given) != len(ids):
            raise ValueError(f"{len(given)} log-probabilities for {len(ids)} ids")
        plain = sampling.top_p == 1 and sampling.top_k == 0 and sampling.temperature == 1
        known = plain or sampling.temperature == 0
        logprobs = tuple(float(value) if known else math.nan for value in given)
        finish: Finish = "stop"
        if choice.get("finish_reason") == "length":
            finish = "context" if len(ids) >= room else "length"
        return Completion(cut_after_stop(choice["text"], sampling.stop), ids, logprobs, finish)


def connect(name: str) -> _ServerGenerator:
    """Return the engine of a name such as `http://localhost:8000/v1#MODEL` (`models/endpoints.py`).

    Raises:
        ModelNotFound, UnknownName, ValueError: As `read_server`, or if there is no tokenizer.
        ServerDown, EngineFailed: If ids are to be sent, and the server does not answer.
        MissingExtra: If no HTTP client is installed.
    """
    server = read_server(name)
    if not server.tokenizer:
        return MessageServer(server)
    return TokenServer(server, load_tokenizer(server.tokenizer))
