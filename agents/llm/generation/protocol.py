"""The protocol of all language-model engines: token ids in, token ids out.

Ids and not texts, because a reply that is decoded and encoded again may become other tokens, to
which its log-probabilities do not belong. Left out: streaming, beams, several samples a prompt
(repeat the prompt: equal prompts share their prefill where the engine can).
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import check_types

Finish = Literal["stop", "length", "context"]
BackendName = Literal["transformers", "vllm"]  # engines that can take over weights


@describe_fields
@dataclass(frozen=True)
class Sampling:
    """Settings of the sampling of replies.

    Raises:
        TypeError: If a value is of another type than its field, `stop` a bare string, say.
        ValueError: If a field is out of its range, or a stop text is empty.
    """

    max_new_tokens: int = 64  # tokens of one reply, >= 1
    temperature: float = 1.0  # logits are divided by it, >= 0; 0 takes the most likely token
    top_p: float = 1.0  # draw from the smallest set with this probability, in (0, 1]
    top_k: int = 0  # draw from the k most likely tokens; 0 means from all
    stop: tuple[str, ...] = ()  # a reply ends with the token that completes one of these texts
    seed: int = 0  # of the engine's own random generator, >= 0
    seeds: tuple[int, ...] = ()  # instead of `seed` one for each prompt, wherever in a call it is
    entropies: bool = False  # return the entropy at each token; the engine transformers can

    def __post_init__(self) -> None:
        check_types(self)
        for name, fine in (
            ("max_new_tokens", self.max_new_tokens >= 1),
            ("temperature", self.temperature >= 0),
            ("top_p", 0 < self.top_p <= 1),
            ("top_k", self.top_k >= 0),
            ("seed", self.seed >= 0),
            ("seeds", all(seed >= 0 for seed in self.seeds)),
        ):
            if not fine:
                raise ValueError(f"Sampling: {name} is out of range: {getattr(self, name)!r}")
        if not all(self.stop):
            raise ValueError(f"Sampling: stop holds an empty text: {self.stop!r}")


@dataclass(frozen=True)
class Completion:
    """One reply.

    Attributes:
        text: The decoded reply without special tokens, cut right after the first stop text (which
            is kept: `</answer>` is part of an answer).
        ids: All sampled tokens, the end-of-sequence token included. The last token may hold
            characters beyond a stop text; `ids` keeps it whole, as it was sampled.
        logprobs: Log-probability of each id under `softmax(logits / temperature)`, before top-p
            and top-k cut the distribution; at temperature 0, under `softmax(logits)`. NaN where
            the engine cannot compute it: such replies are scored, but never trained on.
        finish: `stop` (end of sequence or a stop text), `length` (`max_new_tokens` drawn) or
            `context` (the model's context is full; with no room at all the reply is empty).
        entropies: With `Sampling.entropies` the entropy in nats, >= 0, of the distribution that
            each log-probability is from; else empty.
    """

    text: str
    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    finish: Finish
    entropies: tuple[float, ...] = ()


@runtime_checkable
class Generator(Protocol):
    """An engine with one set of weights.

    Attributes:
        tokenizer: A Hugging Face tokenizer.
        context_length: Most tokens of prompt and reply together.
        weight_version: The version of the last `update_weights`; 0 before.
    """

    tokenizer: Any
    context_length: int
    weight_version: int

    def generate(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Completion]:
        """Return a completion for each prompt; equal arguments and weights, equal completions."""

    def update_weights(self, weights: Any | Mapping[str, Any], version: int) -> None:
        """Load the weights of a module or of its state dict."""


@runtime_checkable
class Keeper(Protocol):
    """An engine that reads a conversation once; of ours `TransformersGenerator` does.

    vLLM and its servers keep what they have read by themselves.
    """

    def keeping(self, conversations: int) -> AbstractContextManager[None]:
        """Keep so many conversations at most from one call to the next inside a block."""


@runtime_checkable
class Scorer(Protocol):
    """An engine that reads given replies; of ours `TransformersGenerator` does."""

    def score(
        self, prompts: Sequence[Sequence[int]], continuations: Sequence[Sequence[int]]
    ) -> list[tuple[float, ...]]:
        """Return the log-probability in nats of each token of each continuation."""


def without_entropies(sampling: Sampling, engine: str) -> None:
    """Refuse entropies in the name of an engine that returns log-probabilities only.

    Raises:
        ValueError: If they are requested.
    """
    if sampling.entropies:
        raise ValueError(f"{engine} returns no entropies; the engine 'transformers' does")


def row_seeds(rows: int, sampling: Sampling) -> list[int]:
    """Return a seed in [0, 2^31) for each row, for engines with random generators of their own.

    It depends on `sampling.seed` and the row's place only, or on the row's own seed.

    Raises:
        ValueError: If there is not one of `sampling.seeds` for each row.

    Example:
        >>> row_seeds(2, Sampling(seeds=(5, 6))) == row_seeds(3, Sampling(seeds=(5, 6, 7)))[:2]
        True
    """
    if sampling.seeds and len(sampling.seeds) != rows:
        raise ValueError(f"{len(sampling.seeds)} seeds for {rows} prompts")
    keys: list[tuple[int, ...]] = [(seed,) for seed in sampling.seeds]
    keys = keys or [(sampling.seed, place) for place in range(rows)]
    return [int(np.random.SeedSequence(key).generate_state(1)[0] >> 1) for key in keys]


def cut_after_stop(text: str, stop: Sequence[str]) -> str:
    """Return the text up to the end of the first stop text in it."""
    ends = [text.find(one) + len(one) for one in stop if one in text]
    return text[: min(ends, default=len(text))]
