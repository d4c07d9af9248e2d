"""Missions in time in the point maze: robustness as reward, live and stored; oracle and line."""

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from helpers.control.worlds import bare
from zerogym.envs.control.core.features import Features
from zerogym.envs.control.mazes.stl_missions import HAZARD, MISSIONS, REGIONS, inside
from zerogym.envs.control.mazes.stl_tasks import COLUMNS, MEASURES, measured
from zerogym.envs.control.temporal.stl import Always, Formula, Margin, Until, eventually
from zerogym.envs.control.temporal.stl_rewards import (
    final_rewards,
    robustness_so_far,
    shaped_rewards,
)
from zerogym.errors import NoOracle, UnknownName

FORMULAS: dict[str, Formula] = {name: mission.formula for name, mission in MISSIONS.items()} | {
    "until": Until(~inside(HAZARD), inside("a"), 3, 50)
}


make = partial(bare, "PointMazeSTL")


def episode(env: Any, policy: str, seed: int) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Observations (T + 1, 8), rewards (T,), the last info."""
    rng = np.random.default_rng(seed)
    obs, info = env.reset(seed=seed)
    observed, received, over = [obs], [], False
    while not over:
        if policy == "random":
            action = np.clip(rng.normal([0.3, 0.3], 0.7), -1, 1)
        else:
            action = env.oracle_action() if policy == "oracle" else env.straight_line_action(rng)
        obs, reward, terminated, truncated, info = env.step(action)
        assert not terminated
        observed.append(obs)
        received.append(reward)
        over = truncated
    return np.array(observed), np.array(received), info


def trajectories(count: int, length: int, seed: int = 0) -> np.ndarray:
    """Random walks in the square, walls ignored; (N, T, 2)."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(rng.normal(0, 0.05, (count, 1, 2)), 0.1, (count, length, 2))
    return np.clip(rng.uniform(0, 3, (count, 1, 2)) + steps.cumsum(axis=1), 0, 3)


@pytest.mark.parametrize("name", FORMULAS)
def test_many_trajectories_are_judged_as_each_alone(name: str) -> None:
    formula = FORMULAS[name]
    walks = trajectories(30, formula.horizon + 4)
    alone = np.array([formula.trace(Features(MEASURES, walk)) for walk in walks])
    assert alone.shape == (30, 4) and len(np.unique(alone)) > 20
    np.testing.assert_array_equal(formula.trace(Features(MEASURES, walks)), alone)
    tensors = formula.trace(Features(MEASURES, torch.from_numpy(walks)))
    np.testing.assert_array_equal(tensors.numpy(), alone)
    just = walks[:, : formula.horizon + 1]
    for given in (just, torch.from_numpy(just)):
        found = np.asarray(formula.robustness_of_all(Features(MEASURES, given)))
        np.testing.assert_array_equal(found, alone[:, 0])
    short = Features(MEASURES, walks[:, : formula.horizon])
    for features in (short, Features(MEASURES, torch.from_numpy(walks[:, : formula.horizon]))):
        with pytest.raises(ValueError, match=f"than the formula's {formula.horizon} steps"):
            formula.robustness_of_all(features)


def test_robustness_agrees_with_the_sentence() -> None:
    """The mission of an order, by loops over moments; positive exactly if the words are true."""
    walks = trajectories(200, 121, seed=1)
    values = FORMULAS["in_order_avoiding"].robustness_of_all(Features(MEASURES, walks))
    margins = {name: region.margin(walks) for name, region in REGIONS.items()}
    for n in range(200):
        orders = [min(margins["a"][n, s], margins["b"][n, s : s + 61].max()) for s in range(61)]
        assert values[n] == min(max(orders), -margins[HAZARD][n].max())


@pytest.mark.parametrize("mission", ["reach_avoiding", "stay"])
def test_stored_episodes_get_the_live_rewards(mission: str) -> None:
    formula = FORMULAS[mission]
    for task, rewards_of in (("mission", final_rewards), ("mission_dense", shaped_rewards)):
        env = make(mission=mission, task=task)
        played = [episode(env, policy, n) for n in range(3) for policy in ("random", "oracle")]
        observed, received = (np.array([each[i] for each in played]) for i in (0, 1))
        assert len(np.unique(received.sum(axis=1))) > 2
        for obs in (observed, torch.from_numpy(observed)):
            rewards = np.asarray(rewards_of(formula, MEASURES, obs[..., :2]))
            np.testing.assert_allclose(rewards, received, atol=1e-6)  # observed in float32
        transitions = observed[:, :-1].reshape(-1, 8), None, observed[:, 1:].reshape(-1, 8)
        np.testing.assert_array_equal(env.tasks[task].relabel(*transitions), received.ravel())


def test_both_libraries_relabel_a_hundred_thousand_transitions_alike() -> None:
    formula = FORMULAS["reach_avoiding"]
    walks = trajectories(1667, 61)
    found = robustness_so_far(formula, MEASURES, walks)
    assert found.shape == (1667, 61)
    tensors = robustness_so_far(formula, MEASURES, torch.from_numpy(walks))
    np.testing.assert_array_equal(tensors.numpy(), found)
    end = final_rewards(formula, MEASURES, walks)
    assert not end[:, :-1].any()
    np.testing.assert_array_equal(end[:, -1], found[:, -1])
    np.testing.assert_allclose(
        shaped_rewards(formula, MEASURES, walks).sum(axis=1), found[:, -1] - found[:, 0]
    )
    for turn in (0, 20, 59):  # what is so far does not know what comes
        stands = walks[:50].copy()
        stands[:, turn:] = stands[:, turn : turn + 1]
        held = formula.robustness_of_all(Features(MEASURES, stands))
        np.testing.assert_array_equal(held, found[:50, turn])


