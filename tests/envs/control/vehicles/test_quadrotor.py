"""Quadrotors: motion against closed forms and another integrator, controller, batches."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from helpers.control.transitions import play
from helpers.control.worlds import bare
from zerogym.envs.control.vehicles.integration import rk4
from zerogym.envs.control.vehicles.quadrotors.controller import fly
from zerogym.envs.control.vehicles.quadrotors.physics import (
    CONSTANTS,
    MOTORS,
    PLACE,
    QUATERNION,
    RATES,
    SPEED,
    QuadrotorRules,
    arm,
    draw_vehicles,
    hover_speed,
)
from zerogym.envs.control.vehicles.quadrotors.tasks import aim_of
from zerogym.errors import UnknownName

make = partial(bare, "Quadrotor")
RULES = QuadrotorRules()
DEFAULT = {name: constant.default for name, constant in CONSTANTS.items()}
STILL = np.zeros((1, 4))


def start(seed: int = 0, count: int = 1, context: dict[str, Any] = DEFAULT) -> np.ndarray:
    return RULES.draw(np.random.default_rng(seed), count, context)


def after(states: np.ndarray, actions: np.ndarray, steps: int, context: Any = None) -> np.ndarray:
    for _ in range(steps):
        states = RULES.advance(states, actions, context or DEFAULT)
    return states


def test_without_thrust_it_falls_as_a_stone() -> None:
    state = start()
    state[:, MOTORS] = 0.0
    moved = after(state, STILL - 1, 100)[0]
    fall = state[0, PLACE] + state[0, SPEED] - np.array([0, 0, 9.81 / 2])
    np.testing.assert_allclose(moved[PLACE], fall, atol=1e-12)
    np.testing.assert_allclose(moved[SPEED], state[0, SPEED] - np.array([0, 0, 9.81]), atol=1e-12)


def test_without_torque_it_tumbles_and_keeps_its_angular_momentum_and_energy() -> None:
    state = start(3)
    state[:, MOTORS], state[:, RATES] = 0.0, (8.0, -5.0, 6.0)
    inertia = np.array([1.0, 1.0, DEFAULT["inertia_ratio"]])

    def momentum(row: np.ndarray) -> np.ndarray:
        turn = Rotation.from_quat(row[QUATERNION], scalar_first=True)
        return turn.apply(inertia * row[RATES])

    moved = after(state, STILL - 1, 200)
    np.testing.assert_allclose(momentum(moved[0]), momentum(state[0]), atol=2e-4)
    assert not np.allclose(moved[0, RATES], state[0, RATES], atol=0.1), "it does tumble"
    energy = [(inertia * row[0, RATES] ** 2).sum() for row in (state, moved)]
    assert energy[1] == pytest.approx(energy[0], rel=1e-6)


@pytest.mark.parametrize("context", [{}, {"gravity": 3.7, "mass": 4.0, "linear_thrust": 0.9}])
def test_rotors_at_hovering_speed_carry_the_weight(context: dict[str, float]) -> None:
    whole = DEFAULT | context
    state = np.zeros((1, 22))
    state[:, 3], state[:, MOTORS] = 1.0, hover_speed(whole)
    moved = after(state, np.full((1, 4), 2 * hover_speed(whole) - 1), 300, whole)
    np.testing.assert_allclose(moved[0, :13], state[0, :13], atol=1e-9)
    less = after(state, np.full((1, 4), 2 * hover_speed(whole) - 1.02), 100, whole)
    assert less[0, SPEED][2] < -0.01


def in_si_units(state: np.ndarray, commands: np.ndarray, context: dict[str, float]) -> Any:
    """The equations of motion in newton and kilogram, written apart from the world's."""
    mass, length = context["mass"], arm(context)
    most = context["thrust_to_weight"] * mass * context["gravity"] / 4
    about_x = np.sqrt(2) * length * most / context["torque_to_inertia"]
    inertia = np.diag([about_x, about_x, context["inertia_ratio"] * about_x])
    at = length / np.sqrt(2) * np.array([[1, -1, 0], [-1, -1, 0], [-1, 1, 0], [1, 1, 0]])
    sense = np.array([-1, 1, -1, 1])

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        turn = Rotation.from_quat(y[3:7], scalar_first=True).as_matrix()
        speeds = y[13:17]
        curve = context["linear_thrust"] * speeds + (1 - context["linear_thrust"]) * speeds**2
        forces = np.stack([np.zeros(4), np.zeros(4), most * curve], axis=1)
        torque = np.cross(at, forces).sum(axis=0)
        torque[2] += context["torque_constant"] * (sense * forces[:, 2]).sum()
        turning = np.linalg.solve(inertia, torque - np.cross(y[10:13], inertia @ y[10:13]))
        w, v = y[3], y[4:7]
        rate = [-0.5 * v @ y[10:13], *(0.5 * (w * y[10:13] + np.cross(v, y[10:13])))]
        target = (commands + 1) / 2
        lags = np.where(target >= state[13:17], context["rise_time"], context["fall_time"])
        push = turn @ forces.sum(axis=0) / mass - np.array([0, 0, context["gravity"]])
        return np.concatenate([y[7:10], rate, push, turning, (target - speeds) / lags])

    return solve_ivp(slope, (0, 0.2), state[:17], rtol=1e-10, atol=1e-12).y[:, -1]


