"""Replies while they are written: what has been drawn, and when it is enough."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from zerogym.agents.llm.generation.protocol import Completion, Finish, Sampling, cut_after_stop


@dataclass
class RunningSequence:
    """A prompt on its way to a completion."""

    prompt: list[int]
    numbers: Sequence[float]  # (N,) in [0, 1), one a token
    room: int  # tokens left in the context
    ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    finish: Finish | None = None


class StopCriteria:
    """When drafts end, and what then becomes of them.

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

    def add(self, draft: RunningSequence, token: int, logprob: float, sampling: Sampling) -> None:
        """Write a token, and say why the draft ends with it if it does."""
        draft.ids.append(token)
        draft.logprobs.append(logprob)
        if token in self._end_ids or (sampling.stop and self._completes_stop(draft, sampling)):
            draft.finish = "stop"
        elif len(draft.ids) >= draft.room:
            draft.finish = "context"
        elif len(draft.ids) >= sampling.max_new_tokens:
            draft.finish = "length"

    def completion(self, draft: RunningSequence, sampling: Sampling) -> Completion:
        """The finished reply."""
        shown = draft.ids[:-1] if draft.ids and draft.ids[-1] in self._end_ids else draft.ids
        text = self._tokenizer.decode(
            shown, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        finish = draft.finish or "context"  # without any room it was never begun
        return Completion(
            cut_after_stop(text, sampling.stop), tuple(draft.ids), tuple(draft.logprobs), finish
        )

    def _completes_stop(self, draft: RunningSequence, sampling: Sampling) -> bool:
        # Each token writes at least a byte, so that these last ones hold any stop text.
        window = max(len(text.encode("utf-8", "replace")) for text in sampling.stop) + 4
        tail = self._tokenizer.decode(draft.ids[-window:], clean_up_tokenization_spaces=False)
        return any(text in tail for text in sampling.stop)
