"""The z of training: goals of the data, random rewards, and vectors that are uniform on the sphere.

Goals that come later in the walk of their own transition are an option of the public code of
"Does Zero-Shot Reinforcement Learning Exist?" (2022, arXiv 2209.14935). Random rewards are those of
`RewardPrior`, but for its goals.
"""

from typing import Any

import torch
from torch import Tensor

from zerogym.agents.zero_shot.algorithms.computing import Draws
from zerogym.agents.zero_shot.algorithms.optimisers import below
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.data.reward_prior import RewardPrior, Rewards
from zerogym.agents.zero_shot.data.tensor_dataset import TensorDataset
from zerogym.agents.zero_shot.models.inference import inverse_covariance
from zerogym.agents.zero_shot.models.networks import to_sphere


def draw_tasks(config: FBConfig, inputs: int, generator: torch.Generator) -> Draws:
    """Draw how far ahead later goals are, and the functions of random rewards.

    Args:
        config: Settings.
        inputs: Numbers of an encoded state.
        generator: Its device is that of the numbers.
    """
    drawn, device = Draws(), generator.device
    later = round(round(config.batch_size * config.goal_share) * config.later_share)
    if later:
        ahead = torch.empty(later, device=device).geometric_(1 - config.gamma, generator=generator)
        drawn["goals_ahead"] = ahead.long()
    tasks = round(config.batch_size * config.reward_share)
    if tasks:
        rewards = RewardPrior(0.0, 0.5, 0.5).draw(
            torch.zeros(tasks, inputs, device=device), generator
        )
        drawn |= {f"rewards_{name}": value for name, value in vars(rewards).items()}
    return drawn


def z_of(config: FBConfig, backward: Any, data: TensorDataset, drawn: Draws) -> Tensor:
    """Return z, (n, d): goals, then uniform ones, then those of random rewards.

    `round(goal_share * n)` of each batch, not each z with that probability, are the z of random
    data points; the first of these, of later states in the walks of the batch's own transitions. A
    reward has the z E[r B]. Successor features multiply by E[phi phi']^-1. Expectations are over
    every state where settings are `exact`, else over the batch (published: over another, as large),
    because the goals could be fewer than the dimensions.

    Args:
        config: Settings.
        backward: B, or phi, of encoded states.
        data: Of which `rows` are the batch.
        drawn: `rows` (n,), `z` (n, d), `goals` (m,), and what `draw_tasks` returned.
    """
    goals, entered = drawn["goals"], data.transitions.next_features
    if "goals_ahead" in drawn:
        rows = drawn["rows"][: len(drawn["goals_ahead"])]
        ahead = torch.minimum(rows + drawn["goals_ahead"] - 1, data.transitions.last[rows])
        goals = torch.cat([ahead, goals[len(rows) :]])
    # Always in float32: where features are nearly dependent, rounding would decide the z.
    places = backward(entered[goals])  # (m, d)
    states = data.states if config.exact else entered[drawn["rows"]]  # (p, k)
    tasks = places[:0]
    if "rewards_kind" in drawn:
        rewards = Rewards(**below("rewards_", drawn))
        values = rewards(states.expand(len(rewards.kind), -1, -1))  # (tasks, p)
        chances = data.frequency if config.exact else torch.full_like(values[0], 1 / len(states))
        tasks = to_sphere(values * chances @ backward(states))
    if config.features != "fb":
        weights = data.frequency if config.exact else None
        inverse = inverse_covariance(backward(states), weights)
        places, tasks = to_sphere(places @ inverse), to_sphere(tasks @ inverse)
    uniform = to_sphere(drawn["z"][len(places) : len(drawn["z"]) - len(tasks)])
    return torch.cat([places, uniform, tasks])
