"""The racing ring: the road closes, the car obeys its tyres, rewards and controller."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from helpers.control.transitions import play
from helpers.control.worlds import bare
from zerogym.envs.control.vehicles.racing.physics import (
    CONSTANTS,
    GRAVITY,
    LENGTH,
    MOST_STEERING,
    RIVAL_SPEED,
    RIVALS,
    ROAD,
    STEER,
    WHEELBASE,
    RingRules,
    curvature,
    direction,
)
from zerogym.envs.control.vehicles.racing.render import _place
from zerogym.envs.control.vehicles.racing.tasks import LAP, offset, room

make = partial(bare, "RacingRing")
RULES = RingRules(0)
DEFAULT = {name: constant.default for name, constant in CONSTANTS.items()}
CIRCLE = (1.0, 2.0, 0.0, 0.0, 0.0, 0.0)  # a road without waves
RADIUS = LENGTH / (2 * np.pi)


def on_circle(speed: float, across: float = 0.0, steering: float | None = None) -> np.ndarray:
    state = np.zeros((1, RIVALS))
    state[:, 1], state[:, 3], state[:, ROAD] = across, speed, CIRCLE
    state[:, STEER] = np.arctan(WHEELBASE / (RADIUS - across)) if steering is None else steering
    return state


@pytest.mark.parametrize("seed", range(6))
def test_the_road_closes_and_does_not_cross_itself(seed: int) -> None:
    road = RULES.draw(np.random.default_rng(seed), 1, DEFAULT)[0, ROAD]
    places = np.linspace(0, LENGTH, 4801)
    heading = direction(places, road)
    bends = curvature(np, places, list(road))
    np.testing.assert_allclose(np.gradient(heading, places)[1:-1], bends[1:-1], atol=1e-5)
    assert abs(heading[-1] - heading[0]) == pytest.approx(2 * np.pi)
    steps = np.stack([np.cos(heading), np.sin(heading)], axis=1) * (places[1] - places[0])
    points = np.cumsum((steps[1:] + steps[:-1]) / 2, axis=0)
    assert np.linalg.norm(points[-1]) < 1e-3, "a lap leads back to its start"
    assert 1 / np.abs(bends).max() > CONSTANTS["width"].high / 2 + 2, "no verge meets itself"
    some = points[::80]
    apart = np.linalg.norm(some[:, None] - some[None], axis=-1)
    along = np.abs(np.subtract.outer(np.arange(len(some)), np.arange(len(some)))) * 4.0
    far = np.minimum(along, LENGTH - along) > 40
    assert apart[far].min() > CONSTANTS["width"].high, "nowhere do two parts overlap"


def test_a_car_on_a_circle_needs_the_acceleration_of_its_speed_and_radius() -> None:
    """v^2 / r: with so much grip it stays on the circle, with less it is carried outwards."""
    speed = 15.0
    need = speed**2 / RADIUS
    for across, spare, stays in ((0.0, 1.02, True), (0.0, 0.9, False), (2.0, 1.02, True)):
        radius = RADIUS - across
        context = DEFAULT | {"grip": spare * speed**2 / radius / GRAVITY, "drag": 0.0}
        state = on_circle(speed, across)
        action = np.array([[state[0, STEER] / MOST_STEERING, 0.0]])
        for _ in range(60):
            state = RULES.advance(state, action, context)
        assert state[0, 3] == pytest.approx(speed), "bends cost no speed"
        if stays:
            np.testing.assert_allclose(state[0, 1:3], [across, 0.0], atol=1e-6)
            # Inside of the circle, the same speed is more metres of the centre line.
            assert state[0, 0] == pytest.approx(60 * 0.05 * speed * RADIUS / radius, rel=1e-9)
        else:
            assert state[0, 1] < -1.0
    assert need == pytest.approx(5.89, abs=0.01)


def test_without_grip_to_spare_the_bend_has_the_radius_of_the_grip() -> None:
    context = DEFAULT | {"grip": 0.5, "drag": 0.0}
    state = on_circle(12.0, steering=0.4)
    moved = RULES.advance(state, np.array([[0.8, 0.0]]), context)
    turned = moved[0, 2] + (moved[0, 0] - state[0, 0]) / RADIUS  # heading in the world
    assert turned / RULES.dt == pytest.approx(0.5 * GRAVITY / 12.0, rel=1e-6)


@pytest.mark.parametrize(("pedal", "grip"), [(-1.0, 0.8), (-0.5, 1.2), (-1.0, 0.3)])
def test_braking_takes_the_distance_of_the_textbook(pedal: float, grip: float) -> None:
    context, state = DEFAULT | {"grip": grip, "drag": 0.0}, on_circle(14.0, steering=0.0)
    deceleration, steps = -pedal * grip * GRAVITY, 20
    for _ in range(steps):
        state = RULES.advance(state, np.array([[0.0, pedal]]), context)
    time = RULES.dt * steps
    assert state[0, 3] == pytest.approx(max(0.0, 14.0 - deceleration * time), abs=1e-9)
    for _ in range(200):
        state = RULES.advance(state, np.array([[0.0, pedal]]), context)
    before = state.copy()
    state = RULES.advance(state, np.array([[0.0, pedal]]), context)
    assert state[0, 3] == 0.0 and abs(state[0, 0] - before[0, 0]) < 1e-9, "it does not go back"


def test_power_gives_energy_and_the_air_limits_the_speed() -> None:
    straight = on_circle(20.0, steering=0.0)
    straight[:, 5 + 1] = 0.0  # neither left nor right: a straight road
    context = DEFAULT | {"drag": 0.1, "grip": 1.6}
    state = straight.copy()
    for _ in range(40):
        state = RULES.advance(state, np.array([[0.0, 0.5]]), context)
    work = 0.5 * 1e5 * 2.0
    gained = 0.5 * context["mass"] * (state[0, 3] ** 2 - 20.0**2)
    lost = 0.1 * np.mean([20.0, state[0, 3]]) ** 3 * 2.0
    assert gained == pytest.approx(work - lost, rel=0.01)
    context = DEFAULT | {"drag": 2.0}
    for _ in range(3000):
        state = RULES.advance(state, np.array([[0.0, 1.0]]), context)
    assert state[0, 3] == pytest.approx((1e5 / 2.0) ** (1 / 3), rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_another_integrator_finds_the_same_way_in_the_plane(seed: int) -> None:
    """The same car in coordinates of the plane, by scipy; its place against the road's own."""
    state = RULES.draw(np.random.default_rng(seed), 1, DEFAULT)
    state[:, 3] = 9.0
    road, wheel = state[0, ROAD], 0.04

    def slope(_: float, y: np.ndarray) -> list[float]:
        speed = y[3]
        force = 0.1 * 1e5 / (DEFAULT["mass"] * speed) - DEFAULT["drag"] / DEFAULT["mass"] * speed**2
        rate = speed * np.tan(y[4]) / WHEELBASE
        return [speed * np.cos(y[2]), speed * np.sin(y[2]), rate, force, (wheel - y[4]) / 0.1]

    def in_plane(row: np.ndarray) -> np.ndarray:
        return np.array(_place(tuple(road), row[0], row[1]))

    heading = float(direction(state[:, 0], road)[0]) + state[0, 2]
    first = [*in_plane(state[0]), heading, 9.0, 0.0]
    found = solve_ivp(slope, (0, 1.0), first, rtol=1e-9).y[:, -1]
    for _ in range(20):
        state = RULES.advance(state, np.array([[wheel / MOST_STEERING, 0.1]]), DEFAULT)
    assert np.linalg.norm(in_plane(state[0]) - found[:2]) < 0.4, "drawn on half metres"
    assert float(direction(state[:, 0], road)[0]) + state[0, 2] == pytest.approx(found[2], abs=1e-4)
    assert state[0, 3] == pytest.approx(found[3], abs=1e-6)


