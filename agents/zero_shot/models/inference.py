"""The z of a task, from places B(s) and what is said of them: pure functions of tensors.

"Does Zero-Shot Reinforcement Learning Exist?" (2022, arXiv 2209.14935) has rewards and goals;
"Zero-Shot Whole-Body Humanoid Control via Behavioral Foundation Models" (2025, arXiv 2504.11054)
has tracking and the weighted rewards; "Fast Imitation via Behavior Foundation Models" (ICLR 2024)
has the mean of a demonstration. Shapes: B samples, d dimensions; all z have length sqrt(d).
"""

import torch
from torch import Tensor

from zerogym.agents.zero_shot.models.networks import to_sphere

CANCELLED = 1e-6  # a sum shorter than this part of its longest term is rounding


def of_rewards(places: Tensor, rewards: Tensor) -> Tensor:
    """Forward-backward: the direction of mean_i r_i B(s'_i).

    Args:
        places: B(s'_i), (B, d), by the law of the training data.
        rewards: (B,).

    Returns:
        (d,).
    """
    return to_sphere(rewards @ places / len(places))


def of_weighted_rewards(places: Tensor, rewards: Tensor, sharpness: float = 10.0) -> Tensor:
    """Forward-backward: the direction of mean_i w_i r_i B(s'_i), w = softmax(sharpness * r).

    Samples of low reward count less: for narrow goals in large data.
    """
    return of_rewards(places, torch.softmax(sharpness * rewards, 0) * rewards * len(places))


def of_regression(features: Tensor, rewards: Tensor) -> Tensor:
    """Successor features: the weights w of the least squares fit r_i = w'phi(s'_i), as z.

    Args:
        features: phi(s'_i), (B, d).
        rewards: (B,).
    """
    # Of least norm where features are dependent; in double precision, for it is solved only once.
    fitted = torch.linalg.lstsq(features.double(), rewards.double()[:, None], driver="gelsd")
    return to_sphere(fitted.solution[:, 0].to(features))


def of_mean(places: Tensor) -> Tensor:
    """To be at all of these places alike, or to imitate who was there: the mean of B, (d,)."""
    return to_sphere(places.mean(0))


def of_track(places: Tensor, window: int) -> Tensor:
    """To follow a track: z_t is the direction of the mean of B over the next `window` states.

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
    """Several tasks at once: the direction of their weighted sum.

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
    """(E[B B'])^-1, (d, d), with a little on the diagonal where it is singular.

    Args:
        places: B(s_i), (n, d).
        frequency: Probability of each, (n,); None where all count alike.
    """
    if frequency is None:
        covariance = places.T @ places / len(places)
    else:
        covariance = places.T @ (places * frequency[:, None])
    return torch.linalg.inv(covariance + 1e-5 * torch.eye(len(covariance)).to(covariance))