def test_one_place_is_measured_as_many_are() -> None:
    places = np.random.default_rng(0).uniform(0, 3, (50, 2)).astype(np.float32)
    rows = Features(COLUMNS, np.array([measured(place) for place in places]))
    for name, column in Features(MEASURES, places).items():
        np.testing.assert_array_equal(rows[name], column)


def test_the_observation_holds_the_history() -> None:
    env = make(mission="in_order", task="mission")
    observed, _, info = episode(env, "random", 3)
    assert observed.shape == (101, 8) and env.observation_space.contains(observed[-1])
    np.testing.assert_allclose(observed[:, 2], np.arange(101) / 100, atol=1e-6)
    places = observed[:, :2].astype(np.float64)
    for column, region in enumerate(REGIONS.values(), start=4):
        best = np.maximum.accumulate(region.margin(places))
        np.testing.assert_allclose(observed[:, column], best, atol=1e-6)
    assert info["success"] == (observed[-1, 3] > 0)


def check_mission(mission: str, seeds: range, most: float) -> None:
    env = make(mission=mission, task="mission")
    straight = []
    for seed in seeds:
        _, received, info = episode(env, "oracle", seed)
        assert received[-1] > 0.05 and info["success"], (mission, seed)
        straight.append(episode(env, "straight", seed)[1][-1] > 0)
    assert np.mean(straight) <= most


@pytest.mark.proof
@pytest.mark.parametrize("mission", MISSIONS)
def test_the_oracle_keeps_its_appointments_and_the_straight_line_does_not(mission: str) -> None:
    check_mission(mission, range(4), most=0.75)


@pytest.mark.proof
@pytest.mark.parametrize("mission", MISSIONS)
def test_the_oracle_keeps_its_appointments_from_many_places(mission: str) -> None:
    check_mission(mission, range(100, 140), most=0.5)


def test_the_hazard_costs_and_is_no_start() -> None:
    env = make(task="visit_hazard")
    env.reset(options={"start": (1.5, 1.9)})
    reported = [env.step([0.0, -1.0]) for _ in range(3)]
    assert [step[4]["cost"] for step in reported] == [0.0, 1.0, 0.0]
    assert [step[1] for step in reported] == [0.0, 1.0, 0.0]
    for seed in range(200):
        assert not env.reset(seed=seed)[1]["cost"]


def test_a_formula_of_your_own() -> None:
    env = make(mission=eventually(inside("c"), 0, 30) & Always(~inside("a"), 0, 30), task="mission")
    assert env.horizon == 30
    env.reset(options={"start": (1.5, 2.0)})
    with pytest.raises(NoOracle, match="an oracle needs a goal, a region or a named mission"):
        env.oracle_action()
    total = sum(env.step([0.0, 1.0 if n < 3 else 0.0])[1] for n in range(30))
    assert total == pytest.approx(0.25 - abs(2.6 - 2.625), abs=1e-6)


def test_margins_of_any_size_are_rewarded_in_full() -> None:
    env = make(mission=eventually(Margin(lambda f: 10 * f["x"]), 0, 1), task="mission")
    env.reset(options={"start": (2.5, 2.0)})
    obs, reward, *_ = env.step([0.0, 0.0])
    assert reward == 25.0 and env.observation_space.contains(obs)


def test_a_longer_episode_goes_on_after_the_mission() -> None:
    rewards, robustness = [], []
    for kwargs in ({}, {"horizon": 90}):
        env = make(mission="reach", task="mission", **kwargs)
        env.reset(seed=4)
        over, received = False, []
        while not over:
            observed, reward, _, over, _ = env.step(
                env.oracle_action() if len(received) < 60 else [0.0, -1.0]
            )
            received.append(reward)
        rewards.append(received)
        robustness.append(observed[3])
    assert [len(received) for received in rewards] == [60, 90]
    assert not any(rewards[1][:-1]) and rewards[1][-1] == rewards[0][-1] == robustness[0] > 0
    assert env._episode.trajectory[-1, 1] < 2, "it has left region a, which no longer counts"
    for steps in (59, 0, True, 90.0):
        with pytest.raises(ValueError, match="horizon must be"):
            make(mission="reach", horizon=steps)


def test_bad_numbers_are_refused() -> None:
    env = make(mission=eventually(inside("z"), 0, 5))
    with pytest.raises(UnknownName, match="no feature 'z'"):
        env.reset(seed=0)
    env = make()
    with pytest.raises(ValueError, match="cannot be batched"):
        env.batched(3)
    for shape in ((3, 2), (3, 1, 2)):
        with pytest.raises(ValueError, match="whole episodes; got"):
            robustness_so_far(FORMULAS["reach"], MEASURES, np.zeros(shape))


def test_no_region_lies_in_a_wall_or_in_another() -> None:
    for one, other in pairwise(REGIONS.values()):
        assert one.margin(np.array(other.centre)) < -other.half
