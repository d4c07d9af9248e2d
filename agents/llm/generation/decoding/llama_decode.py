"""The decode step of a Llama, without the general code of `transformers` around it.

It computes with the layers' own weights and saves the overhead of modules, which for a model of a
million parameters takes longer than the arithmetic. "Llama 2: Open Foundation and Fine-Tuned Chat
Models" (2023, arXiv 2307.09288), rotary positions of "RoFormer" (2021, arXiv 2104.09864). Left out:
other architectures, and rotary positions that depend on the length of the text; `transformers`
computes these.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch.nn import functional
from torch.nn.functional import rms_norm, scaled_dot_product_attention
from transformers.models.llama import modeling_llama as llama

from zerogym.agents.llm.models.onednn_linear import LARGE, linear, other_maker

Step = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, Sequence[Any]], torch.Tensor]
_PARTS = {
    "self_attn": llama.LlamaAttention,
    "mlp": llama.LlamaMLP,
    "input_layernorm": llama.LlamaRMSNorm,
    "post_attention_layernorm": llama.LlamaRMSNorm,
}
_PROJECTIONS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
_GROWING = ("dynamic", "longrope")  # rotary positions that change as texts get longer
_MORE = 256  # least rotations that are computed in advance


def llama_step(model: Any) -> "LlamaStep | None":
    """Return the step of a model of exactly these parts without hooks; else None."""
    if type(model) is not llama.LlamaForCausalLM:
        return None
    if model.model.rotary_emb.rope_type in _GROWING:
        return None
    parts = [model, model.model, model.model.norm, *model.model.layers]
    for layer in model.model.layers:
        own = {name: getattr(layer, name, None) for name in _PARTS}
        if any(type(part) is not _PARTS[name] for name, part in own.items()):
            return None
        parts += own.values()
    return None if any(map(_hooked, parts)) else LlamaStep(model)


class LlamaStep:
    """Calls of the parts of a model; it holds no weights of its own."""

    def __init__(self, model: llama.LlamaForCausalLM) -> None:
        self._model = model
        self._layers = [_Layer(layer) for layer in model.model.layers]
        self._head = _projection(model.lm_head)
        self._rotations = torch.empty(0), torch.empty(0)  # of each position (P, 1, D)

    def __call__(
        self,
        tokens: torch.Tensor,
        positions: torch.Tensor,
        mask: torch.Tensor,
        layers: Sequence[Any],
    ) -> torch.Tensor:
        """Return logits (B, V), float32, of the next tokens.

        Args:
            tokens: (B,).
            positions: Positions of the tokens (B,), each less than W.
            mask: Added to the scores (B, 1, 1, W).
            layers: The cache of each layer; its `update` adds the new token.
        """
        body = self._model.model
        x = body.embed_tokens(tokens)  # (B, E)
        self.extend_rotations(mask.shape[-1], x)
        cosine, sine = self._rotations
        rotation = cosine[positions], sine[positions]  # (B, 1, D) each
        for layer, cache in zip(self._layers, layers, strict=True):
            x = layer(x, rotation, mask, cache)
        logits: torch.Tensor = self._head(_normed(body.norm, x))
        return logits.float()

    def extend_rotations(self, width: int, like: torch.Tensor) -> None:
        """Compute cosines and sines of at least so many positions, with the dtype of `like`."""
        if width > len(self._rotations[0]):
            positions = torch.arange(width + max(_MORE, width // 2), device=like.device)
            cosine, sine = self._model.model.rotary_emb(like, positions[None])  # (1, P, D)
            half = sine.shape[-1] // 2
            sine = torch.cat([-sine[..., :half], sine[..., half:]], -1)  # the sign of the rotation
            self._rotations = cosine[0, :, None], sine[0, :, None]


class _Layer:
    """Attention and feed-forward part of a layer, for one token of each row."""

    def __init__(self, layer: Any) -> None:
        self._before, self._between = layer.input_layernorm, layer.post_attention_layernorm
        self._attention, self._act = layer.self_attn, layer.mlp.act_fn
        self._q, self._k, self._v, self._o = (
            _projection(getattr(layer.self_attn, name)) for name in _PROJECTIONS[:4]
        )
        self._gate, self._up, self._down = (
            _projection(getattr(layer.mlp, name)) for name in _PROJECTIONS[4:]
        )

    def __call__(
        self,
        x: torch.Tensor,
        rotation: tuple[torch.Tensor, torch.Tensor],
        mask: torch.Tensor,
        cache: Any,
    ) -> torch.Tensor:
        x = x + self._attend(_normed(self._before, x), rotation, mask, cache)
        h = _normed(self._between, x)
        out: torch.Tensor = x + self._down(self._act(self._gate(h)) * self._up(h))
        return out

    def _attend(
        self,
        x: torch.Tensor,
        rotation: tuple[torch.Tensor, torch.Tensor],
        mask: torch.Tensor,
        cache: Any,
    ) -> torch.Tensor:
        cosine, sine = rotation
        size = self._attention.head_dim
        query, key = self._q(x), self._k(x)  # (B, H * D), (B, G * D)
        counts = [query.shape[1] // size, key.shape[1] // size]
        heads = torch.cat([query, key], 1).view(len(x), -1, size)  # (B, H + G, D)
        heads = torch.addcmul(heads * cosine, heads.roll(size // 2, -1), sine)
        query, key = heads[:, :, None].split(counts, 1)
        keys, values = cache.update(key, self._v(x).view(len(x), -1, 1, size))  # (B, G, W, D)
        attended = attention(query, keys, values, mask, self._attention.scaling)  # (B, H, 1, D)
        out: torch.Tensor = self._o(attended.flatten(1))
        return out


def attention(
    query: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    mask: torch.Tensor,
    scaling: float,
) -> torch.Tensor:
    """Return the attention of one token of each row (B, H, 1, D) over keys and values (B, G, W, D).

    torch's kernel is made for many tokens at once; for a single one the processor is faster by
    plain products, of all heads that share their keys at once. With less precision the kernel keeps
    its sums in float32, which these would not.
    """
    rows, heads, _, size = query.shape
    groups = keys.shape[1]
    if keys.device.type != "cpu" or keys.dtype != torch.float32:
        return scaled_dot_product_attention(
            query, keys, values, mask, scale=scaling, enable_gqa=heads != groups
        )
    query = query.reshape(rows * groups, heads // groups, size)
    scores = torch.bmm(query, keys.flatten(0, 1).mT).view(rows, heads, 1, -1)  # (B, H, 1, W)
    weights = scores.mul_(scaling).add_(mask).softmax(-1)
    out = torch.bmm(weights.view(rows * groups, heads // groups, -1), values.flatten(0, 1))
    return out.view(rows, heads, 1, size)


def _projection(module: Any) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return a linear module's function without module overhead, where it is a plain `Linear`."""
    if type(module) is not torch.nn.Linear or _hooked(module):
        return module
    plain = partial(functional.linear, weight=module.weight, bias=module.bias)
    if not other_maker():
        return plain
    fast = partial(linear, weight=module.weight, bias=module.bias)
    rows = LARGE / module.weight.numel()

    def product(x: torch.Tensor) -> torch.Tensor:
        # compilers choose kernels themselves
        return plain(x) if torch.compiler.is_compiling() or x.shape[0] < rows else fast(x)

    return product


def _hooked(module: Any) -> bool:
    return bool(module._forward_hooks or module._forward_pre_hooks)


def _normed(norm: Any, x: torch.Tensor) -> torch.Tensor:
    return rms_norm(x, norm.weight.shape, norm.weight, norm.variance_epsilon)
