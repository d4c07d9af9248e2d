"""Which events hold after a transition: of grids by the cell entered, of mazes by the region.

An event is a function of `(obs, action, next_obs)` that returns whether it holds, (B,) bool, for
batches of any size, of NumPy or torch; so machines and formulas follow the live world and stored
data alike. A world has its own as `events`, by name; those of MiniGrid worlds are in
`minigrid/events.py`. Left out: events of more than one transition; those are tasks with a memory.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.temporal.reward_machines import RewardMachine
from zerogym.errors import UnknownName

Event = Callable[[Array, Array, Array], Array]
Point = tuple[float, float]


@dataclass(frozen=True, eq=False)
class CellLabel:
    """Whether the cell entered is one of these; `cells` (S,) bool.

    Observations begin with the one-hot vector of the cell.
    """

    cells: NDArray[np.bool_]

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        xp = namespace(next_obs)
        table = self.cells if xp is np else xp.asarray(self.cells, device=next_obs.device)
        return table[next_obs[..., : len(self.cells)].argmax(-1)]


@dataclass(frozen=True)
class Square:
    """A square region of the plane, with sides along the axes.

    Attributes:
        centre: Its middle.
        half: Half of its side.
    """

    centre: Point
    half: float

    def margin(self, places: Array) -> Array:
        """How far inside places (..., 2 or more) are: to the nearest side, negative outside."""
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
    """The sets of events, as the machine numbers them, of stored transitions.

    Args:
        machine: Whose events are wanted.
        events: Those of the world, or some of your own.
        obs: (B, ...), or (N, T, ...) where the events can take that.
        action: Of the same transitions.
        next_obs: Where they led.

    Returns:
        Integers (B,), or (N, T).

    Raises:
        UnknownName: If the machine speaks of an event that is not among these.
    """
    for name in machine.events:
        if name not in events:
            raise UnknownName("event", name, list(events))
    return machine.label({name: events[name](obs, action, next_obs) for name in machine.events})


def labels_of_states(machine: RewardMachine, holds: Mapping[str, NDArray[np.bool_]]) -> Array:
    """The sets of events of all S states of a finite world; (S,).

    Args:
        machine: Whose events are wanted.
        holds: (S,) for each event of the world.

    Raises:
        UnknownName: If the machine speaks of another event.
    """
    for name in machine.events:
        if name not in holds:
            raise UnknownName("event", name, list(holds))
    return machine.label({name: holds[name] for name in machine.events})
