"""Replies while they are being sampled, and the criteria that end them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from zerogym.agents.llm.generation.protocol import Completion, Finish, Sampling, cut_after_stop


@dataclass
class RunningSequence:
    """A prompt and the tokens that were sampled after it."""

    prompt: list[int]
    numbers: Sequence[float]  # (N,) uniform in [0, 1), one a token
    room: int  # tokens left in the context
    known: int = 0  # first tokens of the prompt that were kept from calls before
    ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    entropies: list[float] = field(default_factory=list)  # where they are requested
    finish: Finish | None = None


class StopCriteria:
    """The criteria that end running sequences, and their conversion to completions.

    Args:
        model: Its generation settings may name tokens that end a reply.
        tokenizer: Names another, and decodes.
    """

    def __init__(self, model: Any, tokenizer: Any) -> None:
        configured = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
        listed = configured if isinstance(configured, (list, tuple)) else [configured]
        ends = (*listed, tokenizer.eos_token_id)
        self._end_ids = frozenset(end for end in ends if end is not None)
        self._tokenizer = tokenizer

    def add(self, row: RunningSequence, token: int, logprob: float, sampling: Sampling) -> None:
        """Add a token, and set `finish` if the sequence ends with it."""
        row.ids.append(token)
        row.logprobs.append(logprob)
        if token in self._end_ids or (sampling.stop and self._completes_stop(row, sampling)):
            row.finish = "stop"
        elif len(row.ids) >= row.room:
            row.finish = "context"
        elif len(row.ids) >= sampling.max_new_tokens:
            row.finish = "length"

    def completion(self, row: RunningSequence, sampling: Sampling) -> Completion:
        """Return the finished reply."""
        shown = row.ids[:-1] if row.ids and row.ids[-1] in self._end_ids else row.ids
        text = self._tokenizer.decode(
            shown, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        finish = row.finish or "context"  # without any room it was never begun
        return Completion(
            cut_after_stop(text, sampling.stop),
            tuple(row.ids),
            tuple(row.logprobs),
            finish,
            tuple(row.entropies),
        )

    def _completes_stop(self, row: RunningSequence, sampling: Sampling) -> bool:
        # Each token writes at least a byte, so that these last ones hold any stop text.
        window = max(len(text.encode("utf-8", "replace")) for text in sampling.stop) + 4
        tail = self._tokenizer.decode(row.ids[-window:], clean_up_tokenization_spaces=False)
        return any(text in tail for text in sampling.stop)
