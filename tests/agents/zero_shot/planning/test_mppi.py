"""MPPI of discrete actions against the enumeration of all plans."""

from collections.abc import Callable
from itertools import product

import numpy as np
import torch
from torch import Tensor

from zerogym.agents.zero_shot.planning.mppi import MPPI

ACTIONS, HORIZON, LAST = 3, 7, 12  # left, stay, right on a line from 0 to LAST


def _returns(starts: range, goal: int) -> Callable[[Tensor], Tensor]:
    """Returns of plans (B, N, H) from these places: minus the distances to the goal, summed."""

    def returns(plans: Tensor) -> Tensor:
        place = torch.tensor(list(starts))[:, None].expand(plans.shape[:2])
        total = torch.zeros(plans.shape[:2])
        for step in range(plans.shape[2]):
            place = (place + plans[:, :, step] - 1).clamp(0, LAST)
            total -= (place - goal).abs()
        return total

    return returns


def test_the_best_of_all_plans_is_found_with_a_fraction_of_them() -> None:
    every = torch.tensor(list(product(range(ACTIONS), repeat=HORIZON)))  # (2187, H)
    starts = range(LAST + 1)
    missed = 0
    for goal in range(LAST + 1):
        returns = _returns(starts, goal)
        best = returns(every.expand(len(starts), -1, -1)).max(1).values
        plans, found = MPPI(ACTIONS, HORIZON, plans=96, rounds=8)(returns, len(starts))
        np.testing.assert_array_equal(found, best)  # 768 draws
        np.testing.assert_array_equal(returns(plans[:, None])[:, 0], best)
        _, drawn = MPPI(ACTIONS, HORIZON, plans=768, rounds=1)(returns, len(starts))
        missed += int((drawn < best).sum())
    assert missed > 50  # of 169: as many plans that are only drawn do not do


def test_a_state_has_the_same_plan_alone_and_among_others() -> None:
    planner = MPPI(ACTIONS, HORIZON, plans=8, rounds=2)
    plans, found = planner(_returns(range(LAST + 1), 5), LAST + 1)
    for place in range(LAST + 1):
        alone, value = planner(_returns(range(place, place + 1), 5), 1)
        assert alone[0].tolist() == plans[place].tolist() and value[0] == found[place]


def test_the_distribution_moves_to_the_weighted_frequencies() -> None:
    """The second round draws from them: compared by the same random numbers."""
    rounds: list[Tensor] = []

    def returns(plans: Tensor) -> Tensor:
        rounds.append(plans)
        return plans.sum(-1).float()

    MPPI(2, 1, plans=50, rounds=2, temperature=0.5, uniform=0.2, seed=3)(returns, 1)
    first, second = (each[0, :, 0].numpy() for each in rounds)
    generator = torch.Generator().manual_seed(3)
    drawn = [torch.rand(50, 1, 1, generator=generator)[:, 0, 0].numpy() for _ in range(2)]
    np.testing.assert_array_equal(first, drawn[0] >= 0.5)
    weights = np.exp(first / first.std(ddof=1) / 0.5)
    zeros = 0.8 * weights[first == 0].sum() / weights.sum() + 0.1
    np.testing.assert_array_equal(second, drawn[1] >= zeros)
