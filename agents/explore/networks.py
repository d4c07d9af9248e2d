"""Networks of the explorers.

`normed` and `Ensemble(normed=True)` start like the agents of "URLB: Unsupervised Reinforcement
Learning Benchmark" (2021, arXiv 2110.15191): a first layer normalised by its mean and deviation,
then tanh. Without it the last layer of an actor grows until its tanh saturates, and a walker
lies still.
"""

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional


def normed(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    """Return a network of two hidden layers, the first normalised."""
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.LayerNorm(hidden, elementwise_affine=False), nn.Tanh(),
        nn.Linear(hidden, hidden), nn.ReLU(),
        nn.Linear(hidden, outputs),
    )  # fmt: skip


class Ensemble(nn.Module):
    """Several networks of two hidden layers, computed as one: a third of the calls.

    Args:
        count: Number of networks, E.
        inputs: Input size of each.
        hidden: Width of the hidden layers.
        outputs: Output size of each.
        normed: Normalise the first layer, and apply tanh.
    """

    def __init__(
        self, count: int, inputs: int, hidden: int, outputs: int, normed: bool = False
    ) -> None:
        super().__init__()
        self.normed = normed
        sizes = (inputs, hidden, hidden, outputs)
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        for before, after in pairwise(sizes):
            bound = before**-0.5  # as torch draws the weights of a linear layer
            self.weights.append(torch.empty(count, before, after).uniform_(-bound, bound))
            self.biases.append(torch.empty(count, 1, after).uniform_(-bound, bound))

    def forward(self, given: Tensor) -> Tensor:
        """Return the outputs of (n, inputs): (E, n, outputs)."""
        (first, second, third), (a, b, c) = self.weights, self.biases
        found = torch.baddbmm(a, given.expand(len(first), *given.shape), first)  # (E, n, hidden)
        if self.normed:
            found = functional.layer_norm(found, found.shape[-1:]).tanh()
        else:
            found = found.relu()
        return torch.baddbmm(c, torch.baddbmm(b, found, second).relu(), third)
