"""Diagnosis of a task before acting: metrics for the log, and reasons why it may fail.

It needs only the model and its stored samples, no environment. The thresholds are our choice, named
as constants.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.models.reward_scale import meant_rewards
from zerogym.agents.zero_shot.representations.fb_losses import Metrics
from zerogym.envs.control.core.tasks import Task

RARE = 10  # samples: a place visited less often is hardly known
EXPRESSED = 0.5  # share of the reward's variance that B should express
LARGE = 1.5  # values above this multiple of the largest possible return are overestimated
SAMPLED = 2000  # samples whose values are computed


@dataclass(frozen=True)
class Explanation:
    """The diagnosis of a task before acting.

    Attributes:
        rewarded: Stored samples in which the reward is above the middle between its least and its
            largest (a goal: within a hundredth of the spread of the data).
        samples: How many there are.
        best: The 99.9th percentile of the reward in the samples; None for a goal.
        expressed: Share of the reward's variance that is linear in B, in [0, 1]; None for a goal.
        rank: Dimensions that B uses, of d (see `effective_rank`).
        excess: Largest value over the largest possible return; above 1 it is an overestimate.
        reasons: Sentences, each a reason why it may fail.
    """

    rewarded: int
    samples: int
    best: float | None
    expressed: float | None
    rank: float
    excess: float
    reasons: tuple[str, ...]


def explain(model: FBModel, task: Any, gamma: float) -> Explanation:
    """Diagnose a task.

    Args:
        model: A trained model with its samples.
        task: As for `model.infer`.
        gamma: Discount of the training.

    Raises:
        TypeError, ValueError: As `model.infer`; but a reward of zero on every sample is a reason.
    """
    goal = task.goal if isinstance(task, Task) else None
    if goal is None and not callable(task) and not isinstance(task, Task):
        model.infer(task)  # refuses anything that is no task
        goal = np.asarray(task, dtype=np.float32)
    points = torch.as_tensor(model.samples.next_observations)
    with torch.no_grad():
        places = model.backward_net(model.encoder(points))  # (N, d)
    rank = effective_rank(places)
    best: float | None = None
    expressed: float | None = None
    z: np.ndarray | None = None
    if goal is not None:
        z = model.infer_goal(goal)
        states = model.samples.entered
        if states.shape[1:] != np.shape(goal):
            states = model.samples.next_observations
        spread = np.linalg.norm(states.max(0) - states.min(0))
        rewarded = int((np.linalg.norm(states - goal, axis=1) <= 0.01 * spread).sum())
    else:
        reward = task.reward if isinstance(task, Task) else task
        named = Task(getattr(reward, "__name__", "reward"), "", reward)
        rewards = np.asarray(model.samples.rewards(named))
        best, expressed = float(np.quantile(rewards, 0.999)), _expressed(places, rewards)
        rewarded = int((rewards > (rewards.min() + rewards.max()) / 2).sum())
        if rewards.any():
            z = model.infer_labelled(points, rewards)
    excess = 0.0 if z is None else value_excess(model, torch.as_tensor(z), gamma)
    reasons = _reasons(goal is not None, rewarded, expressed, rank, model.shape.dim, excess)
    return Explanation(rewarded, len(points), best, expressed, rank, excess, reasons)


def effective_rank(places: Tensor) -> float:
    """Return exp of the entropy of the normalised eigenvalues of E[BB'], in [1, d].

    "The effective rank: A measure of effective dimensionality" (EUSIPCO 2007).

    Args:
        places: B of samples, (N, d).
    """
    values = torch.linalg.eigvalsh(places.double().T @ places.double()).clamp(min=0)
    shares = values / values.sum()
    return float(torch.exp(-(shares * torch.log(shares.clamp(min=1e-300))).sum()))


@torch.no_grad()
def value_excess(model: FBModel, z: Tensor, gamma: float) -> float:
    """Return the largest |Q| of the policy of z, over max |r| / (1 - gamma) of the reward of z.

    That reward is B(s)'E[BB']^-1 z (successor features: phi(s)'z): no discounted sum of it can be
    larger, so a ratio above 1 is an overestimate.

    Args:
        model: With its samples.
        z: (d,).
        gamma: Discount, in [0, 1).
    """
    if not 0 <= gamma < 1:
        raise ValueError(f"gamma must be in [0, 1), got {gamma}")
    bound = meant_rewards(model, z).abs().max().clamp(min=1e-12)
    states = model.encoder(torch.as_tensor(model.samples.observations[:SAMPLED]))
    forward = model.forward_chosen(states, z.expand(len(states), -1))  # (n, d)
    return float((forward @ z).abs().max() * (1 - gamma) / bound)


@torch.no_grad()
def log_metrics(model: FBModel, observations: Tensor, z: Tensor) -> Metrics:
    """Return diagnostic metrics of a model in training.

    Args:
        model: The model in training.
        observations: Encoded, (n, k).
        z: (n, d).

    Returns:
        `backward/rank` (see `effective_rank`), `backward/least_eigenvalue` of E[BB'] (target 1),
        and `measure/negative`, the share of F'B below 0 (a measure is not; forward-backward only).
    """
    places = model.backward_net(observations)  # (n, d)
    least = torch.linalg.eigvalsh(places.T @ places / len(places))[0]
    found = {
        "backward/rank": torch.tensor(effective_rank(places)),
        "backward/least_eigenvalue": least,
    }
    if model.shape.kind == "fb":
        measure = model.forward_chosen(observations, z) @ places.T  # (n, n)
        found["measure/negative"] = (measure < 0).float().mean()
    return found


def _expressed(places: Tensor, rewards: np.ndarray) -> float:
    """Return R^2 of the least squares fit of the reward by B and a constant."""
    spread = float(rewards.var())
    if spread == 0:
        return 1.0
    basis = np.column_stack([places.double().numpy(), np.ones(len(rewards))])
    fitted = basis @ np.linalg.lstsq(basis, rewards, rcond=None)[0]
    return max(0.0, 1.0 - float(np.mean((rewards - fitted) ** 2)) / spread)


def _reasons(
    goal: bool, rewarded: int, expressed: float | None, rank: float, dim: int, excess: float
) -> tuple[str, ...]:
    found = []
    what = "goal" if goal else "reward"
    if rewarded == 0:
        why = (
            "nothing was learnt about how to get there" if goal else "it is the same in all of them"
        )
        found.append(f"The data never reach the {what}: {why}.")
    elif rewarded < RARE:
        found.append(f"The data reach the {what} only {rewarded} times: it is hardly known.")
    if expressed is not None and expressed < EXPRESSED:
        found.append(
            f"B expresses {expressed:.0%} of the reward's variance: the rest is invisible to the "
            f"agent. A larger `dim`, or a smoother reward, would help."
        )
    if rank < 0.5 * dim:
        found.append(
            f"B uses {rank:.1f} of its {dim} dimensions: many states look alike to the agent. More "
            f"weight on `orthonormality` would help."
        )
    if excess > LARGE:
        found.append(
            f"Values are up to {excess:.1f} times what any policy could earn: they are made up "
            f"where data are missing. Conservative training or `bc` would help."
        )
    return tuple(found)