def test_progress_counts_in_per_cent_and_infractions_halve_it() -> None:
    env = make(rivals=1)
    task = env.tasks["lap"]
    env.reset(seed=0)
    before = env._episode.observation[None].repeat(4, axis=0)
    after = before.copy()
    after[:, LAP] += 0.02
    after[1, 0] = -0.5  # beside the road
    after[2, LAP + 1 :] = (7.0, 0.5, 6.0)  # (7 - 4.5) m at 6 m/s: in less than a second
    after[3, 0], after[3, LAP + 1 :] = -0.5, (7.0, 0.5, 6.0)
    np.testing.assert_allclose(
        task.relabel(before, before[:, :2], after), [2, 1, 1, 0.5], rtol=1e-5
    )
    back = task.relabel(after, before[:, :2], before)
    np.testing.assert_allclose(back, [-2, -2, -2, -2], rtol=1e-5)
    before[:] = after  # and beside the road or close to another car it loses no less
    before[:, LAP] -= 0.02
    np.testing.assert_allclose(task.relabel(after, before[:, :2], before), back, rtol=1e-5)
    before = env._episode.observation[None].repeat(4, axis=0)
    after[2, LAP + 2] = 2.0  # in the other lane
    assert task.relabel(before, before[:, :2], after)[2] == pytest.approx(2.0, rel=1e-5)


