"""Events of transitions: by the cell entered in grids, by the region in mazes.

An event is a function of `(obs, action, next_obs)` that returns (B,) bool for batches of any size,
of NumPy or torch; so machines and formulas read live episodes and stored data alike. Environments
have theirs as `events`, by name; those of MiniGrid are in `minigrid/events.py`. Left out: events of
more than one transition; a reward machine expresses them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace, table_like
from zerogym.envs.control.temporal.reward_machines import RewardMachine

Event = Callable[[Array, Array, Array], Array]
Holds = Mapping[str, NDArray[np.bool_]]  # for each event the states (S,) in which it holds
Point = tuple[float, float]


@dataclass(frozen=True, eq=False)
class CellLabel:
    """True if the cell entered is one of these; `cells` (S,) bool.

    Observations begin with the one-hot vector of the cell.
    """

    cells: NDArray[np.bool_]

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return table_like(self.cells, next_obs)[next_obs[..., : len(self.cells)].argmax(-1)]


@dataclass(frozen=True)
class Square:
    """A square region of the plane, with sides along the axes.

    Attributes:
        centre: Its centre.
        half: Half the length of a side.
    """

    centre: Point
    half: float

    def margin(self, places: Array) -> Array:
        """Return the distance of places (..., 2 or more) to the nearest side, negative outside."""
        x, y = self.centre
        return self.half - namespace(places).maximum(
            abs(places[..., 0] - x), abs(places[..., 1] - y)
        )

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return self.margin(next_obs) > 0


def label_of(
    machine: RewardMachine,
    events: Mapping[str, Event],
    obs: Array,
    action: Array,
    next_obs: Array,
) -> Array:
    """Return the sets of events of stored transitions, numbered as in the machine.

    Args:
        machine: The machine that reads the events.
        events: Those of the environment, or your own.
        obs: (B, ...), or (N, T, ...) if the events accept that.
        action: Actions of the same transitions.
        next_obs: Their next observations.

    Returns:
        Integers (B,), or (N, T).

    Raises:
        UnknownName: If the machine names an event that is not among these.
    """
    machine.check_known(events)
    return machine.label({name: events[name](obs, action, next_obs) for name in machine.events})


def labels_of_states(machine: RewardMachine, holds: Holds) -> Array:
    """Return the sets of events of all S states of a tabular MDP; (S,).

    Raises:
        UnknownName: If the machine names another event.
    """
    machine.check_known(holds)
    return machine.label({name: holds[name] for name in machine.events})
