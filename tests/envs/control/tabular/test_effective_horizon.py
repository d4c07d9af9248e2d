"""The effective horizon against enumerated policies and closed forms."""

from itertools import product
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.control.tabular.dynamic_programming import evaluate_policy
from zerogym.envs.control.tabular.effective_horizon import (
    effective_horizon,
    effective_horizon_of,
    random_q,
)

GAMMA = 0.8


def _lookahead(P: np.ndarray, r: np.ndarray, state: int, action: int, k: int) -> float:
    """Q^k by recursion over the tree, with 120 steps of random actions at its leaves."""
    if k > 1:
        after = [
            max(_lookahead(P, r, s, a, k - 1) for a in range(r.shape[1])) for s in range(len(r))
        ]
        return float(r[state, action] + GAMMA * P[state, action] @ after)
    total, visited = r[state, action], P[state, action]
    for step in range(1, 120):
        total += GAMMA**step * visited @ r.mean(axis=1)
        visited = visited @ P.mean(axis=1)
    return float(total)


def _enumerated(P: np.ndarray, r: np.ndarray, starts: list[int]) -> int:
    """The definition: the least k for which every greedy policy of Q^k has the best return."""
    returns = {
        policy: evaluate_policy(P, np.array(policy), r, GAMMA)[starts].mean()
        for policy in product(range(r.shape[1]), repeat=len(r))
    }
    best = max(returns.values())
    for k in range(1, 5):
        q = np.array([[_lookahead(P, r, s, a, k) for a in (0, 1)] for s in range(len(r))])
        greedy = q >= q.max(axis=1, keepdims=True) - 1e-9
        allowed = [policy for policy in returns if all(greedy[s, a] for s, a in enumerate(policy))]
        if all(returns[policy] > best - 1e-9 for policy in allowed):
            return k
    return 5


@pytest.mark.parametrize("kind", ["deterministic", "stochastic"])
def test_k_is_that_of_enumerated_policies(kind: str) -> None:
    rng, found = np.random.default_rng(3), set()
    for _ in range(20):
        r = rng.integers(-1, 2, size=(3, 2)).astype(float)  # whole numbers: Q has ties
        after = rng.integers(3, size=(3, 2))
        P = np.eye(3)[after]
        if kind == "stochastic":
            P = 0.5 * P + 0.5 * np.eye(3)[rng.integers(3, size=(3, 2))]
        starts = [0] if rng.random() < 0.5 else [0, 1, 2]
        expected = _enumerated(P, r, starts)
        if expected < 5:
            dynamics: Any = after if kind == "deterministic" else P
            assert effective_horizon(dynamics, r, GAMMA, starts) == expected
            found.add(expected)
    assert {1, 2} <= found


@pytest.mark.parametrize("safe, k", [(0.03, 1), (0.05, 2), (0.1, 3), (0.3, 4), (0.5, 5)])
def test_a_reward_behind_five_right_moves_is_halved_by_each_that_is_random(
    safe: float, k: int
) -> None:
    """Q^k of the way is 0.9^4 / 2^(5 - k), of the safe action `safe`: the least k with more."""
    ends, goal = 5, 6  # states 0 to 4 are the way; the safe reward and the goal both end
    after = np.array([[1, ends], [2, ends], [3, ends], [4, ends], [goal, ends], [5, 5], [6, 6]])
    reward = np.zeros((7, 2))
    reward[0, 1], reward[4, 0] = safe, 1.0
    assert next(i for i in range(1, 6) if 0.9**4 / 2 ** (5 - i) > safe) == k
    assert effective_horizon(after, reward, 0.9, [0]) == k
    assert effective_horizon(after, reward, 0.9, [1]) == 1  # nothing else to be had from there


def test_a_state_that_no_greedy_policy_reaches_does_not_count() -> None:
    after = np.array([[0, 0], [2, 3], [2, 2], [4, 3], [4, 4]])
    reward = np.zeros((5, 2))
    reward[1, 0], reward[3, 0] = 0.6, 1.0  # from 1: 0.6 now, or 0.9 next, of which random has half
    reward[3, 1] = -1.0
    assert effective_horizon(after, reward, 0.9, [1]) == 2
    assert effective_horizon(after, reward, 0.9) == 2
    assert effective_horizon(after, reward, 0.9, [0, 2, 3, 4]) == 1


def test_goals_of_the_u_map_need_no_planning_and_penalties_do() -> None:
    world: Any = gym.make("zerogym/UMap-v0").unwrapped
    assert effective_horizon_of(world, world.tasks["goal_7_8"]) == 1
    assert effective_horizon_of(world, world.tasks["goal_penalty_0"]) > 5


def test_random_q_is_that_of_the_uniform_policy_and_bad_input_is_refused() -> None:
    after, reward = np.array([[1, 0], [1, 1]]), np.array([[0.0, 1.0], [2.0, 2.0]])
    # V(1) = 2 / (1 - 0.5) = 4; V(0) = 0.5 + 0.25 (4 + V(0)) = 2.
    np.testing.assert_allclose(random_q(after, reward, 0.5), [[2.0, 2.0], [4.0, 4.0]])
    for gamma in (1.0, -0.1, 0.9999, float("nan")):
        with pytest.raises(ValueError, match="gamma"):
            effective_horizon(after, reward, gamma)
