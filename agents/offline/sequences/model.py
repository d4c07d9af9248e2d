"""A small causal transformer over steps of (conditions, observation, action)."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class SequenceShape:
    """Sizes of a sequence model.

    Attributes:
        observation: Numbers of an observation, k.
        actions: Discrete actions A, or numbers of a continuous one, m.
        discrete: Whether actions are numbered.
        conditions: Numbers that each step is conditioned on, C; each has a token of its own.
        steps: Places in time that have an embedding; later steps have that of the last.
        width: Numbers of a token, a multiple of `heads`.
        heads: Heads of attention.
        layers: Blocks.
    """

    observation: int
    actions: int
    discrete: bool
    conditions: int
    steps: int
    width: int
    heads: int
    layers: int


class Block(nn.Module):
    """Causal attention and two linear layers, each after a layer norm and added to its input."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mixed, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return tokens (B, L, width), each of which has read those up to it."""
        batch, length, width = tokens.shape
        parts = self.mixed(self.before(tokens)).view(batch, length, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)  # (B, heads, L, width / heads) each
        read = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        tokens = tokens + self.out(read.transpose(1, 2).reshape(batch, length, width))
        found: Tensor = tokens + self.narrow(functional.gelu(self.wide(self.between(tokens))))
        return found


class SequenceModel(nn.Module):
    """Predict each step's action from what came before it; later tokens change nothing.

    A step is its conditions, its observation and its action, each a token with the embedding of
    its place in time added; the action is read off the token of the observation.

    Args:
        shape: Sizes.
    """

    def __init__(self, shape: SequenceShape) -> None:
        super().__init__()
        self.shape, width = shape, shape.width
        self.mean: Tensor
        self.scale: Tensor
        self.condition_scale: Tensor
        self.register_buffer("mean", torch.zeros(shape.observation))
        self.register_buffer("scale", torch.ones(shape.observation))
        self.register_buffer("condition_scale", torch.ones(shape.conditions))
        self.of_condition = nn.ModuleList(nn.Linear(1, width) for _ in range(shape.conditions))
        self.of_observation = nn.Linear(shape.observation, width)
        self.of_action = (
            nn.Embedding(shape.actions, width)
            if shape.discrete
            else nn.Linear(shape.actions, width)
        )
        self.of_time = nn.Embedding(shape.steps, width)
        self.first, self.last = nn.LayerNorm(width), nn.LayerNorm(width)
        self.blocks = nn.ModuleList(Block(width, shape.heads) for _ in range(shape.layers))
        self.head = nn.Linear(width, shape.actions)

    def forward(
        self, conditions: Tensor, observations: Tensor, actions: Tensor, times: Tensor
    ) -> Tensor:
        """Return logits (B, T, A) of discrete actions, or actions (B, T, m) in [-1, 1].

        Args:
            conditions: (B, T, C).
            observations: (B, T, k).
            actions: (B, T) or (B, T, m); those of later steps, and the last, may be anything.
            times: (B, T) int64, places of the steps in their episodes, from 0.
        """
        scaled = conditions / self.condition_scale
        kinds = [one(scaled[..., c, None]) for c, one in enumerate(self.of_condition)]
        kinds.append(self.of_observation((observations - self.mean) / self.scale))
        kinds.append(self.of_action(actions))
        time = self.of_time(times.clamp(max=self.shape.steps - 1))
        tokens = (torch.stack(kinds, 2) + time[:, :, None]).flatten(1, 2)  # (B, T (C + 2), width)
        tokens = self.first(tokens)
        for block in self.blocks:
            tokens = block(tokens)
        read = self.last(tokens).unflatten(1, (*times.shape[1:], len(kinds)))[:, :, -2]
        found: Tensor = self.head(read)
        return found if self.shape.discrete else found.tanh()
