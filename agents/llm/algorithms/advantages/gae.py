"""Generalised advantage estimation over the tokens that a policy wrote.

"High-Dimensional Continuous Control Using Generalized Advantage Estimation" (2015, arXiv
1506.02438), equations 11 to 16, with a token as the action. Tokens of observations are no steps:
the last token of a reply is followed by the first one of the next reply. Left out: bootstrapping
from a value where an episode was cut.
"""

from dataclasses import dataclass

import numpy as np

from zerogym.agents.llm.algorithms.advantage_tables import ValueAdvantage, advantage
from zerogym.agents.llm.algorithms.advantages.group_relative import whiten
from zerogym.agents.llm.algorithms.batch import Batch, Floats, all_equal


def gae(rewards: Floats, values: Floats, gamma: float, lam: float) -> tuple[Floats, Floats]:
    """Return advantages (T,) of an episode's own tokens, and the returns (T,), the values' targets.

    `A_t = sum over k of (gamma lam)^k d_{t+k}` with `d_t = r_t + gamma V_{t+1} - V_t`. After the
    last token the value is 0, whether the episode ended or was cut, as in verl 0.9. With
    `lam` = 1 the returns are the sums of rewards from a token on, whatever the values.

    Args:
        rewards: Reward of each of the policy's own tokens (T,).
        values: Value of the state before each of them (T,).
        gamma: Discount per token, in [0, 1].
        lam: Bias-variance trade-off, in [0, 1]; 1: no bias from the values.

    Example:
        >>> [part.tolist() for part in gae(np.array([0.0, 1.0]), np.array([0.5, 0.25]), 1.0, 1.0)]
        [[0.5, 0.75], [1.0, 1.0]]
    """
    advantages = np.zeros_like(rewards)  # (T,)
    next_value = advantage = 0.0  # of the next token
    for t in reversed(range(len(rewards))):
        delta = rewards[t] + gamma * next_value - values[t]
        advantage = delta + gamma * lam * advantage
        advantages[t], next_value = advantage, values[t]
    return advantages, advantages + values


def explained_variance(values: Floats, returns: Floats) -> float | None:
    """Return `1 - Var(returns - values) / Var(returns)` over N tokens: 1 is a perfect forecast.

    Args:
        values: Values (N,).
        returns: Returns (N,).

    Returns:
        At most 1, and 0 for a constant; None where all returns are equal.

    Example:
        >>> explained_variance(np.array([0.0, 0.5]), np.array([0.0, 1.0]))
        0.75
    """
    return None if all_equal(returns) else 1 - float(np.var(returns - values) / np.var(returns))


@advantage("gae")
@dataclass(frozen=True)
class Gae(ValueAdvantage):
    """Compare with the values of a value head: generalised advantage estimation, whitened.

    Advantages are whitened over all own tokens of the batch, as in the code of most PPO trainers of
    language models; the paper does not have it.
    """

    source = (
        "High-Dimensional Continuous Control Using Generalized Advantage Estimation (2015, arXiv "
        "1506.02438)"
    )

    gamma: float = 1.0  # discount per step, in [0, 1]
    gae_lambda: float = 1.0  # bias-variance trade-off, in [0, 1]; 1: no bias

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("gamma", "gae_lambda"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be in [0, 1], got {getattr(self, name)!r}")

    def estimate(self, batch: Batch) -> tuple[list[Floats], list[Floats]]:
        """Return advantages (T,), whitened over the steps, and returns (T,) of all episodes."""
        estimates, lengths = [], []
        for sample in batch.samples:
            steps = self.steps(sample)  # (S,)
            values = sample.signals["values"][steps]  # (S,)
            rewards = self.step_rewards(sample)  # (S,)
            estimates.append(gae(rewards, values, self.gamma, self.gae_lambda))
            lengths.append(np.diff(steps, append=sample.tokens))  # (S,)
        advantages = whiten([own for own, _ in estimates])
        targets = [returns for _, returns in estimates]
        return (
            [np.repeat(own, sizes) for own, sizes in zip(advantages, lengths, strict=True)],
            [np.repeat(own, sizes) for own, sizes in zip(targets, lengths, strict=True)],
        )
