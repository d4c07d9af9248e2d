"""Trajectories as padded tensors, and the log-probabilities of their tokens."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from zerogym.agents.trajectory import Flat


@dataclass(frozen=True)
class Rows:
    """B episodes, padded on the right to T tokens.

    The last K positions are those from the first token that any of the policies' replies holds;
    nothing before it is ever scored.

    Attributes:
        ids: (B, T).
        attention: 1 on tokens, 0 on padding (B, T).
        mask: 1.0 on the policy's own tokens, of the last K positions (B, K).
        old: Log-probabilities at sampling time (B, K).
        advantages: (B,).
    """

    ids: torch.Tensor
    attention: torch.Tensor
    mask: torch.Tensor
    old: torch.Tensor
    advantages: torch.Tensor

    @classmethod
    def make(
        cls,
        flats: Sequence[Flat],
        advantages: Sequence[float],
        device: torch.device | str = "cpu",
    ) -> "Rows":
        """Pad episodes, each with a token of the policy, into one batch."""
        width = max(len(flat.ids) for flat in flats)
        first = min(flat.mask.index(1) for flat in flats)

        def padded(rows: Sequence[Sequence[float]], dtype: torch.dtype) -> torch.Tensor:
            filled = [[*row, *[0] * (width - len(row))] for row in rows]
            return torch.tensor(filled, dtype=dtype, device=device)  # (B, T)

        return cls(
            ids=padded([flat.ids for flat in flats], torch.long),
            attention=padded([[1] * len(flat.ids) for flat in flats], torch.long),
            mask=padded([flat.mask for flat in flats], torch.float32)[:, first:],
            old=padded([flat.logprobs for flat in flats], torch.float32)[:, first:],
            advantages=torch.tensor(advantages, dtype=torch.float32, device=device),
        )


def token_logprobs(model: Any, rows: Rows, temperature: float) -> torch.Tensor:
    """Log-probability of each of the last K tokens given those before it; (B, K), float32.

    Under `softmax(logits / temperature)`, as generation records them.
    """
    count = rows.mask.shape[1]
    wanted = {"logits_to_keep": count + 1}  # the logits of a token stand one position before it
    accepted = inspect.signature(model.forward).parameters
    output = model(
        input_ids=rows.ids,
        attention_mask=rows.attention,
        use_cache=False,
        **{name: value for name, value in wanted.items() if name in accepted},
    )
    logits = output.logits[:, -count - 1 : -1].float() / temperature  # (B, K, V)
    chosen = logits.gather(-1, rows.ids[:, -count:, None])[..., 0]  # (B, K)
    return chosen - logits.logsumexp(-1)  # (B, K)
