"""Inference of the z of a task, from B(s) and rewards: pure functions of tensors.

"Does Zero-Shot Reinforcement Learning Exist?" (2022, arXiv 2209.14935) has rewards and goals;
"Zero-Shot Whole-Body Humanoid Control via Behavioral Foundation Models" (2025, arXiv 2504.11054)
has tracking; "Fast Imitation via Behavior Foundation Models" (ICLR 2024) has the mean of a
demonstration. Left out: rewards weighted by a softmax of themselves (2025, arXiv 2504.11054).
Shapes: B samples, d dimensions; all z have length sqrt(d).
"""

import torch
from torch import Tensor

from zerogym.agents.zero_shot.models.networks import to_sphere

CANCELLED = 1e-6  # a sum shorter than this part of its longest term is rounding


def of_rewards(places: Tensor, rewards: Tensor) -> Tensor:
    """Return the forward-backward z of a reward: the direction of mean_i r_i B(s'_i).

    Args:
        places: B(s'_i), (B, d), with the distribution of the training data.
        rewards: (B,).

    Returns:
        (d,).
    """
    return to_sphere(rewards @ places / len(places))


def of_regression(features: Tensor, rewards: Tensor) -> Tensor:
    """Return the successor-feature z of a reward: w of the least squares fit r_i = w'phi(s'_i).

    Args:
        features: phi(s'_i), (B, d).
        rewards: (B,).
    """
    # Of least norm where features are dependent; in double precision, for it is solved only once.
    fitted = torch.linalg.lstsq(features.double(), rewards.double()[:, None], driver="gelsd")
    return to_sphere(fitted.solution[:, 0].to(features))


def of_mean(places: Tensor) -> Tensor:
    """Return the z of visiting these states equally often, or of imitation: the mean of B, (d,)."""
    return to_sphere(places.mean(0))


def of_track(places: Tensor, window: int) -> Tensor:
    """Return the z of a track: z_t is the direction of the mean of B over the next states.

    Args:
        places: B(s_t) of T states, (T, d).
        window: Steps ahead, L; fewer at the end.

    Returns:
        (T - 1, d): z_t for the step from s_t to s_(t+1).
    """
    # In double precision: differences of long sums are small beside them.
    summed = torch.cat([torch.zeros_like(places[:1]), places]).double().cumsum(0)
    steps = torch.arange(1, len(places))
    last = torch.clamp(steps + window, max=len(places))
    return to_sphere(summed[last] - summed[steps]).to(places)


def of_mixture(tasks: Tensor, weights: Tensor) -> Tensor:
    """Return the z of several tasks at once: the direction of their weighted sum.

    Rewards add up in z, so this is the task of the sum of their rewards, each first divided by the
    length of its own mean_i r_i B(s'_i): lengths are lost on the sphere.

    Args:
        tasks: Their z, (k, d).
        weights: (k,); below 0 for what is to be avoided.

    Returns:
        (d,).

    Raises:
        ValueError: If they cancel out.
    """
    summed = weights @ tasks  # (d,)
    largest = (weights[:, None] * tasks).norm(dim=-1).max()
    if summed.norm() <= CANCELLED * largest:
        raise ValueError("the weighted tasks cancel out: nothing is left to do")
    return to_sphere(summed)


def inverse_covariance(places: Tensor, frequency: Tensor | None = None) -> Tensor:
    """Return (E[B B'])^-1, (d, d), with a little on the diagonal where it is singular.

    Args:
        places: B(s_i), (n, d).
        frequency: Probability of each, (n,); None where all count alike.
    """
    if frequency is None:
        covariance = places.T @ places / len(places)
    else:
        covariance = places.T @ (places * frequency[:, None])
    return torch.linalg.inv(covariance + 1e-5 * torch.eye(len(covariance)).to(covariance))