@pytest.mark.parametrize("seed", range(4))
def test_another_integrator_finds_the_same_motion_in_si_units(seed: int) -> None:
    rng = np.random.default_rng(seed)
    context = DEFAULT | {name: float(value[0]) for name, value in draw_vehicles(rng, 1).items()}
    state, commands = start(seed, 1, context), rng.uniform(-0.3, 0.3, (1, 4))
    state[:, MOTORS] = rng.uniform(0.2, 0.8, (1, 4))
    # Smooth only without a change between rising and falling: each rotor goes one way.
    moved = after(state, commands, 20, context)[0, :17]
    np.testing.assert_allclose(moved, in_si_units(state[0], commands[0], context), atol=2e-4)


def test_the_integration_is_of_fourth_order() -> None:
    errors = []
    for steps in (8, 16):
        parts = [1.0, 0.0]
        for _ in range(steps):
            parts = rk4(lambda share, each: [each[1], -each[0]], parts, 1.0 / steps)
        errors.append(abs(parts[0] - np.cos(1.0)))
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.3)
    timed = rk4(lambda share, each: [share**3], [0.0], 1.0)
    assert timed[0] == pytest.approx(0.25), "slopes that depend on time alone: Simpson's rule"


def test_each_rotor_turns_the_body_as_it_should() -> None:
    level = np.zeros((1, 22))
    level[:, 3], level[:, MOTORS] = 1.0, hover_speed(DEFAULT)
    base = np.full((1, 4), 2 * hover_speed(DEFAULT) - 1)
    for change, axis, sign in (
        ([-1, -1, 1, 1], 0, 1), ([-1, 1, 1, -1], 1, 1), ([-1, 1, -1, 1], 2, 1),
    ):  # fmt: skip
        rates = after(level, base + 0.05 * np.array(change), 10)[0, RATES]
        assert sign * rates[axis] > 0.01
        assert np.abs(np.delete(rates, axis)).max() < 0.05 * rates[axis]


def flown(name: str, context: dict[str, Any], count: int, steps: int) -> np.ndarray:
    """Return final distances of vehicles from their targets; infinite after a crash."""
    states, crashed = start(1, count, context), np.zeros(count, dtype=bool)
    for _ in range(steps):
        action = np.clip(fly(states, context, aim_of(name, states)), -1, 1)
        states = RULES.advance(states, action, context)
        crashed |= RULES.harm(states, context)[1]
    away = np.linalg.norm(states[:, PLACE] - aim_of(name, states).place, axis=1)
    return np.where(crashed, np.inf, away)


def test_any_vehicle_of_the_ranges_hovers() -> None:
    corners = np.random.default_rng(1).integers(0, 2, (100, len(CONSTANTS)))
    ends = {
        name: np.where(corners[:, index] == 1, constant.high, constant.low)
        for index, (name, constant) in enumerate(CONSTANTS.items())
    }
    assert flown("hover", ends, 100, 500).max() < 0.15


