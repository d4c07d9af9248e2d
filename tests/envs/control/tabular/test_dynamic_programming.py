"""Dynamic programming against closed forms, enumeration and simulation."""

from typing import Any

import numpy as np
import pytest

from zerogym.envs.control.tabular.dynamic_programming import (
    SETTLED,
    evaluate_policy,
    finite_horizon_values,
    policy_matrix,
    successor_measure,
    transition_reward,
    value_iteration,
)
from zerogym.envs.control.tabular.layouts import LAYOUTS, STAY, Layout, greedy_policy

GAMMA = 0.9
SMALL = np.array([[1, 2], [2, 0], [2, 1]])  # three states, two actions


def distances(layout: Layout, goal: int) -> np.ndarray:
    """Steps to the goal, by breadth-first search on the drawing."""
    found = {layout.cells[goal]: 0}
    frontier = [layout.cells[goal]]
    while frontier:
        row, column = frontier.pop(0)
        for step in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if layout.rows[step[0]][step[1]] == " " and step not in found:
                found[step] = found[row, column] + 1
                frontier.append(step)
    return np.array([found[cell] for cell in layout.cells])


@pytest.mark.parametrize("name", LAYOUTS)
def test_value_iteration_equals_breadth_first_search_on_every_goal(name: str) -> None:
    layout = LAYOUTS[name]
    for goal in range(len(layout.cells)):
        reward = np.eye(len(layout.cells))[goal]
        wait = np.maximum(distances(layout, goal), 1) - 1  # the first rewarded step enters the goal
        values, policy = value_iteration(layout.next_state, reward, GAMMA)
        np.testing.assert_allclose(values, GAMMA**wait / (1 - GAMMA), atol=1e-8)
        np.testing.assert_allclose(
            evaluate_policy(layout.next_state, policy, reward, GAMMA), values, atol=1e-8
        )


def test_value_iteration_leaves_a_policy_that_seems_to_have_settled() -> None:
    """Coins at the door hide the prize behind a corridor, for more sweeps than settle a policy."""
    length = 3 * SETTLED
    ahead = np.minimum(np.arange(length + 1) + 1, length)
    ways = np.stack([np.where(np.arange(length + 1) == 0, 0, ahead), ahead], axis=1)
    reward = np.zeros(length + 1)
    reward[0], reward[length] = 0.01, 1.0
    values, policy = value_iteration(ways, reward, GAMMA)
    wait = np.maximum(length - 1 - np.arange(length + 1), 0)
    expected = GAMMA**wait / (1 - GAMMA)
    assert expected[0] > 0.01 / (1 - GAMMA)
    np.testing.assert_allclose(values, expected, atol=1e-8)
    assert policy[0] == 1


@pytest.mark.parametrize("gamma", [0.99, 0.999, 0.9999])
def test_value_iteration_ends_where_rounding_exceeds_its_bound(gamma: float) -> None:
    """A linear solve is less exact than the default bound in such a world."""
    rng = np.random.default_rng(0)
    chances, reward = rng.dirichlet(np.ones(40), (40, 3)), rng.uniform(0, 1, 40)
    values, policy = value_iteration(chances, reward, gamma)
    q = chances @ (reward + gamma * values)
    np.testing.assert_allclose(q.max(axis=1), values, rtol=1e-12)  # Bellman's equation
    np.testing.assert_allclose(evaluate_policy(chances, policy, reward, gamma), values, rtol=1e-9)


def test_a_stochastic_policy_averages_its_actions() -> None:
    halves = np.full((3, 2), 0.5)
    expected = [[0, 0.5, 0.5], [0.5, 0, 0.5], [0, 0.5, 0.5]]
    np.testing.assert_array_equal(policy_matrix(SMALL, halves), expected)
    both_ways = np.array([[1, 1], [0, 0]])  # two actions that lead to the same state
    np.testing.assert_array_equal(policy_matrix(both_ways, np.full((2, 2), 0.5)), [[0, 1], [1, 0]])


def test_the_successor_measure_of_a_cycle_has_its_closed_form() -> None:
    swap = [[0.0, 1.0], [1.0, 0.0]]
    expected = np.array([[1, GAMMA], [GAMMA, 1]]) / (1 - GAMMA**2)
    np.testing.assert_allclose(successor_measure(swap, GAMMA), expected)
    np.testing.assert_allclose(successor_measure(np.eye(3), GAMMA), np.eye(3) / (1 - GAMMA))


def test_the_successor_measure_is_the_sum_of_the_powers_and_gives_the_values() -> None:
    layout, rng = LAYOUTS["u_map"], np.random.default_rng(3)
    policy = rng.dirichlet(np.ones(5), size=45)
    matrix = policy_matrix(layout.next_state, policy)
    measure = successor_measure(matrix, GAMMA)
    powers = sum(GAMMA**t * np.linalg.matrix_power(matrix, t) for t in range(300))
    np.testing.assert_allclose(measure, powers, atol=1e-9)
    np.testing.assert_allclose(measure.sum(axis=1), 1 / (1 - GAMMA))
    reward = rng.normal(size=45)
    values = evaluate_policy(layout.next_state, policy, reward, GAMMA)
    np.testing.assert_allclose(matrix @ measure @ reward, values)


