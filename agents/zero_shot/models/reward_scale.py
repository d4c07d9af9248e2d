"""The scale of rewards of a z, which has a direction only.

Forward-backward z stands for the reward B(s')'E[BB']^-1 z, successor features' for phi(s')'z
("Does Zero-Shot Reinforcement Learning Exist?", 2022, arXiv 2209.14935). The scale is the c of the
least squares fit of c times that to the task's own reward on the stored samples: our choice.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.envs.control.core.tasks import Task


def reward_scale(model: FBModel, z: NDArray[np.float32], task: Task) -> float:
    """Return c such that c F'z is in the unit of the task's rewards.

    Args:
        model: With its samples.
        z: (d,), inferred from the task.
        task: The task of the rewards.

    Raises:
        ValueError: If c is not above 0: z then belongs to another task.
    """
    rewards = model.samples.rewards(task)
    meant = meant_rewards(model, torch.as_tensor(z)).double().numpy()  # (N,)
    scale = float(meant @ rewards / max(float(meant @ meant), 1e-12))
    if not scale > 0:
        raise ValueError(
            f"what z stands for does not go with the reward of {task.name!r} on the samples "
            f"(scale {scale:.3g}): infer z from this task"
        )
    return scale


@torch.no_grad()
def meant_rewards(model: FBModel, z: Tensor) -> Tensor:
    """Return the reward of z (d,) at each stored next state; (N,)."""
    places = model.backward_net(model.encoder(torch.as_tensor(model.samples.next_observations)))
    if model.shape.kind != "fb":
        return places @ z
    covariance = places.T @ places / len(places)
    return places @ (torch.linalg.pinv(covariance, hermitian=True) @ z)
