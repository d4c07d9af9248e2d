"""Episodes one after another in a single row: a forward pass without padding.

Positions start again at each episode, and its tokens attend to each other only. Attention is
computed episode by episode with torch's causal kernel, so that no mask is ever written and the cost
is that of the episodes alone. It reaches the model as an attention function of `transformers`,
which hands it the ends of the episodes (`cu_seq_lens_q`, as for its flash kernels).
Left out: those kernels; windows of attention; models that keep a state instead of attending.
"""

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface

_NAME = "zerogym_packed"
_PROBE = ((3, 1, 4, 1, 5), (9, 2, 6))  # ids of two episodes that are read together and apart
_UNKNOWN = ("sliding_window", "softcap", "s_aux", "position_bias")  # to torch's causal kernel


class _Unpackable(Exception):
    """An attention layer wants what `_attend` does not compute."""


def by_tokens(lengths: Sequence[int], limit: int, padded: bool) -> list[list[int]]:
    """Episodes, by length, in groups of at most `limit` tokens; a longer one is alone.

    Args:
        lengths: Tokens of each episode.
        limit: Tokens of a group.
        padded: Whether each is as long as the longest of its group.
    """
    groups: list[list[int]] = []
    total = 0
    for index in sorted(range(len(lengths)), key=lambda index: lengths[index]):
        count = len(groups[-1]) + 1 if groups else 1
        total = count * lengths[index] if padded else total + lengths[index]
        if not groups or total > limit:
            groups.append([])
            total = lengths[index]
        groups[-1].append(index)
    return groups


def packed_logits(model: Any, ids: torch.Tensor, lengths: Sequence[int], keep: Any) -> torch.Tensor:
    """Logits (N, V) at chosen places of a row of episodes; inside `packed_attention` only.

    Args:
        model: A causal language model for which `why_not_packed` has nothing to say.
        ids: The tokens of all episodes (L,).
        lengths: How many each has; their sum is L.
        keep: Places in the row (N,).
    """
    places = [torch.arange(length, device=ids.device) for length in lengths]
    ends = torch.tensor([0, *lengths]).cumsum(0)
    output = model(
        input_ids=ids[None],
        position_ids=torch.cat(places)[None],
        use_cache=False,
        logits_to_keep=keep,
        cu_seq_lens_q=ends.to(torch.int32),
    )
    logits: torch.Tensor = output.logits[0]
    return logits


@contextmanager
def packed_attention(model: Any) -> Iterator[None]:
    """Let a model attend episode by episode inside the block, its backward passes included."""
    before = model.config._attn_implementation
    model.set_attn_implementation(_NAME)
    try:
        yield
    finally:
        model.set_attn_implementation(before)


def why_not_packed(model: Any) -> str | None:
    """What speaks against packing with this model; None if nothing does.

    Two short episodes are read together and apart, which shows what a configuration may not say.
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
    except _Unpackable as error:
        return str(error)
    if not gap < torch.finfo(model.dtype).eps ** 0.5:
        return f"episodes read together and apart differ by {gap:.1g} of their largest logit"
    return None


@torch.no_grad()
def _gap(model: Any) -> float:
    """Largest difference of the logits of `_PROBE`, as a share of the largest one."""
    episodes = [torch.tensor(ids, device=model.device) for ids in _PROBE]
    apart = torch.cat([model(input_ids=one[None], use_cache=False).logits[0] for one in episodes])
    lengths = [len(one) for one in episodes]
    keep = torch.arange(sum(lengths), device=model.device)
    with packed_attention(model):
        together = packed_logits(model, torch.cat(episodes), lengths, keep)
    return float((together - apart).abs().max() / apart.abs().max())


def _attend(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    cu_seq_lens_q: torch.Tensor,
    scaling: float | None = None,
    **more: Any,
) -> tuple[torch.Tensor, None]:
    """Causal attention within each episode: (1, H, L, D), keys and values with fewer heads."""
    for name in _UNKNOWN:
        if more.get(name) is not None:
            raise _Unpackable(f"its attention has a {name}")
    lengths = [end - start for start, end in pairwise(cu_seq_lens_q.tolist())]
    grouped = query.shape[1] != key.shape[1]
    episodes = zip(*(part.split(lengths, 2) for part in (query, key, value)), strict=True)
    parts = [
        scaled_dot_product_attention(q, k, v, is_causal=True, scale=scaling, enable_gqa=grouped)
        for q, k, v in episodes
    ]
    return torch.cat(parts, 2).transpose(1, 2).contiguous(), None  # (1, L, H, D)


AttentionInterface.register(_NAME, _attend)
