"""The motion of cars on a ring road, for batches of states of NumPy or torch.

The road's curvature is a sum of waves along its centre line, whose number is a multiple of two or
more: the heading then turns once around and the parts of the road, each turned against the one
before by the same angle, close. A car is a bicycle whose tyres have only so much grip for steering,
braking and driving together (the friction circle): beyond, it follows a wider bend. Positions are
along and across the centre line. Left out: slip angles, oversteer, reverse gear, damage; others
that mind each other.
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

LENGTH = 240.0  # m, of the centre line
GRAVITY = 9.81  # m/s2
WHEELBASE, MOST_STEERING, STEERING_LAG = 2.6, 0.5, 0.1  # m, rad, s
CRAWL = 1.0  # m/s: below, power gives no more force
VERGE = 2.0  # m beside the road that can be driven on, at a cost
AHEAD = (0.0, 5.0, 10.0, 20.0, 30.0, 45.0, 60.0)  # m, where the curvature is observed
BEND_LENGTH = 20.0  # m: curvatures are observed as the turn on so many
LONG, BROAD = 4.5, 1.8  # m between the middles of cars that touch
FOLLOWS = 12.0  # m behind our car, from where others slow down for it
CAR = slice(0, 4)  # of a state: along, across, heading against the road, speed
STEER, START, ROAD, RIVAL_SPEED, RIVALS = 4, 5, slice(6, 12), 12, 13

CONSTANTS: Mapping[str, Constant] = MappingProxyType(
    {
        "grip": Constant(1.0, 0.3, 1.6, "friction of tyres and road", (0.6, 1.3)),
        "power": Constant(100.0, 30.0, 400.0, "power in kW", (60.0, 250.0)),
        "mass": Constant(1200.0, 500.0, 3000.0, "mass in kg", (800.0, 2000.0)),
        "drag": Constant(0.4, 0.1, 2.0, "resistance of the air in N s2/m2", (0.2, 1.0)),
        "width": Constant(9.0, 7.0, 12.0, "width of the road in m", (8.0, 11.0)),
    }
)


class RingRules(VehicleRules):
    """A car on a ring, and others that keep their lane, and their speed where they can.

    A state is place along and across (leftwards) the centre line, heading against the road, speed,
    steering angle; where it started; the road (six numbers, see `curvature`); the speed of the
    others, where each is along the road, and in which lane (1 left, -1 right).

    Args:
        rivals: Number of others.
    """

    constants = CONSTANTS
    dt = 0.05
    actions = 2

    def __init__(self, rivals: int) -> None:
        self.rivals = rivals

    def draw(self, rng: np.random.Generator, count: int, context: Numbers) -> Floats:
        """Draw a road and a place on it; others ahead, at least 30 m apart."""
        states = np.zeros((count, RIVALS + 2 * self.rivals))
        states[:, START] = states[:, 0] = rng.uniform(0.0, LENGTH, count)
        states[:, 1:4] = rng.uniform((-0.5, -0.1, 3.0), (0.5, 0.1, 8.0), (count, 3))
        states[:, ROAD] = np.stack(
            [
                rng.choice([-1.0, 1.0], count),
                rng.integers(2, 5, count),
                rng.uniform(0.3, 1.4, count),
                rng.uniform(-np.pi, np.pi, count),
                rng.uniform(0.0, 0.5, count),
                rng.uniform(-np.pi, np.pi, count),
            ],
            axis=1,
        )
        states[:, RIVAL_SPEED] = rng.uniform(5.0, 9.0, count)
        for index in range(self.rivals):
            ahead = 30.0 + 45.0 * index + rng.uniform(0.0, 15.0, count)
            states[:, RIVALS + index] = states[:, 0] + ahead
            states[:, RIVALS + self.rivals + index] = rng.choice([-1.0, 1.0], count)
        return states

    def advance(self, states: Array, actions: Array, context: Numbers) -> Array:
        """Make one step: steering exactly, the rest by Runge-Kutta."""
        xp, parts = columns(states)
        _, (turn, pedal) = columns(actions)
        middle, end = lag(xp, parts[STEER], turn * MOST_STEERING, STEERING_LAG, self.dt)
        steering = {0.0: parts[STEER], 0.5: middle, 1.0: end}
        road = parts[ROAD]
        car = rk4(
            lambda share, each: _slopes(xp, each, steering[share], pedal, road, context),
            parts[CAR],
            self.dt,
        )
        car[3] = within(xp, car[3], 0.0, 1e9)
        last = RIVALS + self.rivals
        speeds = [speed for _, _, speed in self.others(xp, parts, context)]
        rivals = [
            each + self.dt * speed for each, speed in zip(parts[RIVALS:last], speeds, strict=True)
        ]
        return rows(xp, [*car, end, *parts[START:RIVALS], *rivals, *parts[last:]])

    def observe(self, states: Array, context: Numbers) -> Array:
        """Return edges, heading, speed, steering, the road ahead, laps; each other car."""
        xp, parts = columns(states)
        along, across, heading, speed = parts[CAR]
        half = context["width"] / 2
        row = [half - across, half + across, xp.sin(heading), xp.cos(heading), speed]
        bends = [BEND_LENGTH * curvature(xp, along + each, parts[ROAD]) for each in AHEAD]
        row += [parts[STEER], *bends, (along - parts[START]) / LENGTH]
        for gap, side, other in self.others(xp, parts, context):
            row += [gap, side, speed - other]
        return rows(xp, row)

    def harm(self, states: Array, context: Numbers) -> tuple[Array, Array]:
        """Return 1 beside the road or at a collision; collision or leaving the verge end it."""
        across, half = abs(states[:, 1]), context["width"] / 2
        crashed = across > half + VERGE
        for gap, side, _ in self.others(namespace(states), list(states.T), context):
            crashed = crashed | ((abs(gap) < LONG) & (abs(side) < BROAD))
        bad = crashed | (across > half)
        return 1.0 * bad + 0.0 * states[:, 0], crashed

    def others(self, xp: Any, parts: Parts, context: Numbers) -> list[tuple[Any, Any, Any]]:
        """Return for each other car metres ahead (-120 to 120) and to the left, and its speed.

        A car in whose lane ours is close ahead goes no faster than ours.
        """
        found, own, cruising = [], parts[3], parts[RIVAL_SPEED]
        for index in range(self.rivals):
            laps = (parts[RIVALS + index] - parts[0]) / LENGTH
            gap = LENGTH * (laps - xp.floor(laps + 0.5))
            side = parts[RIVALS + self.rivals + index] * context["width"] / 4 - parts[1]
            held = (gap < 0) & (gap > -FOLLOWS) & (abs(side) < BROAD + 0.4)
            found.append((gap, side, xp.where(held, xp.minimum(own, cruising), cruising)))
        return found


def curvature(xp: Any, along: Any, road: Parts) -> Any:
    """Return the curvature of the centre line, 1/m, positive in left bends.

    Args:
        xp: The functions.
        along: Place on the centre line, m.
        road: 1 for left turns and -1 for right; waves in a lap; their height and phase; height and
            phase of waves half as long. A height of 1 is the mean curvature.
    """
    hand, waves, height, phase, smaller, shift = road
    turn = waves * (2 * np.pi / LENGTH) * along
    wave = 1.0 + height * xp.cos(turn + phase) + smaller * xp.cos(2 * turn + shift)
    return hand * (2 * np.pi / LENGTH) * wave


def direction(along: Floats, road: Floats) -> Floats:
    """Return the heading of the centre line at places (P,), the integral of its curvature."""
    hand, waves, height, phase, smaller, shift = road
    lap = 2 * np.pi / LENGTH * along
    first = height / waves * np.sin(waves * lap + phase)
    second = smaller / (2 * waves) * np.sin(2 * waves * lap + shift)
    heading: Floats = hand * (lap + first + second)
    return heading


def _slopes(xp: Any, car: Parts, steering: Any, pedal: Any, road: Parts, context: Numbers) -> Parts:
    """Return slopes of place along and across, heading and speed."""
    along, across, heading, speed = car
    speed = xp.maximum(speed, 0.0 * speed)
    most = context["grip"] * GRAVITY
    power = 1000.0 * context["power"] / (context["mass"] * xp.maximum(speed, CRAWL + 0.0 * speed))
    pushed = xp.where(pedal > 0, pedal * power, pedal * most)
    sideways = speed * speed * xp.tan(steering) / WHEELBASE
    demand = xp.sqrt(pushed * pushed + sideways * sideways) / most
    held = 1.0 / xp.maximum(demand, 1.0 + 0.0 * demand)
    bend = curvature(xp, along, road)
    onward = speed * xp.cos(heading) / (1.0 - across * bend)
    return [
        onward,
        speed * xp.sin(heading),
        speed * xp.tan(steering) / WHEELBASE * held - bend * onward,
        pushed * held - context["drag"] / context["mass"] * speed * speed,
    ]
