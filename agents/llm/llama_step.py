"""One token of each row through a Llama, without what `transformers` does around it for any model.

The layers' own projections do the work; what is saved is the wrapping, which for a model of a
million parameters takes longer than the arithmetic. "Llama 2: Open Foundation and Fine-Tuned Chat
Models" (2023, arXiv 2307.09288), rotary positions of "RoFormer" (2021, arXiv 2104.09864). Left out:
other architectures, which take their own way through `transformers`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn.functional import rms_norm, scaled_dot_product_attention
from transformers.models.llama import modeling_llama as llama

Step = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, Sequence[Any]], torch.Tensor]


def llama_step(model: Any) -> Step | None:
    """The step of a model that is made of exactly these parts, with nothing hooked to them."""
    if type(model) is not llama.LlamaForCausalLM:
        return None
    kinds = {
        "self_attn": llama.LlamaAttention,
        "mlp": llama.LlamaMLP,
        "input_layernorm": llama.LlamaRMSNorm,
        "post_attention_layernorm": llama.LlamaRMSNorm,
    }
    parts = [model, model.model, model.model.norm, *model.model.layers]
    for layer in model.model.layers:
        mine = {name: getattr(layer, name, None) for name in kinds}
        if any(type(part) is not kinds[name] for name, part in mine.items()):
            return None
        parts += mine.values()
    hooked = any(part._forward_hooks or part._forward_pre_hooks for part in parts)
    return None if hooked else _Step(model)


class _Step:
    """Calls of the parts of a model; it holds no weights of its own."""

    def __init__(self, model: llama.LlamaForCausalLM) -> None:
        self._model = model

    def __call__(
        self,
        tokens: torch.Tensor,
        positions: torch.Tensor,
        mask: torch.Tensor,
        layers: Sequence[Any],
    ) -> torch.Tensor:
        """Logits (B, V), float32, of the next tokens.

        Args:
            tokens: (B,).
            positions: Of the tokens (B,).
            mask: Added to the scores (B, 1, 1, W).
            layers: What is remembered in each layer; its `update` adds the new token.
        """
        body = self._model.model
        x = body.embed_tokens(tokens)  # (B, E)
        cosine, sine = body.rotary_emb(x, positions[:, None])  # (B, 1, D)
        half = sine.shape[-1] // 2
        sine = torch.cat([-sine[..., :half], sine[..., half:]], -1)  # the turn's sign goes with it
        for layer, memory in zip(body.layers, layers, strict=True):
            heard = self._attend(
                layer.self_attn, _normed(layer.input_layernorm, x), (cosine, sine), mask, memory
            )
            x = x + heard
            x = x + layer.mlp(_normed(layer.post_attention_layernorm, x))
        logits: torch.Tensor = self._model.lm_head(_normed(body.norm, x))
        return logits.float()

    def _attend(
        self,
        part: Any,
        x: torch.Tensor,
        turn: tuple[torch.Tensor, torch.Tensor],
        mask: torch.Tensor,
        memory: Any,
    ) -> torch.Tensor:
        cosine, sine = turn
        size = part.head_dim
        asked = part.q_proj(x).view(len(x), -1, size)  # (B, H, D)
        heads = torch.cat([asked, part.k_proj(x).view(len(x), -1, size)], 1)  # (B, H + G, D)
        heads = heads * cosine + heads.roll(size // 2, -1) * sine
        asked, key = heads[:, : asked.shape[1], None], heads[:, asked.shape[1] :, None]
        keys, values = memory.update(key, part.v_proj(x).view(len(x), -1, 1, size))  # (B, G, W, D)
        heard = scaled_dot_product_attention(
            asked, keys, values, mask,
            scale=part.scaling, enable_gqa=keys.shape[1] != asked.shape[1],
        )  # (B, H, 1, D)  # fmt: skip
        added: torch.Tensor = part.o_proj(heard.flatten(1))
        return added


def _normed(norm: Any, x: torch.Tensor) -> torch.Tensor:
    return rms_norm(x, norm.weight.shape, norm.weight, norm.variance_epsilon)
