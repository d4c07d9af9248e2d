"""Generalised advantage estimation over the tokens that a policy wrote.

"High-Dimensional Continuous Control Using Generalized Advantage Estimation" (2015, arXiv
1506.02438), equations 11 to 16, with a token as the action. Tokens of the world are no steps: what
follows the last token of a reply is the first one of the next reply, seen after the world's words.
Left out: a value for what an episode that was cut might still have earned.
"""

import numpy as np

from zerogym.agents.llm.algorithms.advantages.group_relative import Floats, all_equal


def gae(rewards: Floats, values: Floats, gamma: float, lam: float) -> tuple[Floats, Floats]:
    """Advantages (T,) of an episode's own tokens, and the returns (T,) that its values should be.

    `A_t = sum over k of (gamma lam)^k d_{t+k}` with `d_t = r_t + gamma V_{t+1} - V_t`. After the
    last token the value is 0, whether the episode ended or was cut, as in verl 0.9. With
    `lam` = 1 the returns are what was paid from a token on, whatever the values.

    Args:
        rewards: What each of the policy's own tokens was paid (T,).
        values: What was expected before each of them was chosen (T,).
        gamma: Weight of what comes a token later, in [0, 1].
        lam: How far rewards are trusted more than values, in [0, 1].

    Example:
        >>> [part.tolist() for part in gae(np.array([0.0, 1.0]), np.array([0.5, 0.25]), 1.0, 1.0)]
        [[0.5, 0.75], [1.0, 1.0]]
    """
    advantages = np.zeros_like(rewards)  # (T,)
    following = ahead = 0.0  # the next token's value and advantage
    for t in reversed(range(len(rewards))):
        surprise = rewards[t] + gamma * following - values[t]
        ahead = surprise + gamma * lam * ahead
        advantages[t], following = ahead, values[t]
    return advantages, advantages + values


def explained_variance(values: Floats, paid: Floats) -> float | None:
    """`1 - Var(paid - values) / Var(paid)` over N tokens: 1 is a perfect forecast, 0 a constant.

    Args:
        values: What was expected (N,).
        paid: What was paid from then on (N,).

    Returns:
        At most 1; None where all were paid the same, so that there is nothing to explain.

    Example:
        >>> explained_variance(np.array([0.0, 0.5]), np.array([0.0, 1.0]))
        0.75
    """
    return None if all_equal(paid) else 1 - float(np.var(paid - values) / np.var(paid))