def test_a_reward_of_states_is_given_on_entering() -> None:
    np.testing.assert_array_equal(transition_reward(SMALL, [0, 1, 2]), SMALL)


def test_the_straight_line_is_even_among_the_nearest_free_neighbours() -> None:
    layout = LAYOUTS["four_rooms"]
    goal = layout.index[3, 3]
    policy = greedy_policy(layout, goal)
    np.testing.assert_array_equal(policy[layout.index[1, 1]], [0, 0, 0.5, 0.5, 0])
    np.testing.assert_array_equal(policy[layout.index[3, 1]], [0, 0, 1, 0, 0])
    # The wall stops the way up, so both detours are as near as each other.
    np.testing.assert_array_equal(policy[layout.index[5, 3]], [0, 0, 0, 0.5, 0.5])
    assert policy[goal, STAY] == 1
    np.testing.assert_allclose(policy.sum(axis=1), 1)


@pytest.mark.parametrize(("name", "low", "high"), [("u_map", 0.0, 0.6), ("four_rooms", 0.9, 1.0)])
def test_the_straight_line_fails_where_the_map_is_said_to_need_planning(
    name: str, low: float, high: float
) -> None:
    layout = LAYOUTS[name]
    reached = []
    for goal in range(len(layout.cells)):
        matrix = policy_matrix(layout.next_state, greedy_policy(layout, goal))
        reached.append(np.linalg.matrix_power(matrix, 50)[:, goal].mean())
    assert low < np.mean(reached) < high


@pytest.mark.parametrize(
    ("name", "states"), [("four_rooms", 40), ("four_rooms_13", 104), ("u_map", 45)]
)
def test_layouts_are_closed_connected_and_of_the_stated_size(name: str, states: int) -> None:
    layout = LAYOUTS[name]
    assert len(layout.cells) == states
    assert len(distances(layout, 0)) == states  # raises KeyError if a cell is cut off
    assert {len(row) for row in layout.rows} == {len(layout.rows[0])}
    border = layout.rows[0] + layout.rows[-1] + "".join(row[0] + row[-1] for row in layout.rows)
    assert set(border) == {"#"}


def test_moves_are_what_their_names_say() -> None:
    layout = LAYOUTS["four_rooms"]
    after = [layout.cells[state] for state in layout.next_state[layout.index[2, 3]]]
    assert after == [(2, 3), (1, 3), (2, 4), (3, 3), (2, 2)]  # stay up right down left
    after = [layout.cells[state] for state in layout.next_state[layout.index[1, 1]]]
    assert after == [(1, 1), (1, 1), (1, 2), (2, 1), (1, 1)]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_rewards_that_are_no_numbers_are_refused_and_not_iterated_for_ever(bad: float) -> None:
    dynamics = np.array([[0, 1], [1, 0]])
    for reward in ([bad, 0.0], [[0.0, bad], [0.0, 0.0]]):
        with pytest.raises(ValueError, match=f"finite, got {bad}"):
            value_iteration(dynamics, reward, 0.9)
        with pytest.raises(ValueError, match="finite"):
            finite_horizon_values(dynamics, reward, 3)
    for tol in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="tol"):
            value_iteration(dynamics, [1.0, 0.3], 0.9, tol=tol)


@pytest.mark.parametrize(
    ("policy", "match"),
    [
        ([-1, 0], "0 to 1, got -1 to 0"),
        ([0, 2], "0 to 1, got 0 to 2"),
        ([[1.0, 1.0], [1.0, 0.0]], "sum to 1"),
        ([[np.nan, 1.0], [1.0, 0.0]], "sum to 1"),
        ([[1.5, -0.5], [1.0, 0.0]], ">= 0"),
    ],
)
def test_what_is_no_policy_is_not_evaluated(policy: list[Any], match: str) -> None:
    dynamics = np.array([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match=match):
        evaluate_policy(dynamics, policy, [1.0, 0.0], 0.9)
    with pytest.raises(ValueError, match=match):
        policy_matrix(dynamics, policy)


def test_there_is_no_reward_after_the_end() -> None:
    dynamics = np.array([[0, 1], [1, 0]])  # stay, or change places
    values = finite_horizon_values(dynamics, [-1.0, 2.0], 3, final=np.array([False, True]))
    assert values[3].tolist() == [2.0, 2.0]
    assert finite_horizon_values(dynamics, [-1.0, 2.0], 3)[3].tolist() == [6.0, 6.0]


def test_bad_arguments_say_what_was_expected() -> None:
    with pytest.raises(ValueError, match=r"gamma must be in \[0, 1\)"):
        value_iteration(SMALL, np.zeros(3), 1.0)
    with pytest.raises(ValueError, match=r"reward must have shape \(3,\) or \(3, 2\)"):
        value_iteration(SMALL, np.zeros(4), GAMMA)
    with pytest.raises(ValueError, match="policy must be integer actions"):
        policy_matrix(SMALL, np.zeros(3))
