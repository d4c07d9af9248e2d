"""Trajectories as tensors, and the log-probabilities of their tokens."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy

from zerogym.agents.llm.learner.packed_row import PackedRow
from zerogym.agents.llm.learner.packing import packed_logits
from zerogym.agents.llm.models.onednn_linear import often
from zerogym.agents.trajectory import Flat


@dataclass(frozen=True)
class Rows:
    """B episodes, padded on the right to T tokens.

    An episode that was written in several contexts is one row all the same; models read its
    contexts apart. The last K positions are those from the first own token of any episode on;
    nothing before it is scored.

    Attributes:
        ids: (B, T).
        attention: 1 on tokens, 0 on padding (B, T).
        mask: 1.0 on the policy's own tokens, of the last K positions (B, K).
        turn: The number of the turn of each token in its episode (B, K).
        old: Log-probabilities at sampling time (B, K).
        advantages: 0 where the mask is (B, K).
        contexts: Where an episode was written in several contexts, a row for each context of all
            episodes; else None.
    """

    ids: torch.Tensor
    attention: torch.Tensor
    mask: torch.Tensor
    turn: torch.Tensor
    old: torch.Tensor
    advantages: torch.Tensor
    contexts: "Rows | None" = None

    @classmethod
    def make(
        cls,
        flats: Sequence[Flat],
        advantages: Sequence[Sequence[float] | NDArray[np.float64]],
        device: torch.device | str = "cpu",
    ) -> "Rows":
        """Pad episodes, each with a token of the policy, into one batch.

        Args:
            flats: The episodes.
            advantages: One number for each own token of each episode.
            device: The device of the tensors.
        """
        width = max(len(flat.ids) for flat in flats)
        first = min(flat.mask.index(1) for flat in flats)
        spread = [_spread(flat, own) for flat, own in zip(flats, advantages, strict=True)]

        def padded(rows: Sequence[Sequence[float]], dtype: torch.dtype) -> torch.Tensor:
            filled = [[*row, *[0] * (width - len(row))] for row in rows]
            return torch.tensor(filled, dtype=dtype, device=device)  # (B, T)

        return cls(
            ids=padded([flat.ids for flat in flats], torch.long),
            attention=padded([[1] * len(flat.ids) for flat in flats], torch.long),
            mask=padded([flat.mask for flat in flats], torch.float32)[:, first:],
            turn=padded([flat.turn for flat in flats], torch.long)[:, first:],
            old=padded([flat.logprobs for flat in flats], torch.float32)[:, first:],
            advantages=padded(spread, torch.float32)[:, first:],
            contexts=cls._apart(flats, device),
        )

    @classmethod
    def _apart(cls, flats: Sequence[Flat], device: torch.device | str) -> "Rows | None":
        if all(len(flat.starts) == 1 for flat in flats):
            return None
        parts = [part for flat in flats for part in flat.contexts()]
        return cls.make(parts, [[0.0] * sum(part.mask) for part in parts], device)

    @property
    def apart(self) -> "Rows":
        """The rows that a model reads: each context by itself."""
        return self.contexts or self

    @cached_property
    def packed(self) -> tuple[PackedRow, torch.Tensor]:
        """The episodes in one row, and the places before their N own tokens (N,)."""
        first, lengths = self.ids.shape[1] - self.mask.shape[1], self.attention.sum(1).tolist()
        own = [first + mask.nonzero()[:, 0] for mask in self.mask.cpu()]
        row = PackedRow.make(
            [ids[:length] for ids, length in zip(self.ids.tolist(), lengths, strict=True)],
            [int(columns[0]) for columns in own],
            self.ids.device,
            partial(often, device=self.ids.device),
        )
        before = [places[columns - 1] for places, columns in zip(row.places, own, strict=True)]
        return row, torch.cat(before).to(self.ids.device)


def _spread(flat: Flat, own: Sequence[float] | NDArray[np.float64]) -> list[float]:
    """Return numbers of the own tokens at their places (T,), 0 elsewhere."""
    values = iter(own)
    return [float(next(values)) if chosen else 0.0 for chosen in flat.mask]


def token_logprobs(
    model: Any, rows: Rows, temperature: float, packed: bool = False
) -> torch.Tensor:
    """Return the log-probability of each of the last K tokens given those before it; (B, K).

    In float32 and under `softmax(logits / temperature)`, as generation records them. `packed` reads
    the episodes one after another (`packing`): no padding; 0 where the mask is.
    """
    if packed or rows.contexts:
        logits, ids = _own(model, rows, temperature, packed)
        return placed(_chosen(logits, ids), rows)
    return _chosen(*_padded(model, rows, temperature))


def token_logprobs_and_entropy(
    model: Any, rows: Rows, temperature: float, packed: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return `token_logprobs` and the entropy in nats of each distribution; (B, K) both."""
    spread = bool(packed or rows.contexts)
    logits, ids = (
        _own(model, rows, temperature, packed) if spread else _padded(model, rows, temperature)
    )  # (..., V), (...)
    logprobs = logits.log_softmax(-1)  # (..., V)
    chosen, entropy = _chosen(logits, ids), -(logprobs.exp() * logprobs).sum(-1)
    return (placed(chosen, rows), placed(entropy, rows)) if spread else (chosen, entropy)


def _padded(model: Any, rows: Rows, temperature: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Return logits (B, K, V) and the tokens (B, K) that they predict."""
    count = rows.mask.shape[1]
    accepts = "logits_to_keep" in inspect.signature(model.forward).parameters
    keep = {"logits_to_keep": count + 1} if accepts else {}  # one position before each token
    output = model(input_ids=rows.ids, attention_mask=rows.attention, use_cache=False, **keep)
    logits = _tempered(output.logits[:, -count - 1 : -1], temperature)  # (B, K, V)
    return logits, rows.ids[:, -count:]


def _own(
    model: Any, rows: Rows, temperature: float, packed: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return logits (N, V) of the N own tokens of all episodes, and these tokens (N,)."""
    rows = rows.apart
    if not packed:
        logits, ids = _padded(model, rows, temperature)  # (C, K, V), (C, K)
        return logits[rows.mask == 1], ids[rows.mask == 1]
    row, before = rows.packed
    count = len(before)
    keep = torch.nn.functional.pad(
        before, (0, often(count, before.device) - count)
    )  # the first place, again
    logits = packed_logits(model, row, keep)[:count]  # (N, V)
    own = rows.ids[:, -rows.mask.shape[1] :][rows.mask == 1]  # (N,)
    return _tempered(logits, temperature), own


def _tempered(logits: torch.Tensor, temperature: float) -> torch.Tensor:
    """Return logits / temperature (..., V) in float32; at temperature 1 without a copy."""
    return logits.float() if temperature == 1 else logits.float() / temperature


def placed(values: torch.Tensor, rows: Rows) -> torch.Tensor:
    """Return values of the own tokens (N,) at their places, 0 elsewhere; (B, K)."""
    return torch.zeros_like(rows.mask).masked_scatter(rows.mask == 1, values)


def _chosen(logits: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    """Return log-probabilities of tokens (...) under their logits (..., V)."""
    # its gradient takes half the passes over the logits that one through `logsumexp` takes
    return -cross_entropy(logits.flatten(0, -2), ids.flatten(), reduction="none").view_as(ids)
