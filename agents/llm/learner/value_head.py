"""A value for every token: a linear layer on what the policy's own output layer reads.

The trunk is shared, so values cost no second model, and their gradient shapes the policy's
features too; `value_coef` says how much. The weights start at 0, as those of "The N Implementation
Details of RLHF with PPO" (2023, Hugging Face), the bias at what the first batch was paid (our
choice): from 0, the weights would learn that mean by way of the features, and tell less than a
constant for a long time. What the layer reads is divided by the root of its width (our choice), so
that one learning rate suits the weights of any width, and the bias. Left out: a critic with a body
of its own, and pre-training of the values.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from zerogym.agents.llm.algorithms.losses.aggregations import Totals, token_mean


class ValueHead(torch.nn.Module):
    """Values of the states in which tokens are chosen, in float32.

    Args:
        model: The causal language model on which it stands.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        width = model.get_output_embeddings().weight.shape[1]
        self.linear = torch.nn.Linear(width, 1, device=model.device)
        for parameter in self.linear.parameters():
            torch.nn.init.zeros_(parameter)
        self.begun: torch.Tensor
        self.register_buffer("begun", torch.tensor(False))  # is saved, so that a run begins once

    def begin(self, level: float) -> None:
        """Expect this much of every token; only the first call counts."""
        if not self.begun:
            torch.nn.init.constant_(self.linear.bias, level)
            self.begun.fill_(True)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Values (N,) from what the output layer read (N, H)."""
        values: torch.Tensor = self.linear(features.float() / self.linear.in_features**0.5)[:, 0]
        return values


@contextmanager
def captured_hidden_states(model: Any) -> Iterator[list[torch.Tensor]]:
    """Inside the block, the list receives what the output layer reads in each forward pass."""
    heard: list[torch.Tensor] = []
    layer = model.get_output_embeddings()
    handle = layer.register_forward_pre_hook(lambda _, inputs: heard.append(inputs[0]))
    try:
        yield heard
    finally:
        handle.remove()


def value_loss(
    values: torch.Tensor,
    old: torch.Tensor,
    returns: torch.Tensor,
    mask: torch.Tensor,
    clip: float,
    totals: Totals,
) -> tuple[torch.Tensor, dict[str, float]]:
    """Half the squared error of the values, a mean over the tokens of the batch, and metrics.

    With `clip`, `max((V - R)^2, (V' - R)^2) / 2` where V' is V, at most `clip` from its old value:
    a value that has gone further has no gradient, unless it went away from R. As in the code of
    "Proximal Policy Optimization Algorithms" (2017, arXiv 1707.06347); the paper does not have it.

    Args:
        values: Now (B, K).
        old: When the episodes were weighed (B, K).
        returns: What they should be (B, K).
        mask: 1 on the policy's own tokens (B, K).
        clip: How far from `old` a value may go; 0: anywhere.
        totals: The size of the whole batch.
    """
    values, old, returns = (x.masked_fill(mask == 0, 0.0) for x in (values, old, returns))
    plain = error = (values - returns).square()  # (B, K)
    if clip:
        bounded = old + (values - old).clamp(-clip, clip)  # (B, K)
        error = torch.maximum(plain, (bounded - returns).square())
    tokens = mask.sum().clamp(min=1)
    with torch.no_grad():
        metrics = {
            "value/error": float((plain * mask).sum() / tokens),
            "value/mean": float((values * mask).sum() / tokens),
            "value/clipped": float(((error > plain) * mask).sum() / tokens),
        }
    return token_mean(error, mask, totals) / 2, metrics
