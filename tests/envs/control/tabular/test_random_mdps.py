"""Dynamic programming where the world is random: brute force, closed forms, simulation."""

import itertools
from typing import Any

import numpy as np
import pytest

from zerogym.envs.control.tabular.dynamic_programming import (
    evaluate_policy,
    expected,
    finite_horizon_values,
    policy_matrix,
    successor_measure,
    transition_probabilities,
    transition_reward,
    value_iteration,
)

GAMMA = 0.9


def tiny(seed: int, states: int = 3, actions: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """A random world and a reward of all three: (S, A, S) each."""
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(states), size=(states, actions)), rng.normal(
        size=(states, actions, states)
    )


def all_policies(states: int = 3, actions: int = 2) -> list[np.ndarray]:
    return [np.array(policy) for policy in itertools.product(range(actions), repeat=states)]


@pytest.mark.parametrize("seed", range(20))
def test_value_iteration_equals_the_best_of_all_policies(seed: int) -> None:
    dynamics, reward = tiny(seed)
    best = np.max([evaluate_policy(dynamics, p, reward, GAMMA) for p in all_policies()], axis=0)
    values, policy = value_iteration(dynamics, reward, GAMMA)
    np.testing.assert_allclose(values, best, atol=1e-9)
    np.testing.assert_allclose(evaluate_policy(dynamics, policy, reward, GAMMA), best, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_finite_horizon_values_equal_the_best_of_all_plans(seed: int) -> None:
    dynamics, reward = tiny(seed)

    def returns(plan: tuple[np.ndarray, ...], state: int) -> float:
        """Return the value of a plan, by recursion over all outcomes."""
        if not plan:
            return 0.0
        action = plan[0][state]
        return sum(
            dynamics[state, action, after]
            * (reward[state, action, after] + returns(plan[1:], after))
            for after in range(3)
        )

    values = finite_horizon_values(dynamics, reward, 3)
    plans = list(itertools.product(all_policies(), repeat=3))
    for start in range(3):
        assert values[3, start] == pytest.approx(max(returns(plan, start) for plan in plans))
    assert not values[0].any()


def test_a_policy_s_finite_values_are_the_sum_of_its_powers() -> None:
    dynamics, reward = tiny(1)
    policy = np.random.default_rng(2).dirichlet(np.ones(2), size=3)
    matrix, rewards = policy_matrix(dynamics, policy), transition_reward(dynamics, reward)
    one_step = (policy * rewards).sum(axis=1)
    found = finite_horizon_values(dynamics, reward, 7, policy)
    total = sum(np.linalg.matrix_power(matrix, t) @ one_step for t in range(7))
    np.testing.assert_allclose(found[7], total)


def test_values_and_successor_measure_equal_simulated_means() -> None:
    dynamics, reward = tiny(3)
    policy, rng, steps, runs = np.array([0, 1, 0]), np.random.default_rng(0), 120, 20_000
    state, total, visits = np.zeros(runs, dtype=int), np.zeros(runs), np.zeros((runs, 3))
    for step in range(steps):
        visits[np.arange(runs), state] += GAMMA**step
        action = policy[state]
        ahead = dynamics[state, action].cumsum(axis=1)
        after = (rng.random(runs)[:, None] > ahead[:, :-1]).sum(axis=1)
        total += GAMMA**step * reward[state, action, after]
        state = after
    error = 4 / np.sqrt(runs)
    value = evaluate_policy(dynamics, policy, reward, GAMMA)[0]
    assert total.mean() == pytest.approx(value, abs=error * total.std())
    measure = successor_measure(policy_matrix(dynamics, policy), GAMMA)[0]
    np.testing.assert_allclose(visits.mean(axis=0), measure, atol=error * visits.std())


def test_a_slipping_step_has_its_closed_form() -> None:
    # Leave state 0 with chance p a step; then state 1 has reward 1 for ever.
    p = 0.3
    dynamics = np.array([[[1 - p, p]], [[0.0, 1.0]]])
    values, _ = value_iteration(dynamics, [0.0, 1.0], GAMMA)
    ever = 1 / (1 - GAMMA)
    np.testing.assert_allclose(values, [p * ever / (1 - GAMMA * (1 - p)), ever], atol=1e-8)


def test_certain_probabilities_are_the_deterministic_world() -> None:
    rng = np.random.default_rng(4)
    for _ in range(10):
        following = rng.integers(4, size=(4, 3))
        dynamics = transition_probabilities(following)
        policy = rng.dirichlet(np.ones(3), size=4)
        for reward in (rng.normal(size=4), rng.normal(size=(4, 3)), rng.normal(size=(4, 3, 4))):
            for one, other in (
                (value_iteration(following, reward, GAMMA)[0],
                 value_iteration(dynamics, reward, GAMMA)[0]),
                (finite_horizon_values(following, reward, 6),
                 finite_horizon_values(dynamics, reward, 6)),
                (evaluate_policy(following, policy, reward, GAMMA),
                 evaluate_policy(dynamics, policy, reward, GAMMA)),
                (policy_matrix(following, policy), policy_matrix(dynamics, policy)),
            ):  # fmt: skip
                np.testing.assert_allclose(one, other, atol=1e-9)


def test_expected_is_the_mean_over_what_follows() -> None:
    values = np.array([1.0, 2.0, 4.0])
    assert expected(np.array([[2, 0]]), values).tolist() == [[4.0, 1.0]]
    assert expected(np.array([[[0.5, 0.25, 0.25]]]), values).tolist() == [[2.0]]


@pytest.mark.parametrize(
    ("dynamics", "match"),
    [
        (np.full((2, 1, 2), 0.4), "sum to 1"),
        (np.array([[[1.5, -0.5]], [[0.0, 1.0]]]), "must be >= 0"),
        (np.full((2, 1, 2), np.nan), "sum to 1"),
        (np.ones((2, 1, 3)), r"got float64 \(2, 1, 3\)"),
        (np.ones((2, 2)), r"got float64 \(2, 2\)"),
        (np.ones((2, 2, 2), dtype=int), r"got int64 \(2, 2, 2\)"),
        (np.array([[0], [2]]), "in 0 to 1, got 0 to 2"),
        (np.array([[0], [-1]]), "got -1 to 0"),
    ],
)
def test_dynamics_that_are_none_are_refused(dynamics: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        value_iteration(dynamics, np.zeros(2), GAMMA)
