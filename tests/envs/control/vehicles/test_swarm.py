"""Swarms of quadrotors: observations, costs of touching, the controller, and batches."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from helpers.control.transitions import play
from helpers.control.worlds import bare
from zerogym.envs.control.vehicles.quadrotors.controller import Aim, fly
from zerogym.envs.control.vehicles.quadrotors.physics import (
    CONSTANTS,
    PLACE,
    SIZE,
    SPEED,
    QuadrotorRules,
)
from zerogym.envs.control.vehicles.quadrotors.swarm_physics import OWN, SwarmRules

make = partial(bare, "QuadrotorSwarm")
DEFAULT = {name: constant.default for name, constant in CONSTANTS.items()}


def drawn(rules: SwarmRules, count: int = 20) -> np.ndarray:
    return rules.draw(np.random.default_rng(0), count, DEFAULT)


def placed(rules: SwarmRules, places: list[Any], columns: list[Any]) -> np.ndarray:
    """A state with vehicles and columns at given places."""
    state = drawn(rules, 1)
    state[0, : SIZE * rules.vehicles].reshape(-1, SIZE)[:, PLACE] = places
    state[0, rules.goals.stop :] = np.ravel(columns)
    return state


def test_each_vehicle_moves_as_it_would_alone() -> None:
    rules, rng = SwarmRules(3, 2), np.random.default_rng(1)
    states, actions = drawn(rules, 5), rng.uniform(-1, 1, (5, 12))
    moved = rules.advance(states, actions, DEFAULT)
    for index in range(3):
        part = slice(SIZE * index, SIZE * (index + 1))
        alone = QuadrotorRules().advance(
            states[:, part], actions[:, 4 * index : 4 * index + 4], DEFAULT
        )
        np.testing.assert_array_equal(moved[:, part], alone)
    np.testing.assert_array_equal(moved[:, 3 * SIZE :], states[:, 3 * SIZE :])


def test_worlds_of_one_batch_may_have_vehicles_of_different_kinds() -> None:
    rules = SwarmRules(2, 0)
    states, actions = drawn(rules, 2), np.full((2, 8), 0.4)
    context = DEFAULT | {"thrust_to_weight": np.array([2.0, 4.0])}
    both = rules.advance(states, actions, context)
    for row, thrust in enumerate((2.0, 4.0)):
        single = DEFAULT | {"thrust_to_weight": thrust}
        alone = rules.advance(states[row : row + 1], actions[:1], single)
        np.testing.assert_allclose(both[row], alone[0], atol=1e-12)


def test_each_sees_its_goal_the_two_nearest_and_the_two_nearest_columns() -> None:
    rules = SwarmRules(5, 4)
    states = drawn(rules)
    rows = rules.observe(states, DEFAULT).reshape(20, 5, rules.width)
    bodies = states[:, : 5 * SIZE].reshape(20, 5, SIZE)
    goals = states[:, rules.goals].reshape(20, 5, 3)
    columns = states[:, rules.goals.stop :].reshape(20, 4, 2)
    for row in range(20):
        for index, body in enumerate(bodies[row]):
            mine = rows[row, index]
            np.testing.assert_array_equal(mine[:3], body[PLACE])
            np.testing.assert_allclose(mine[OWN : OWN + 3], goals[row, index] - body[PLACE])
            others = np.delete(bodies[row], index, axis=0)
            others = others[np.linalg.norm(others[:, PLACE] - body[PLACE], axis=1).argsort()]
            ways = columns[row] - body[:2]
            ways = ways[np.linalg.norm(ways, axis=1).argsort()]
            expected = [
                *(part for other in others[:2] for part in (
                    other[PLACE] - body[PLACE], other[SPEED] - body[SPEED])),
                *ways[:2],
            ]  # fmt: skip
            np.testing.assert_allclose(mine[OWN + 3 :], np.concatenate(expected), atol=1e-12)


@pytest.mark.parametrize(("vehicles", "columns", "width"), [(1, 0, 25), (2, 1, 33), (6, 9, 41)])
def test_observations_are_shorter_where_there_is_less_to_see(
    vehicles: int, columns: int, width: int
) -> None:
    env = make(vehicles=vehicles, columns=columns)
    obs, _ = env.reset(seed=0)
    assert obs.shape == (vehicles * width,)
    features = env.features(obs[None])
    assert (features["gap"][0] == 100) == (vehicles == 1)
    assert (features["column_gap"][0] == 100) == (columns == 0)


def test_what_touches_costs_and_does_not_end_the_episode() -> None:
    env = make(vehicles=3, columns=1)
    rules, far = env.rules, (1.0, 3.0, 0.0)
    for places, column, cost in (
        ([(0, 0, 0), (0, 0, 0.31), far], (-3, 3), 0),
        ([(0, 0, 0), (0, 0, 0.29), far], (-3, 3), 2),
        ([(0, 0, 0), (0, 0, 0.29), far], (1.0, 3.44), 3),
        ([(0, 0, 0), (0, 1.0, 0), far], (1.0, 3.46), 0),
        ([(0, 0, -5), (0, 1.0, 5), far], (0.0, 0.2), 1),
    ):
        state = placed(rules, places, [column])
        costs, ends = rules.harm(state, DEFAULT)
        assert costs.tolist() == [cost] and not ends.any()
    env.reset(seed=0)
    env._episode.state = placed(rules, [(0, 0, 0), (0, 0, 0.2), far], [(-3, 3)])[0]
    *_, terminated, _, info = env.step(np.zeros(12))
    assert info["cost"] == 2.0 and not terminated
    env._episode.state[0] = 8.5
    *_, terminated, _, info = env.step(np.zeros(12))
    assert terminated


def test_columns_stand_apart_and_nobody_starts_in_one() -> None:
    rules = SwarmRules(6, 9)
    states = drawn(rules, 200)
    columns = states[:, rules.goals.stop :].reshape(200, 9, 2)
    apart = np.linalg.norm(columns[:, :, None] - columns[:, None], axis=-1)
    assert apart[:, *np.triu_indices(9, 1)].min() > 0.9
    assert not rules.touching(states).any()
    goals = states[:, rules.goals].reshape(200, 6, 3)
    np.testing.assert_allclose(np.sort(goals[:, :, 1]), np.tile(np.arange(6) - 2.5, (200, 1)))
    assert (goals[:, :, 1].std(axis=0) > 1).all(), "any vehicle may have any goal"


def test_rewards_count_the_vehicles_that_are_there() -> None:
    env = make(vehicles=2, columns=1)
    state = placed(env.rules, [(0, 0, 0), (0, 2, 0)], [(3, 3)])
    state[0, env.rules.goals] = (0, 0, 0, 0, 2, 0.6)
    obs = env.rules.observe(state, DEFAULT)
    reward = env.tasks["reach"].relabel(obs, obs[:, :8], obs)[0]
    linear = 1 - 0.5 / 8.0
    assert reward == pytest.approx((2.0 + 0.1 + linear) / 4, abs=1e-6)
    assert env.tasks["reach_safely"].relabel(obs, obs[:, :8], obs)[0] == reward
    state = placed(env.rules, [(0, 0, 0), (0, 0.2, 0)], [(3, 3)])
    obs = env.rules.observe(state, DEFAULT)
    assert env.tasks["reach"].relabel(obs, obs[:, :8], obs)[0] > 0
    assert env.tasks["reach_safely"].relabel(obs, obs[:, :8], obs)[0] == 0
    goal = np.array([(2.5, 0, 0), (-2.5, 1, 1)])
    task = make(vehicles=2, columns=1, task=goal)._task
    state = placed(env.rules, goal.tolist(), [(3, 3)])
    obs = env.rules.observe(state, DEFAULT)
    assert task.relabel(obs, obs[:, :8], obs)[0] == 1.0


def test_features_are_of_the_nearest_the_farthest_and_the_mean() -> None:
    env = make(vehicles=3, columns=2)
    state = placed(env.rules, [(0, 0, 0), (3, 4, 0), (0, 2, 0)], [(0, 1.5), (6, 4)])
    state[0, env.rules.goals] = (0, 0, 1, 3, 4, 5, 0, 2, 0)
    bodies = state[0, : 3 * SIZE].reshape(3, SIZE)
    bodies[:, SPEED] = (3, 0, 4), (0, 0, 1), (0, 0, 0)
    features = env.features(env.rules.observe(state, DEFAULT))
    found = {name: float(features[name][0]) for name in features}
    assert found == pytest.approx(
        {"distance": 2.0, "farthest": 5.0, "speed": 2.0, "gap": 2.0, "column_gap": 0.5}
    )


GOALS = ((3.0, 0.0, 0.5), (-3.0, 1.0, -0.5))


@pytest.mark.proof
@pytest.mark.parametrize("task", ["reach_safely", "spread", GOALS])
def test_the_controller_solves_each_task_untouched_and_chance_does_not(task: Any) -> None:
    horizon = 300 if task == "spread" else 650
    env = make(task=task, vehicles=2, columns=6, horizon=horizon)
    oracle, chance = (play(env, policy, 3) for policy in ("oracle", "random"))
    assert oracle.total > 220 > 50 > chance.total
    assert sum(oracle.costs) == 0 and oracle.reward > 0.97
    assert oracle.info.get("success", True) and not chance.info.get("success", False)
    assert chance.terminated and not oracle.terminated


def test_the_straight_line_runs_into_columns() -> None:
    env, cost = make(vehicles=2, columns=9), 0.0
    env.reset(seed=1)
    for _ in range(500):
        state = env._episode.state
        bodies = env.rules.bodies(state[None])
        way = state[env.rules.goals].reshape(-1, 3) - bodies[:, PLACE]
        way = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1.0)
        *_, info = env.step(fly(bodies, DEFAULT, Aim(None, way)).reshape(-1))
        cost += info["cost"]
    assert cost > 50
