"""A controller of the car: the oracle of the racing tasks.

Steers as pure pursuit does, along the bend and back to the target place ("Implementation of the
Pure Pursuit Path Tracking Algorithm", 1992, CMU-RI-TR-92-01, in the road's own coordinates), at a
speed from which every bend ahead can still be taken, and overtakes in the other lane. Numbers
ours; no optimality is claimed: it keeps to lanes and does not cut corners.
"""

from dataclasses import dataclass

import numpy as np

from zerogym.envs.control.core.arrays import Floats
from zerogym.envs.control.vehicles.integration import Numbers
from zerogym.envs.control.vehicles.racing.physics import (
    GRAVITY,
    LENGTH,
    MOST_STEERING,
    ROAD,
    START,
    STEER,
    WHEELBASE,
    RingRules,
    curvature,
)

SIDEWAYS, BRAKING = 0.75, 0.5  # shares of the grip for bends and for slowing down before them
LANE_CHANGE = 0.2  # share of the grip
LEAST_PEDAL = 0.3
PIECE = 3.0  # m
LOOKOUT = np.arange(0.0, 90.0, PIECE)  # m ahead where the road is looked at
LOOK = 20.0  # m ahead, besides 3 s, where other cars decide the lane
ARRIVAL = 90.0  # m before a place to stop, from where nobody is overtaken
BEHIND = 6.0  # m, from where a car that is overtaken no longer does
ABREAST, DISTANCE = 2.2, 8.0  # m: cars less apart across the road keep so far apart along it


@dataclass(frozen=True)
class Drive:
    """The target of the controller in a task.

    Attributes:
        fastest: m/s.
        left: Place across the road while it is free, m from the centre line.
        stop: Laps after the start at which to stand; None goes on.
        overtakes: Change lanes for slower cars, else follow them.
    """

    fastest: float = 60.0
    left: float = 0.0
    stop: float | None = None
    overtakes: bool = True


def drive(rules: RingRules, state: Floats, context: Numbers, target: Drive) -> Floats:
    """Return the action (2,) in a state (S,)."""
    along, across, heading, speed = state[:4]
    left, fastest = _lane(rules, state, context, target)
    most = context["grip"] * GRAVITY
    fastest = min(fastest, _safe_speed(state, most))
    if target.stop is not None:
        rest = LENGTH * target.stop - (along - state[START])
        fastest = min(fastest, float(np.sqrt(max(0.0, 2 * 0.3 * most * (rest - 0.1)))))
    demand = 4.0 * (fastest - speed) + context["drag"] / context["mass"] * speed**2
    power = 1000 * context["power"] / (context["mass"] * max(speed, 1.0))
    pedal = demand / power if demand > 0 else demand / most
    if fastest < 0.05:
        pedal = -1.0
    distance = 4.0 + 0.5 * speed
    road = float(curvature(np, along + 0.15 * speed, list(state[ROAD])))
    path = road / (1.0 - across * road)
    aside = 2 * (left - across) / distance**2
    gentle = LANE_CHANGE * most / max(speed, 1.0) ** 2
    path += float(np.clip(aside, -gentle, gentle)) - 2 * np.sin(heading) / distance
    wheel = np.arctan(WHEELBASE * path)
    wheel += 1.0 * (wheel - state[STEER])  # makes up for the lag of the steering
    sideways = min(1.0, abs(speed**2 * np.tan(state[STEER]) / WHEELBASE / most))
    room = max(np.sqrt(1.0 - sideways**2), LEAST_PEDAL)
    share = np.clip(pedal, -room, min(1.0, room * most / power))
    return np.array([float(np.clip(wheel / MOST_STEERING, -1.0, 1.0)), float(share)])


def _safe_speed(state: Floats, most: float) -> float:
    """Return the greatest speed from which the bends ahead can be taken."""
    along, across = state[:2]
    bends = curvature(np, along + LOOKOUT, list(state[ROAD]))
    bends = np.abs(bends / (1.0 - across * bends)).tolist()
    square = SIDEWAYS * most / max(bends[-1], 1e-3)
    for bend in bends[-2::-1]:
        sideways = min(1.0, square * bend / most)
        slowing = BRAKING * most * (1.0 - sideways**2) ** 0.5
        square = min(SIDEWAYS * most / max(bend, 1e-3), square + 2 * PIECE * slowing)
    return float(square**0.5)


def _lane(rules: RingRules, state: Floats, context: Numbers, target: Drive) -> tuple[float, float]:
    """Return the place across the road and the greatest speed that other cars allow."""
    across, speed = state[1], state[3]
    left, fastest = target.left, target.fastest
    others = sorted(rules.others(np, list(state), context), key=lambda other: -abs(other[0]))
    lane, most = context["width"] / 4, context["grip"] * GRAVITY
    rest = np.inf if target.stop is None else LENGTH * target.stop - (state[0] - state[START])
    arrives = rest < ARRIVAL
    for gap, side, rival_speed in others:  # the nearest decides last
        closing, rival = max(0.0, speed - rival_speed), across + side
        in_lane = abs(side) < ABREAST
        beside = -BEHIND < gap <= 0 and closing > 0
        if arrives:
            is_target_lane = abs(target.left - rival) < ABREAST
            if is_target_lane and not in_lane and abs(gap) < DISTANCE:  # wait in the other lane
                left = -lane if rival > 0 else lane
                fastest = min(fastest, max(1.0, rival_speed - 4.0))
            in_lane = in_lane or is_target_lane
        elif target.overtakes and (beside or 0 < gap < LOOK + 3.0 * closing):
            left = -lane if rival > 0 else lane
        if in_lane and gap > 0:
            free = 2 * BRAKING * most * max(gap - DISTANCE, 0.0)
            fastest = min(fastest, rival_speed + np.sqrt(free) - (1.0 if gap < DISTANCE else 0.0))
    return left, max(float(fastest), 0.0)
