"""Random rewards for agents that learn from tasks: goals, linear functions, small networks.

The mixture of "Unsupervised Zero-Shot Reinforcement Learning via Functional Reward Encodings"
(2024, arXiv 2402.17135), with the numbers of its public code. All rewards lie in [-1, 1].

Our choice: a goal is reached in the state that equals it, where they have a radius for each world;
networks are drawn anew for each task, where they keep a list. Left out: coordinates that are always
ignored.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

GOAL, LINEAR, MLP = 0, 1, 2
UNITS = 32  # of the hidden layer of a random network
ZEROS = 0.9  # chance of a weight of a linear reward to be 0


@dataclass(frozen=True)
class Rewards:
    """m reward functions of states.

    Attributes:
        kind: (m,) `GOAL`, `LINEAR` or `MLP`.
        goals: (m, k) where a goal's reward is 0; elsewhere it is -1.
        weights: (m, k) of linear rewards, cut to [lowest, 1].
        lowest: (m,) 0 or -1.
        first: (m, k, UNITS) weights of networks.
        bias: (m, UNITS) of their hidden layer.
        last: (m, UNITS) weights of their output, cut to [-1, 1].
    """

    kind: Tensor
    goals: Tensor
    weights: Tensor
    lowest: Tensor
    first: Tensor
    bias: Tensor
    last: Tensor

    def reached(self, states: Tensor) -> Tensor:
        """Return where a goal ends its task; (m, p, k) to booleans (m, p)."""
        return (states == self.goals[:, None]).all(-1) & (self.kind == GOAL)[:, None]

    def __call__(self, states: Tensor) -> Tensor:
        """Return the rewards of p states for each function, (m, p, k) to (m, p)."""
        goal = self.reached(states).float() - 1
        straight = (states @ self.weights[:, :, None])[..., 0]
        straight = torch.maximum(straight, self.lowest[:, None]).clamp(max=1)
        hidden = torch.tanh(states @ self.first + self.bias[:, None])  # (m, p, UNITS)
        network = (hidden @ self.last[:, :, None])[..., 0].clamp(-1, 1)
        kind = self.kind[:, None]
        return torch.where(kind == GOAL, goal, torch.where(kind == LINEAR, straight, network))


@dataclass(frozen=True)
class RewardPrior:
    """Shares of the kinds of rewards; they sum to 1.

    Attributes:
        goal: Reach a state.
        linear: A sparse linear function of the state.
        mlp: A random network of one hidden layer.

    Raises:
        ValueError: If a share is negative or the sum is not 1.
    """

    goal: float = 1 / 3
    linear: float = 1 / 3
    mlp: float = 1 / 3

    def __post_init__(self) -> None:
        shares = (self.goal, self.linear, self.mlp)
        if min(shares) < 0 or not abs(sum(shares) - 1) < 1e-6:
            raise ValueError(f"shares of rewards must be at least 0 and sum to 1, got {shares}")

    def draw(self, goals: Tensor, generator: torch.Generator | None = None) -> Rewards:
        """Draw one reward for each of the given goals (m, k), used where its kind is a goal."""
        m, k = goals.shape
        on: dict[str, Any] = {"generator": generator, "device": goals.device}
        kind = torch.rand(m, **on)
        weights = torch.rand(m, k, **on) * 2 - 1
        kept = torch.rand(m, k, **on) >= ZEROS
        kept[torch.arange(m), torch.randint(k, (m,), **on)] = True  # at least one
        return Rewards(
            (kind >= self.goal).long() + (kind >= self.goal + self.linear).long(),
            goals,
            weights * kept,
            -torch.randint(2, (m,), **on).float(),
            torch.randn(m, k, UNITS, **on) / UNITS**0.5,
            torch.randn(m, UNITS, **on) * 4,
            torch.randn(m, UNITS, **on) / 4,
        )
