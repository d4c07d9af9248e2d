"""The motion of quadrotors, for batches of states of NumPy or torch.

A rigid body with four rotors whose thrust is a quadratic of their speed, which follows the command
with a lag, faster upwards than downwards. Constants are ratios, as in "RAPTOR: A Foundation Policy
for Quadrotor Control" (2025, arXiv 2509.11481): whatever is drawn of them within its range can
hover and turn, which masses and inertias drawn one by one could not. Of mass, thrust, torques and
lags the ranges are the paper's, but for what torque by inertia is: there that of one rotor at the
arm's length, here the fastest roll, 1.41 times as much. Left out: drag, wind, the ground, downwash,
noise of sensors.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from zerogym.envs.control.core.arrays import Array, Floats, namespace
from zerogym.envs.control.core.contexts import Constant
from zerogym.envs.control.vehicles.dynamics import VehicleRules
from zerogym.envs.control.vehicles.integration import (
    Numbers,
    Parts,
    columns,
    lag,
    rk4,
    rows,
    within,
)

PLACE, QUATERNION, SPEED, RATES = slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13)
MOTORS, COMMANDS, CLOCK, SIZE = slice(13, 17), slice(17, 21), 21, 22  # of a state
PERIOD = 6.0  # s, of the clock
FAR, FAST, TURNING = 8.0, 15.0, 30.0  # m along an axis, m/s, rad/s: beyond, it has crashed
NEAR_START, SLOW_START, TILT_START = 0.5, 0.5, 0.5  # m; m/s and rad/s; rad; our choice

CONSTANTS: Mapping[str, Constant] = MappingProxyType(
    {
        "gravity": Constant(9.81, 3.0, 15.0, "gravity in m/s2", (6.0, 12.0)),
        "mass": Constant(0.5, 0.02, 5.0, "mass in kg", (0.1, 3.0)),
        "arm_ratio": Constant(
            0.15, 0.09, 0.25, "arm length in m, by the cube root of the mass", (0.12, 0.2)
        ),
        "thrust_to_weight": Constant(2.5, 1.5, 5.0, "full thrust by weight", (1.8, 4.0)),
        "torque_to_inertia": Constant(
            300.0, 40.0, 1200.0, "fastest start of a roll in rad/s2", (100.0, 900.0)
        ),
        "inertia_ratio": Constant(1.8, 1.2, 2.0, "inertia about z by that about x", (1.4, 1.9)),
        "torque_constant": Constant(
            0.015, 0.005, 0.05, "torque of a rotor by its thrust, in m", (0.01, 0.04)
        ),
        "rise_time": Constant(0.05, 0.03, 0.1, "lag of faster rotors in s", (0.04, 0.08)),
        "fall_time": Constant(0.1, 0.03, 0.3, "lag of slower rotors in s", (0.05, 0.2)),
        "linear_thrust": Constant(
            0.2, 0.0, 0.9, "share of a thrust curve that is linear, not quadratic", (0.1, 0.7)
        ),
    }
)


class QuadrotorRules(VehicleRules):
    """One quadrotor, and a clock.

    A state is place (3,), quaternion w x y z (4,), velocity (3,), rates in the body's frame (3,),
    rotor speeds in [0, 1] (4,), the last command in [-1, 1] (4,), the clock in [0, 1). Axes: x
    forward, y left, z up; rotors front right, back right, back left, front left.
    """

    constants = CONSTANTS
    dt = 0.01
    actions = 4

    def draw(self, rng: np.random.Generator, count: int, context: Numbers) -> Floats:
        """Draw states near the origin, tilted, with any heading, slow; rotors as for hovering."""
        states = np.zeros((count, SIZE))
        states[:, PLACE] = rng.uniform(-NEAR_START, NEAR_START, (count, 3))
        lean, side, heading = rng.uniform(-1.0, 1.0, (3, count))
        half, course = TILT_START * lean / 2, np.pi * side
        turn = np.pi * heading / 2
        # First about an axis that lies flat, then about the vertical one.
        states[:, 3] = np.cos(half) * np.cos(turn)
        states[:, 4] = np.sin(half) * np.cos(course + turn)
        states[:, 5] = np.sin(half) * np.sin(course + turn)
        states[:, 6] = np.cos(half) * np.sin(turn)
        states[:, SPEED] = rng.uniform(-SLOW_START, SLOW_START, (count, 3))
        states[:, RATES] = rng.uniform(-SLOW_START, SLOW_START, (count, 3))
        states[:, MOTORS] = np.broadcast_to(hover_speed(context), (count,))[:, None]
        states[:, COMMANDS] = 2 * states[:, MOTORS] - 1
        return states

    def advance(self, states: Array, actions: Array, context: Numbers) -> Array:
        """Make one step: rotors exactly, the body by Runge-Kutta."""
        xp, parts = columns(states)
        _, commands = columns(actions)
        thrusts = _thrusts(xp, parts[MOTORS], commands, context)
        body = rk4(lambda share, each: _slopes(each, thrusts[share], context), parts[:13], self.dt)
        length = xp.sqrt(sum(part * part for part in body[QUATERNION]))
        body[QUATERNION] = [part / length for part in body[QUATERNION]]
        clock = parts[CLOCK] + self.dt / PERIOD
        clock = xp.where(clock >= 1.0, clock - 1.0, clock)
        return rows(xp, [*body, *thrusts["motors"], *commands, clock])

    def observe(self, states: Array, context: Numbers) -> Array:
        """Return place, rotation matrix by rows, velocity, rates, last command, clock."""
        xp, parts = columns(states)
        turns = 2 * np.pi * parts[CLOCK]
        matrix = rotation(parts[QUATERNION])
        body = [*parts[PLACE], *matrix, *parts[SPEED], *parts[RATES], *parts[COMMANDS]]
        return rows(xp, [*body, xp.cos(turns), xp.sin(turns)])

    def harm(self, states: Array, context: Numbers) -> tuple[Array, Array]:
        """Return 1 for a crash, which ends the episode."""
        xp: Any = namespace(states)
        broken = (xp.abs(states[:, PLACE]) > FAR).any(1)
        broken = broken | (xp.abs(states[:, SPEED]) > FAST).any(1)
        broken = broken | (xp.abs(states[:, RATES]) > TURNING).any(1)
        return xp.asarray(broken, dtype=states.dtype), broken


def draw_vehicles(rng: np.random.Generator, count: int) -> dict[str, Floats]:
    """Draw constants of many quadrotors, (count,) each, as contexts of a batch.

    The cube root of the mass evenly, as RAPTOR draws it (else most would be large), everything
    else evenly in its range. Gravity stays. RAPTOR draws arms by a factor about the nominal one,
    and leaves thrust curve and inertia ratio as they are.
    """
    drawn = {
        name: rng.uniform(each.low, each.high, count)
        for name, each in CONSTANTS.items()
        if name != "gravity"
    }
    low, high = CONSTANTS["mass"].low, CONSTANTS["mass"].high
    size = rng.uniform(np.cbrt(low), np.cbrt(high), count)
    return drawn | {"mass": np.clip(size**3, low, high)}


def arm(context: Numbers) -> Any:
    """Return the distance from the middle to a rotor, m."""
    return context["arm_ratio"] * context["mass"] ** (1 / 3)


def hover_speed(context: Numbers) -> Any:
    """Return the speed of rotors that carry the weight, in [0, 1]."""
    return speed_of(1.0 / context["thrust_to_weight"], context)


def speed_of(thrust: Any, context: Numbers) -> Any:
    """Invert the thrust curve: the rotor speed in [0, 1] for a share of full thrust."""
    share = context["linear_thrust"]
    root = np.sqrt(share**2 + 4 * (1 - share) * thrust)
    return (root - share) / (2 * (1 - share))


def rotation(quaternion: Parts) -> Parts:
    """Return the matrix of unit quaternions, body to world, row by row; nine parts."""
    w, x, y, z = quaternion
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    wx, wy, wz = w * x, w * y, w * z
    return [
        1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy),
        2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx),
        2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy),
    ]  # fmt: skip


def _thrusts(xp: Any, motors: Parts, commands: Parts, context: Numbers) -> dict[Any, Parts]:
    """Return thrusts of the rotors at the shares 0, 0.5, 1 of the step, and `motors` after it."""
    found: dict[Any, Parts] = {0.0: [], 0.5: [], 1.0: [], "motors": []}
    linear = context["linear_thrust"]
    for speed, command in zip(motors, commands, strict=True):
        target = (command + 1.0) / 2.0
        up, down = (
            lag(xp, speed, target, context[time], QuadrotorRules.dt)
            for time in ("rise_time", "fall_time")
        )
        faster = target >= speed
        middle, end = (xp.where(faster, one, two) for one, two in zip(up, down, strict=True))
        for share, each in ((0.0, speed), (0.5, middle), (1.0, end)):
            found[share].append(each * (linear + (1.0 - linear) * each))
        found["motors"].append(within(xp, end, 0.0, 1.0))
    return found


def _slopes(parts: Parts, thrusts: Parts, context: Numbers) -> Parts:
    """Return slopes of place, quaternion, velocity and rates, by Newton and Euler."""
    w, x, y, z = parts[QUATERNION]
    p, q, r = parts[RATES]
    front_right, back_right, back_left, front_left = thrusts
    right, left = front_right + back_right, front_left + back_left
    lift = context["thrust_to_weight"] * context["gravity"] / 4 * (right + left)
    about_x = context["torque_to_inertia"] / 2
    lever, extra = arm(context) * 2**0.5, context["inertia_ratio"] - 1.0
    about_z = context["torque_constant"] * about_x * 2 / (lever * context["inertia_ratio"])
    back, front = back_right + back_left, front_right + front_left
    spin = back_right + front_left - front_right - back_left
    return [
        *parts[SPEED],
        -0.5 * (x * p + y * q + z * r),
        0.5 * (w * p + y * r - z * q),
        0.5 * (w * q - x * r + z * p),
        0.5 * (w * r + x * q - y * p),
        lift * 2 * (x * z + w * y),
        lift * 2 * (y * z - w * x),
        lift * (1.0 - 2 * (x * x + y * y)) - context["gravity"],
        about_x * (left - right) - extra * q * r,
        about_x * (back - front) + extra * p * r,
        about_z * spin,
    ]