def test_a_weak_vehicle_that_turns_fast_does_not_lean_farther_than_its_thrust_carries() -> None:
    ends = {name: constant.low for name, constant in CONSTANTS.items()}
    ends |= {name: CONSTANTS[name].high for name in ("mass", "torque_to_inertia", "inertia_ratio")}
    assert np.isfinite(flown("hover", ends | {"rise_time": 0.1}, 400, 300)).all()


def test_vehicles_as_the_paper_draws_them_fly_the_eight() -> None:
    vehicles = {"gravity": 9.81} | draw_vehicles(np.random.default_rng(0), 150)
    away = flown("eight", vehicles, 150, 400)
    assert np.median(away) < 0.1
    assert (away > 0.5).mean() < 0.02
    masses = np.cbrt(vehicles["mass"])
    assert abs(masses.mean() - (np.cbrt(0.02) + np.cbrt(5)) / 2) < 0.1, "sizes drawn evenly"


@pytest.mark.proof
@pytest.mark.parametrize("task", [*make().tasks, (1.5, -1.0, 0.7)])
def test_the_controller_solves_each_task_and_chance_does_not(task: Any) -> None:
    env = make(task=task, horizon=400)
    oracle, chance = (play(env, policy, 1) for policy in ("oracle", "random"))
    assert oracle.total > 250 > 50 > chance.total and oracle.reward > 0.9
    assert sum(oracle.costs) == 0 and chance.info["cost"] == 1.0
    assert oracle.info.get("success", True) and not chance.info.get("success", False)
    assert chance.terminated and not oracle.terminated


def test_only_the_worlds_that_crash_begin_anew() -> None:
    batch = make(horizon=500).batched(3)
    batch.reset(seed=0)
    batch.states[1, PLACE] = 7.999, 0, 0
    batch.states[1, SPEED] = 10.0, 0, 0
    kept = batch.states.copy()
    steps = batch.step(np.zeros((3, 4)))
    assert steps.terminated.tolist() == [False, True, False] == steps.costs.astype(bool).tolist()
    assert steps.entered[1, 0] > 8 > 1 > abs(batch.observations[1, 0])
    assert np.abs(batch.states[[0, 2], :3] - kept[[0, 2], :3]).max() < 0.05
    batch = make(horizon=10).batched(3)
    batch.reset(seed=0)
    batch.step(np.zeros((3, 4)))
    batch.states[1, 0] = 9.0
    ended = [batch.step(np.zeros((3, 4))).truncated.tolist() for _ in range(10)]
    assert ended[8] == [True, False, True], "the episode of the one that crashed is younger"
    assert ended[9] == [False, False, False] == ended[0]


def test_observations_hold_the_state_but_for_the_rotors() -> None:
    env, states = make(), start(2, 200)
    for heading in range(0, 200, 2):  # also upside down
        turn = Rotation.random(random_state=heading)
        states[heading, QUATERNION] = turn.as_quat(scalar_first=True)
    rows = RULES.observe(states, DEFAULT)
    matrices = Rotation.from_quat(states[:, QUATERNION], scalar_first=True).as_matrix()
    np.testing.assert_allclose(rows[:, 3:12].reshape(-1, 3, 3), matrices, atol=1e-12)
    np.testing.assert_allclose(RULES.observe(env.states(rows), DEFAULT), rows, atol=1e-9)


def test_bad_batches_starts_and_contexts_are_refused() -> None:
    env = make()
    with pytest.raises(ValueError, match=r"mass .* must lie in .* got nan"):
        env.batched(2, contexts={"mass": np.array([0.5, np.nan])})
    with pytest.raises(ValueError, match=r"mass .* must lie in \[0.02, 5\]"):
        env.batched(2, contexts={"mass": np.array([0.5, 7.0])})
    with pytest.raises(ValueError, match=r"mass must be a number or an array \(2,\)"):
        env.batched(2, contexts={"mass": np.ones(3)})
    with pytest.raises(UnknownName, match="mass"):
        env.batched(2, contexts={"mas": 1.0})
    for start_at in (np.zeros(24), np.zeros(3), np.full(24, np.nan)):
        with pytest.raises(ValueError, match="observation"):
            env.reset(options={"start": start_at})
    obs, _ = env.reset(seed=0)
    obs[0] = 9.0
    with pytest.raises(ValueError, match="start is a crash"):
        env.reset(options={"start": obs})
