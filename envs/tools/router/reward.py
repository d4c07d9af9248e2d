"""Router-R1's reward: the outcome and the cost of the calls.

Source: "Router-R1: Teaching LLMs Multi-Round Routing and Aggregation via Reinforcement Learning"
(2025, arXiv 2506.09033), checked against its public code: `R = (1 - alpha) * outcome + alpha *
cost reward`; the cost reward is one minus the square root of the cost, scaled to [0, 1] and
clipped. There, the ends of the scale are the 5th and 95th percentile of the last 1,000 costs; ours
are those of the problem (`least`, `most`). Left out: the reward of -1 for a reply in a wrong
format, which is a void turn here.
"""

import math


def cost_reward(spent: float, least: float, most: float) -> float:
    """Return 1 for a cost of `least` or below, 0 for `most` or above, between by square roots.

    Example:
        >>> cost_reward(100, 100, 400), cost_reward(225, 100, 400), cost_reward(900, 100, 400)
        (1.0, 0.5, 0.0)
    """
    scaled = (math.sqrt(spent) - math.sqrt(least)) / (math.sqrt(most) - math.sqrt(least))
    return 1.0 - min(max(scaled, 0.0), 1.0)


def router_reward(outcome: float, cost: float, alpha: float) -> float:
    """Return the sum of the source.

    Args:
        outcome: 1 for a right answer, else 0.
        cost: The cost reward, in [0, 1].
        alpha: The weight of the cost, in [0, 1].
    """
    return (1.0 - alpha) * outcome + alpha * cost
