"""A controller of the cart pole: swing up or down by energy, then hold by linear regulation.

Energy control after "Swinging up a pendulum by energy control" (2000, Automatica 36): the cart's
acceleration raises the pole's energy when it acts against the pole's own motion. Numbers tuned
here for the default constants; no optimality is claimed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from zerogym.envs.control.classic.lqr import gains
from zerogym.envs.control.classic.value_iteration import Advance
from zerogym.envs.control.core.arrays import Floats

STATE_COST = np.array([1.0, 0.1, 10.0, 0.1])  # place, speed, angle, rate
ACTION_COST = 0.1
CATCH = (0.5, 3.0)  # angle in rad and rate in rad/s within which regulation takes over
EAGERNESS = 1.0  # of energy control, in the cart's acceleration
CENTRING = (1.5, 1.5)  # pull towards the target place while swinging, for place and speed
SPARE = 0.15  # pumped beyond the target, as a share of gravity: the way up costs energy


@dataclass(frozen=True)
class Plan:
    """The target of the controller in a task.

    Attributes:
        place: Of the cart in m.
        hangs: Hold the pole down instead of up.
        rate: Of turning in rad/s over the top, clockwise positive; 0 holds the pole.
    """

    place: float = 0.0
    hangs: bool = False
    rate: float = 0.0


def push(advance: Advance, state: Floats, context: Mapping[str, float], plan: Plan) -> float:
    """Return the action in [-1, 1] in a state (4,)."""
    rest = np.array([plan.place, 0.0, np.pi if plan.hangs else 0.0, 0.0])
    away = state - rest
    away[2] = (away[2] + np.pi) % (2 * np.pi) - np.pi
    near = abs(away[2]) < CATCH[0] and abs(away[3]) < CATCH[1]
    if near and plan.rate == 0:
        found = _gains(advance, tuple(context.items()), plan.hangs)
        return float(np.clip(-found @ away, -1.0, 1.0))
    return _swing(state, context, plan)


def _swing(state: Floats, context: Mapping[str, float], plan: Plan) -> float:
    """Move the cart so that the pole's energy becomes what is target."""
    place, speed, angle, rate = state
    gravity, length = context["gravity"], context["pole_length"]
    energy = 2 / 3 * length * rate**2 + gravity * np.cos(angle)  # by mass and half length
    target = gravity * (-1.0 if plan.hangs else 1.0 + SPARE) + 2 / 3 * length * plan.rate**2
    if plan.rate * rate < 0:  # turning the wrong way: do not go over the top
        target = 0.5 * gravity
    motion = rate * np.cos(angle)
    most = context["force"] / (context["cart_mass"] + context["pole_mass"])
    swing = np.clip(EAGERNESS * (energy - target) * motion, -most, most)
    if abs(motion) < 1e-3 and not plan.hangs and energy < target:
        swing = -most * np.sign(np.sin(angle) or 1.0)  # at rest there is nothing to pump
    acceleration = swing - CENTRING[0] * (place - plan.place) - CENTRING[1] * speed
    pole = context["pole_mass"]  # the equations of motion, solved for the force
    turn = (gravity * np.sin(angle) - acceleration * np.cos(angle)) / (length * 4 / 3)
    both = (context["cart_mass"] + pole) * acceleration
    force = float(both + pole * length * (turn * np.cos(angle) - rate**2 * np.sin(angle)))
    return float(np.clip(force / context["force"], -1.0, 1.0))


@lru_cache(maxsize=256)
def _gains(advance: Advance, context: tuple[tuple[str, float], ...], hangs: bool) -> Floats:
    """Compute the gains about the pole up or down in the middle of the track."""
    constants = dict(context)
    rest = np.array([0.0, 0.0, np.pi if hangs else 0.0, 0.0])
    return gains(lambda s, a: advance(s, a, constants), rest, STATE_COST, ACTION_COST)
