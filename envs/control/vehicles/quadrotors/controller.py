"""A controller of quadrotors that has their constants: the oracle of the quadrotor tasks.

Cascaded: place to acceleration, acceleration to the direction of thrust and from there to torques
as in "Geometric Tracking Control of a Quadrotor UAV on SE(3)" (2010, arXiv 1003.2005), torques to
rotor speeds, and speeds to commands that make up for the rotors' lag. Rates are limited to what
the vehicle's torque and rotors allow. Gains ours; no optimality is claimed.
"""

from dataclasses import dataclass

import numpy as np

from zerogym.envs.control.core.arrays import Floats
from zerogym.envs.control.vehicles.integration import Numbers
from zerogym.envs.control.vehicles.quadrotors.physics import (
    MOTORS,
    PLACE,
    QUATERNION,
    RATES,
    SPEED,
    QuadrotorRules,
    arm,
    rotation,
    speed_of,
)

QUICKEST = 14.0  # rad/s, of the attitude
FOLLOWS = 0.03  # s, lag of the rotors with the right commands
LEAN = 0.7  # horizontal acceleration by gravity, at most
SPARE = 0.55  # of the lean at which nine tenths of the thrust carry the weight
YAW_GAIN = 4.0  # 1/s
SWING = 0.2  # share of full thrust that may be spent on turning about z


@dataclass(frozen=True)
class Aim:
    """The target of the controller; arrays (B, 3), or (3,) for all.

    Attributes:
        place: Position; None follows the velocity alone.
        velocity: Velocity at that place.
        acceleration: Its rate of change.
        turning: Rate about the vertical axis of the body, rad/s.
    """

    place: Floats | None
    velocity: Floats | float = 0.0
    acceleration: Floats | float = 0.0
    turning: float = 0.0


def fly(states: Floats, context: Numbers, aim: Aim) -> Floats:
    """Return actions (B, 4) in states (B, S)."""
    down, gravity = np.array([0.0, 0.0, 1.0]), np.asarray(context["gravity"])[..., None]
    slowest = np.maximum(context["rise_time"], context["fall_time"])
    by_torque = np.sqrt(context["torque_to_inertia"] / 2)
    # Of the attitude in rad/s, as torque and rotors allow: (B,) or a number.
    bandwidth = np.minimum(np.minimum(QUICKEST, by_torque), 2.5 / slowest)
    follow = np.asarray(bandwidth / 4)[..., None]
    target = 2.0 * follow * (aim.velocity - states[:, SPEED]) + aim.acceleration
    if aim.place is not None:
        target = target + follow**2 * (aim.place - states[:, PLACE])
    room = np.asarray(context["thrust_to_weight"])[..., None] - 1.0
    flat = np.linalg.norm(target[:, :2], axis=1, keepdims=True)
    most = gravity * np.minimum(LEAN, SPARE * np.sqrt((0.9 * (room + 1.0)) ** 2 - 1.0))
    target[:, :2] *= np.minimum(1.0, most / np.maximum(flat, 1e-9))
    target[:, 2:] = np.clip(target[:, 2:], -0.5 * gravity, 0.5 * gravity * room)
    push = target + gravity * down
    turn = np.stack(rotation(list(states[:, QUATERNION].T)), axis=-1).reshape(-1, 3, 3)
    lift = (push * turn[:, :, 2]).sum(axis=1)
    heading = np.einsum("bji,bj->bi", turn, push)  # of the thrust, in the body's frame
    mean = lift / (context["thrust_to_weight"] * context["gravity"])
    return _commands(states, context, np.clip(mean, 0.1, 0.9), _torques(
        states, context, heading / np.linalg.norm(heading, axis=1, keepdims=True),
        bandwidth, aim.turning,
    ))  # fmt: skip


def _torques(
    states: Floats, context: Numbers, heading: Floats, bandwidth: Floats, turning: float
) -> tuple[Floats, Floats, Floats]:
    """Return angular accelerations that turn the body's z axis to `heading` (B, 3)."""
    p, q, r = states[:, RATES].T
    sine = np.linalg.norm(heading[:, :2], axis=1)
    angle = np.arctan2(sine, heading[:, 2])
    each = angle / np.maximum(sine, 1e-9)
    extra = context["inertia_ratio"] - 1.0
    about_x = bandwidth**2 * -heading[:, 1] * each - 1.6 * bandwidth * p + extra * q * r
    about_y = bandwidth**2 * heading[:, 0] * each - 1.6 * bandwidth * q - extra * p * r
    return about_x, about_y, YAW_GAIN * (turning - r)


def _commands(
    states: Floats, context: Numbers, mean: Floats, torques: tuple[Floats, Floats, Floats]
) -> Floats:
    """Return motor commands (B, 4) for a mean thrust and angular accelerations."""
    half = context["torque_to_inertia"] / 2
    lever = arm(context) * 2**0.5 * context["inertia_ratio"]
    room = 2.0 * np.minimum(mean, 1.0 - mean)
    roll, pitch = (np.clip(each / half, -room, room) for each in torques[:2])
    spin = torques[2] * lever / (2 * half * context["torque_constant"])
    spin = np.clip(spin, -4 * SWING * room, 4 * SWING * room)
    shares = mean[:, None] + 0.25 * np.stack(
        [-roll - pitch - spin, -roll + pitch + spin, roll + pitch - spin, roll - pitch + spin],
        axis=1,
    )
    rowwise = {name: np.asarray(value)[..., None] for name, value in context.items()}
    target = speed_of(np.clip(shares, 0.0, 1.0), rowwise)
    speeds, dt = states[:, MOTORS], QuadrotorRules.dt
    time = np.where(target >= speeds, rowwise["rise_time"], rowwise["fall_time"])
    hurry = (1 - np.exp(-dt / FOLLOWS)) / (1 - np.exp(-dt / time))
    commands: Floats = 2 * np.clip(speeds + (target - speeds) * hurry, 0.0, 1.0) - 1
    return commands
