"""F and B with attention, after "Towards Robust Zero-Shot Reinforcement Learning".

(2025, arXiv 2510.15382.) F reads a pair (s, a, z) as two tokens, one of (s, a) and one of (s, z),
through two blocks of self-attention without positions; both tokens together give the vector of each
head. B reads a state's token beside a learned query. As in its public code a block has one head, no
path around the attention, and RMS and layer norms. Ours: B has the blocks of F in place of a
transformer of two layers each way, one linear layer follows F's tokens, not two, and there is the
linear path around of `networks.py`. Left out: dropout, so that an update has no noise of its own.
"""

import math

import torch
from torch import Tensor, nn

from zerogym.agents.zero_shot.models.networks import HeadedLinear, to_sphere

BLOCKS = 2  # of self-attention, as published
EXPANSION = 4  # of a block's hidden layer, as published
NARROWER = 4  # times, a token beside the hidden layers before it; published 2


class Block(nn.Module):
    """Self-attention over T tokens, then a hidden layer with a path around it, then layer norm.

    Without positions: permuting the tokens permutes the outputs.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.all = nn.Linear(width, 3 * width)  # queries, keys and values
        self.hidden = nn.Sequential(
            nn.RMSNorm(width),
            nn.Linear(width, EXPANSION * width),
            nn.GELU(),
            nn.Linear(EXPANSION * width, width),
        )
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens: Tensor) -> Tensor:
        """(n, T, width) -> (n, T, width)."""
        query, key, value = self.all(tokens).chunk(3, -1)
        weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), -1)  # (n, T, T)
        attended = weights @ value
        return self.norm(attended + self.hidden(attended))


def _blocks(width: int) -> nn.Sequential:
    return nn.Sequential(*(Block(width) for _ in range(BLOCKS)))


def _token(hidden: int, width: int) -> nn.Sequential:
    """Return the layers behind the first linear one of a token."""
    return nn.Sequential(nn.LayerNorm(hidden), nn.Tanh(), nn.Linear(hidden, width), nn.ReLU())


class AttentionForward(nn.Module):
    """F(s, a, z) by attention between a token of (s, a) and one of (s, z); continuous actions."""

    def __init__(self, heads: int, features: int, actions: int, dim: int, hidden: int) -> None:
        super().__init__()
        width = max(hidden // NARROWER, 1)
        self.state = nn.Linear(features, hidden)
        self.action = nn.Linear(actions, hidden, bias=False)
        self.pair = _token(hidden, width)  # of (s, a)
        self.task = nn.Sequential(nn.Linear(features + dim, hidden), _token(hidden, width))
        self.blocks = _blocks(width)
        self.out = HeadedLinear(heads, 2 * width, dim)
        self.around = HeadedLinear(heads, features, dim)
        nn.init.zeros_(self.around.weight)

    def of_many(self, features: Tensor, actions: Tensor, z: Tensor) -> Tensor:
        """C actions in each state: (n, features), (n or 1, C, m), (n, d) -> (H, n, C, d)."""
        n, count = len(features), actions.shape[1]
        pair = self.pair(self.state(features)[:, None] + self.action(actions))  # (n, C, width)
        task = self.task(torch.cat([features, z], -1))[:, None].expand_as(pair)
        tokens = self.blocks(torch.stack([task, pair], -2).flatten(0, 1))  # (n C, 2, width)
        found = self.out(tokens.flatten(1)).unflatten(1, (n, count))  # (H, n, C, d)
        return found + self.around(features)[:, :, None]

    def forward(self, features: Tensor, action: Tensor, z: Tensor) -> Tensor:
        """(n, features), (n, m), (n, d) -> (H, n, d)."""
        return self.of_many(features, action[:, None], z)[:, :, 0]


class DiscreteAttentionForward(AttentionForward):
    """F(s, ., z) for every action at once, each a token of its own pair with z.

    Actions do not attend to each other: F of one does not depend on which others there are.
    """

    each: Tensor

    def __init__(self, heads: int, features: int, actions: int, dim: int, hidden: int) -> None:
        super().__init__(heads, features, actions, dim, hidden)
        self.register_buffer("each", torch.eye(actions)[None], persistent=False)  # (1, A, A)

    def forward(self, features: Tensor, z: Tensor) -> Tensor:  # type: ignore[override]
        """(n, features), (n, d) -> (H, n, A, d)."""
        return self.of_many(features, self.each, z)

    def of_done(self, features: Tensor, actions: Tensor, z: Tensor) -> Tensor:
        """One action in each state, at its cost: (n, features), (n,), (n, d) -> (H, n, d)."""
        return self.of_many(features, self.each[0, actions][:, None], z)[:, :, 0]


class AttentionBackward(nn.Module):
    """B(s) on the sphere of radius sqrt(d): what a learned query reads beside the state's token."""

    def __init__(self, features: int, dim: int, hidden: int) -> None:
        super().__init__()
        width = max(hidden // NARROWER, 1)
        self.token = nn.Linear(features, width)
        nn.init.normal_(self.token.weight)
        self.query = nn.Parameter(torch.randn(width))
        self.blocks = _blocks(width)
        self.out = nn.Linear(width, dim)
        self.around = nn.Linear(features, dim, bias=False)
        nn.init.normal_(self.around.weight)

    def forward(self, features: Tensor) -> Tensor:
        """(n, features) -> (n, d)."""
        token = self.token(features)  # (n, width)
        tokens = torch.stack([self.query.expand_as(token), token], -2)  # (n, 2, width)
        return to_sphere(self.out(self.blocks(tokens)[:, 0]) + self.around(features))
