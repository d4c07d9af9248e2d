"""Model predictive path integral control (MPPI) over sequences of discrete actions.

"Information Theoretic MPC for Model-Based Reinforcement Learning" (ICRA 2017): plans are drawn
from a distribution, which then moves to the plans weighted by the exponential of their returns.
Theirs is a normal distribution of controls, and its mean acts. Ours, for discrete actions, is a
categorical distribution of each step; the weighted frequencies of the actions are its closest
member, as the weighted mean is of normal ones. Actions have no mean, so the best plan that was
drawn acts. Ours are also several rounds a decision, returns divided by their standard deviation
among the plans, and a share of uniform actions, so that no action is lost. It may miss the best
plan where the worth of an action depends much on those before it. Left out: the last plan, shifted
by a step, as the start of the next.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

LEAST = 1e-6  # standard deviation of returns below which all plans count as equal


@dataclass(frozen=True)
class MPPI:
    """A planner for B states at once.

    Rows do not depend on each other: all of them use the same random numbers.

    Attributes:
        actions: A.
        horizon: Steps of a plan, H.
        plans: Drawn in each round, N.
        rounds: Of drawing and moving the distribution.
        temperature: Of the weights exp(return / temperature), in standard deviations; above 0.
        uniform: Share of uniform actions in every round after the first, in [0, 1].
        seed: Of the random numbers, the same in every call.
    """

    actions: int
    horizon: int
    plans: int = 64
    rounds: int = 4
    temperature: float = 0.5
    uniform: float = 0.2
    seed: int = 0

    def __call__(self, returns: Callable[[Tensor], Tensor], states: int) -> tuple[Tensor, Tensor]:
        """Return the best plans that were found.

        Args:
            returns: Of plans (B, N, H), whole numbers below A: their returns (B, N).
            states: B.

        Returns:
            Plans (B, H) and their returns (B,).
        """
        generator = torch.Generator().manual_seed(self.seed)
        chances = torch.full((states, self.horizon, self.actions), 1 / self.actions)
        best = torch.zeros(states, self.horizon, dtype=torch.long)
        found = torch.full((states,), -torch.inf)
        for _ in range(self.rounds):
            drawn = torch.rand(self.plans, self.horizon, 1, generator=generator)
            above = drawn >= chances.cumsum(-1)[:, None, :, :-1]  # (B, N, H, A - 1)
            plans = above.sum(-1)  # (B, N, H)
            values = returns(plans)  # (B, N)
            highest, index = values.max(1)
            better = highest > found
            best = torch.where(better[:, None], plans[torch.arange(states), index], best)
            found = torch.where(better, highest, found)
            spread = values.std(1, keepdim=True).clamp(min=LEAST)
            weights = torch.softmax(values / spread / self.temperature, 1)  # (B, N)
            taken = torch.nn.functional.one_hot(plans, self.actions).to(weights)  # (B, N, H, A)
            frequency = torch.einsum("bn,bnha->bha", weights, taken)
            chances = (1 - self.uniform) * frequency + self.uniform / self.actions
        return best, found