def test_a_lap_is_worth_a_hundred_and_overtaking_is_counted() -> None:
    env = make(task="lap", rivals=1)
    obs, _ = env.reset(seed=1)
    total = passed = 0.0
    while obs[LAP] < 1.0:
        before = obs
        obs, reward, terminated, truncated, info = env.step(env.oracle_action())
        total += reward
        passed += env.tasks["overtake"].relabel(before[None], obs[None, :2], obs[None])[0]
        assert not terminated and not truncated and info["cost"] == 0
    assert total == pytest.approx(100.0 * obs[LAP], rel=0.02)
    ahead = env._episode.state[RIVALS] - env._episode.state[0]
    assert passed == (1.0 if ahead < 0 else 0.0) == 1.0
    back = env.tasks["overtake"].relabel(obs[None], obs[None, :2], before[None])
    assert back[0] == 0.0, "it is counted once"


def test_leaving_the_road_costs_and_leaving_the_verge_ends() -> None:
    env = make(rivals=0)
    env.reset(seed=0)
    for across, cost, ends in ((4.4, 0.0, False), (4.6, 1.0, False), (6.6, 1.0, True)):
        env.reset(seed=0)
        env._episode.state[1:4] = across, 0.0, 0.0
        obs, _, terminated, _, info = env.step([0.0, 0.0])
        assert (info["cost"], terminated) == (cost, ends)
        assert offset(obs[None])[0] == pytest.approx(across, abs=1e-5)
        assert room(obs[None])[0] == pytest.approx(4.5 - across, abs=1e-5)


def test_cars_touch_where_they_overlap_and_others_follow_a_slow_one() -> None:
    env = make(rivals=1)
    for gap, aside, hit in ((4.0, 0.0, True), (5.0, 0.0, False), (4.0, 2.0, False)):
        env.reset(seed=0)
        state = env._episode.state
        state[1:4] = state[RIVALS + 1] * 9.0 / 4 - aside, 0.0, 0.0
        state[RIVALS], state[RIVAL_SPEED] = state[0] + gap + LENGTH, 0.0
        *_, terminated, _, info = env.step([0.0, 0.0])
        assert (terminated, info["cost"]) == (hit, float(hit))
    env.reset(seed=0)
    state = env._episode.state
    state[1:4] = state[RIVALS + 1] * 9.0 / 4, 0.0, 0.0
    state[RIVALS] = state[0] - 30.0
    for _ in range(300):
        obs, _, terminated, _, _ = env.step([0.0, -1.0])
        assert not terminated
    assert -12.5 < obs[LAP + 1] < -11 and obs[LAP + 3] == 0.0


@pytest.mark.proof
@pytest.mark.parametrize("task", [*make().tasks, (0.5, -2.0)])
def test_the_controller_solves_each_task_and_chance_does_not(task: Any) -> None:
    env = make(task=task, horizon=420)
    oracle, chance = (
        [play(env, policy, seed) for seed in range(2)] for policy in ("oracle", "random")
    )
    for good, bad in zip(oracle, chance, strict=True):
        assert sum(good.costs) == 0 and bad.terminated and not good.terminated
        assert good.info.get("success", True) and not bad.info.get("success", False)
    least = {"lap": 110, "shaped": 230, "overtake": 1.5}.get(str(task), 200)
    best, worst = (sum(each.total for each in episodes) / 2 for episodes in (oracle, chance))
    assert best > least > 4 * worst


@pytest.mark.proof
def test_the_controller_comes_through_in_any_context() -> None:
    rng, env = np.random.default_rng(3), make(task="lap", rivals=4, horizon=300)
    for seed in range(8):
        drawn = {name: rng.choice([each.low, each.high]) for name, each in CONSTANTS.items()}
        episode = play(env, "oracle", seed, context=drawn)
        assert not episode.terminated and not any(episode.costs), drawn


def test_worlds_without_others_have_no_task_of_them() -> None:
    env = make(rivals=0)
    assert "overtake" not in env.tasks
    assert env.reset(seed=0)[0].shape == (LAP + 1,)
    assert env.features(env.reset(seed=0)[0][None])["impact"][0] == 100.0
