"""Episodes in a single row: a forward pass without padding, in which equal prompts are read once.

Positions start again at each episode, and its tokens attend to each other only. Attention is
computed for episodes of like length at once with torch's causal kernel, so that no mask is needed.
It is an attention function of `transformers`, which passes the row to it. On a CPU
`torch.utils.flop_counter` counts it, too.
Left out: keys and values of a prompt that are kept once for all of its episodes; windows of
attention; models that keep a state instead of attending.
"""

import inspect
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

import torch
from torch.nn.attention.bias import causal_lower_right
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface

from zerogym.agents.llm.learner.packed_row import PackedRow
from zerogym.agents.llm.models import flop_formulas  # noqa: F401 (torch's counter then sees all)
from zerogym.agents.trajectory import Flat

_NAME = "zerogym_packed"
_PROBE = ((3, 1, 4, 1, 5), (9, 2, 6), (3, 1, 4, 7))  # ids of episodes, read together and apart
_PROMPTS = (3, 1, 3)  # how many of them come before the policy's
_ERRORS = (TypeError, ValueError, RuntimeError, LookupError, AttributeError)  # of other models
_UNKNOWN = ("sliding_window", "softcap", "s_aux", "position_bias")  # to torch's causal kernel


class _Unpackable(ValueError):
    """An attention layer needs a term that `_attend` does not compute."""


def by_length(lengths: Sequence[int], limit: int) -> list[list[int]]:
    """Group episodes of like length, at most `limit` tokens together; a longer one is alone.

    Args:
        lengths: Tokens of each episode.
        limit: Tokens of a group, each episode padded to the longest.
    """
    groups: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda index: lengths[index]):
        if not groups or (len(groups[-1]) + 1) * lengths[index] > limit:
            groups.append([])
        groups[-1].append(index)
    return groups


def by_prompt(episodes: Sequence[Flat], size: int, limit: int) -> list[list[int]]:
    """Group episodes that share a row, those with equal prompts one after another.

    Args:
        episodes: Each with a token of the policy.
        size: Most episodes of a row.
        limit: Most tokens of a row, whatever its episodes, a prompt counted once; one episode with
            more is alone. 0: `size` decides.
    """
    prompts = [episode.ids[: episode.mask.index(1)] for episode in episodes]
    alike: dict[tuple[int, ...], list[int]] = {}
    for index, prompt in enumerate(prompts):
        alike.setdefault(prompt, []).append(index)
    rows: list[list[int]] = []
    held: set[tuple[int, ...]] = set()
    total = 0
    for index in chain(*alike.values()):
        prompt, length = prompts[index], len(episodes[index].ids)
        total += length - (len(prompt) if prompt in held else 0)
        if not rows or (total > limit if limit else len(rows[-1]) == size):
            rows.append([])
            held, total = set(), length
        rows[-1].append(index)
        held.add(prompt)
    return rows


def packed_logits(model: Any, row: PackedRow, keep: torch.Tensor) -> torch.Tensor:
    """Return logits (N, V) at chosen places of a row of episodes; inside `packed_attention` only.

    Args:
        model: A causal language model for which `why_not_packed` returns None.
        row: The episodes.
        keep: Places in the row (N,).
    """
    output = model(
        input_ids=row.ids[None],
        position_ids=row.positions[None],
        use_cache=False,
        logits_to_keep=keep,
        packed_row=row,
    )
    logits: torch.Tensor = output.logits[0]
    return logits


@contextmanager
def packed_attention(model: Any) -> Iterator[None]:
    """Use attention by episode inside the block, backward passes included."""
    before = model.config._attn_implementation
    model.set_attn_implementation(_NAME)
    try:
        yield
    finally:
        model.set_attn_implementation(before)


def packs(model: Any, warn: bool) -> bool:
    """Return whether packing is exact for a model; with `warn`, a warning gives the reason."""
    reason = why_not_packed(model)
    if reason is not None and warn:
        warnings.warn(f"episodes are padded and not packed: {reason}", stacklevel=3)
    return reason is None


def why_not_packed(model: Any) -> str | None:
    """Return the reason against packing with this model; None if there is none.

    Short episodes are read together and apart, because a configuration may not show it.
    """
    kinds = set(getattr(model.config, "layer_types", None) or ()) - {"full_attention"}
    if kinds:
        return f"it has layers of {', '.join(sorted(kinds))}"
    if not getattr(model, "_supports_attention_backend", False):
        return "transformers has no exchangeable attention for it"
    if not {"position_ids", "logits_to_keep"} <= set(inspect.signature(model.forward).parameters):
        return "its forward pass takes no positions or no places of logits"
    try:
        gap = _gap(model)
    except _ERRORS as error:
        return str(error)
    if not gap < torch.finfo(model.dtype).eps ** 0.5:
        return f"episodes read together and apart differ by {gap:.1g} of their largest logit"
    return None


@torch.no_grad()
def _gap(model: Any) -> float:
    """Return the largest difference of the logits of `_PROBE`, relative to the largest logit."""
    episodes = [torch.tensor(ids, device=model.device) for ids in _PROBE]
    apart = torch.cat([model(input_ids=one[None], use_cache=False).logits[0] for one in episodes])
    row = PackedRow.make(_PROBE, _PROMPTS, model.device)
    with packed_attention(model):
        together = packed_logits(model, row, torch.cat(row.places).to(model.device))
    return float((together - apart).abs().max() / apart.abs().max())


def _attend(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    packed_row: PackedRow,
    scaling: float | None = None,
    **more: Any,
) -> tuple[torch.Tensor, None]:
    """Compute causal attention within each episode: (1, H, L, D); grouped keys and values."""
    for name in _UNKNOWN:
        if more.get(name) is not None:
            raise _Unpackable(f"its attention has a {name}")
    grouped = query.shape[1] != key.shape[1]
    blocks, parts = packed_row.blocks, []
    queries = _lines(query, packed_row.queries).split([block.query_count for block in blocks])
    keys, values = (
        _lines(part, packed_row.keys).split([block.key_count for block in blocks])
        for part in (key, value)
    )
    for block, *lines in zip(blocks, queries, keys, values, strict=True):
        q, k, v = (line.unflatten(0, (block.rows, -1)).transpose(1, 2) for line in lines)
        # nothing attends to what stands behind an episode's end
        mask = _lower_right(q.shape[2], k.shape[2], q.device)
        out = scaled_dot_product_attention(
            q, k, v, mask, is_causal=mask is None, scale=scaling, enable_gqa=grouped
        )
        parts.append(out.transpose(1, 2).flatten(0, 1))  # (., H, D)
    return torch.cat(parts).index_select(0, packed_row.back)[None], None  # (1, L, H, D)


def _lower_right(queries: int, keys: int, device: torch.device) -> torch.Tensor | None:
    """Return the mask of queries that stand at the last keys; None for torch's own causal one."""
    if queries == keys:
        return None
    if device.type == "cpu":  # what torch makes of the mask below, which no dispatch mode can see
        return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    mask: torch.Tensor = causal_lower_right(queries, keys)
    return mask


def _lines(part: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """Return the entries (N, H, D) at places (N,) of a row (1, H, L, D)."""
    return part[0].transpose(0, 1).index_select(0, places)


AttentionInterface.register(_NAME, _attend)
