"""The networks of the large published agents, for data of millions of transitions.

As the public code of "Does Zero-Shot Reinforcement Learning Exist?" (2022, arXiv 2209.14935) and
its successors have them: two embeddings, of (s, a) and of (s, z), each Linear, LayerNorm, tanh,
Linear to half the width, ReLU; concatenated, through one more hidden layer. F has two independent
heads, computed together. In small environments those of `networks.py` learn faster.
"""

import torch
from torch import Tensor, nn

from zerogym.agents.zero_shot.models.networks import HeadedLinear, to_sphere


class WideLinear(HeadedLinear):
    """H independent linear layers; bias and product in one pass over the memory."""

    def forward(self, x: Tensor) -> Tensor:
        """(n, inputs) or (H, n, inputs) -> (H, n, outputs)."""
        heads = len(self.weight)
        return torch.baddbmm(self.bias, x.expand(heads, *x.shape[-2:]), self.weight)

    def of_both(self, first: Tensor, second: Tensor) -> Tensor:
        """Apply to two inputs (H, n, ...) as if concatenated, without a copy."""
        sizes = (first.shape[-1], second.shape[-1])
        upper, lower = self.weight.split(sizes, 1)
        return torch.baddbmm(torch.baddbmm(self.bias, first, upper), second, lower)


class HeadedNorm(nn.Module):
    """Layer normalisation with its own scale and shift for each of H heads; (H, n, size)."""

    def __init__(self, heads: int, size: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(heads, 1, size))
        self.shift = nn.Parameter(torch.zeros(heads, 1, size))

    def forward(self, x: Tensor) -> Tensor:
        size = x.shape[-1:]
        parts = zip(x, self.scale, self.shift, strict=True)
        # Scale and shift within the normalisation, without further passes over memory.
        return torch.stack(
            [nn.functional.layer_norm(y, size, scale[0], shift[0]) for y, scale, shift in parts]
        )


class Tanh(nn.Module):
    """Tanh in place: the layer before needs its input for the gradient, not its output."""

    def forward(self, x: Tensor) -> Tensor:
        return x.tanh_()


class Torso(nn.Module):
    """Two inputs, (n, first) and (n, second), each embedded, to (H, n, outputs)."""

    def __init__(self, heads: int, first: int, second: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.first = _embedding(heads, first, hidden)
        self.second = _embedding(heads, second, hidden)
        self.hidden = WideLinear(heads, 2 * (hidden // 2), hidden)
        self.out = WideLinear(heads, hidden, outputs)

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        both = self.hidden.of_both(self.first(first), self.second(second))  # (H, n, hidden)
        return self.out(both.relu_())


class TaskTorso(Torso):
    """A torso of x and (x, z), with the arguments of `Product`."""

    def __init__(self, heads: int, inputs: int, dim: int, hidden: int, outputs: int) -> None:
        super().__init__(heads, inputs, inputs + dim, hidden, outputs)

    def forward(self, x: Tensor, z: Tensor) -> Tensor:
        """(n, inputs), (n, d) -> (H, n, outputs)."""
        return super().forward(x, torch.cat([x, z], -1))


class WideContinuousForward(nn.Module):
    """F(s, a, z)."""

    def __init__(self, heads: int, features: int, actions: int, dim: int, hidden: int) -> None:
        super().__init__()
        self.net = Torso(heads, features + actions, features + dim, hidden, dim)

    def of_many(self, features: Tensor, actions: Tensor, z: Tensor) -> Tensor:
        """C actions in each state: (n, features), (n, C, actions), (n, d) -> (H, n, C, d)."""
        count = actions.shape[1]
        state, task = (part.repeat_interleave(count, 0) for part in (features, z))
        found: Tensor = self(state, actions.flatten(0, 1), task)
        return found.unflatten(1, actions.shape[:2])

    def forward(self, features: Tensor, action: Tensor, z: Tensor) -> Tensor:
        """(n, features), (n, actions), (n, d) -> (H, n, d)."""
        return self.net(torch.cat([features, action], -1), torch.cat([features, z], -1))


class WideBackward(nn.Module):
    """B(s) on the sphere of radius sqrt(d)."""

    def __init__(self, features: int, dim: int, hidden: int) -> None:
        super().__init__()
        self.net = nn.Sequential(
            _linear(features, hidden),
            nn.LayerNorm(hidden),
            Tanh(),
            _linear(hidden, hidden),
            nn.ReLU(inplace=True),
            _linear(hidden, dim),
        )

    def forward(self, features: Tensor) -> Tensor:
        """(n, features) -> (n, d)."""
        return to_sphere(self.net(features))


def _embedding(heads: int, inputs: int, hidden: int) -> nn.Sequential:
    return nn.Sequential(
        WideLinear(heads, inputs, hidden),
        HeadedNorm(heads, hidden),
        Tanh(),
        WideLinear(heads, hidden, hidden // 2),
        nn.ReLU(inplace=True),
    )


def _linear(inputs: int, outputs: int) -> nn.Linear:
    """Orthogonal weights, zero biases."""
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer
