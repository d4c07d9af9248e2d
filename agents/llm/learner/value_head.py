"""A value head: a linear layer on the hidden states that the policy's output layer reads.

The trunk is shared, so values cost no second model, and their gradient shapes the policy's
features too, weighted by `value_coef`. The weights start at 0, as those of "The N Implementation
Details of RLHF with PPO" (2023, Hugging Face), the bias at the mean return of the first batch (our
choice): from 0, the weights would learn that mean through the features, and explain less than a
constant for a long time. The hidden states are divided by the root of their width (our choice), so
that one learning rate suits the weights of any width, and the bias. Left out: a critic with a body
of its own, and pre-training of the values.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from zerogym.agents.llm.algorithms.loss_tables import Totals


class ValueHead(torch.nn.Module):
    """Values of the states in which tokens are chosen, in float32.

    Args:
        model: The causal language model whose hidden states it reads.
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
        """Set the bias to the first batch's mean return; later calls do nothing."""
        if not self.begun:
            torch.nn.init.constant_(self.linear.bias, level)
            self.begun.fill_(True)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return values (N,) of hidden states (N, H)."""
        values: torch.Tensor = self.linear(features.float() / self.linear.in_features**0.5)[:, 0]
        return values


@contextmanager
def captured_hidden_states(model: Any) -> Iterator[list[torch.Tensor]]:
    """Collect the output layer's inputs of each forward pass inside the block."""
    captured: list[torch.Tensor] = []
    layer = model.get_output_embeddings()
    handle = layer.register_forward_pre_hook(lambda _, inputs: captured.append(inputs[0]))
    try:
        yield captured
    finally:
        handle.remove()


def value_loss(
    values: torch.Tensor,
    old: torch.Tensor,
    returns: torch.Tensor,
    steps: torch.Tensor,
    clip: float,
    totals: Totals,
) -> tuple[torch.Tensor, dict[str, float]]:
    """Return half the mean squared error of the values over the batch's steps, and metrics.

    With `clip`, `max((V - R)^2, (V' - R)^2) / 2` where V' is V, at most `clip` from its old value:
    a value that has gone further has no gradient, unless it went away from R. As in the code of
    "Proximal Policy Optimization Algorithms" (2017, arXiv 1707.06347); the paper does not have it.

    Args:
        values: Values under the present weights (B, K).
        old: Values when the advantages were computed (B, K).
        returns: Targets of the values (B, K).
        steps: 1 on the tokens with which a step begins, mostly all of the policy's own (B, K).
        clip: Bound of the distance from `old`; 0: none.
        totals: The size of the whole batch.
    """
    values, old, returns = (x.masked_fill(steps == 0, 0.0) for x in (values, old, returns))
    plain = error = (values - returns).square()  # (B, K)
    if clip:
        bounded = old + (values - old).clamp(-clip, clip)  # (B, K)
        error = torch.maximum(plain, (bounded - returns).square())
    count = steps.sum().clamp(min=1)
    with torch.no_grad():
        metrics = {
            "value/error": float((plain * steps).sum() / count),
            "value/mean": float((values * steps).sum() / count),
            "value/clipped": float(((error > plain) * steps).sum() / count),
        }
    return (error * steps).sum() / totals.steps / 2, metrics
