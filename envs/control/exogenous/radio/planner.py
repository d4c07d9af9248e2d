"""The oracle of a radio band: value iteration over all that the senders may do.

Values are of the state known: where all senders are, and one's own channel. The player weighs them
by what its filter believes (`Band.after`, `Band.likelihood`), as QMDP does ("Learning policies for
partially observable environments: Scaling up", 1995, ICML). That is optimal where sensing tells the
state, and for rewards to which the last channel does not matter up to what sending tells beyond
sensing (whom one has hit). A reward that looks at frames before the last is foreseen one step only.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.exogenous.radio.band import Band, Floats
from zerogym.envs.control.exogenous.radio.sensing import observations_of, own_columns
from zerogym.envs.control.exogenous.radio.tasks import Layout
from zerogym.errors import NoOracle

MAX_VALUES = 2**26  # of a plan, 512 MB


class RadioPlan:
    """Values of a task in a band.

    Args:
        band: The senders.
        layout: Of the observations.
        task: What is paid.
        horizon: Steps of an episode.

    Raises:
        NoOracle: If it would have more than `MAX_VALUES` values.
    """

    def __init__(self, band: Band, layout: Layout, task: Task, horizon: int) -> None:
        self._band, self._layout, self._task = band, layout, task
        actions, states = layout.channels + 1, band.size
        if (horizon + 1) * states * actions > MAX_VALUES:
            raise NoOracle(
                f"an oracle of {states} states of the senders and {horizon} steps is too large"
            )
        paid = np.empty((actions, states, actions))  # by own channel before, state, action
        for own in range(actions):
            seen = np.zeros((1, layout.size), dtype=np.float32)
            seen[:, layout.frames * layout.channels :] = own_columns(layout, own)
            paid[own] = self._entered(seen[0])
        expected = np.stack([band.before(each) for each in paid])
        self.values = np.zeros((horizon + 1, states, actions))
        for left in range(1, horizon + 1):
            later = band.before(self.values[left - 1])  # (E, A)
            self.values[left] = (expected + later).max(axis=2).T

    def worth(self, belief: Floats, seen: NDArray[np.float32], left: int) -> Floats:
        """Of each action (A,), with `left` steps to go, for what is believed (E,) and seen (n,)."""
        expected: Floats = self._band.after(belief) @ (self._entered(seen) + self.values[left - 1])
        return expected

    def _entered(self, seen: NDArray[np.float32]) -> Floats:
        """(E, A): the reward of each action where it is followed by each state."""
        band, layout = self._band, self._layout
        actions = layout.channels + 1
        paid = np.empty((band.size, actions))
        for action in range(actions):
            after = observations_of(band, layout, seen, action)
            before = np.broadcast_to(seen, after.shape)
            paid[:, action] = self._task.relabel(before, np.full(band.size, action), after)
        return paid


@lru_cache(maxsize=32)
def radio_plan(band: Band, layout: Layout, task: Task, horizon: int) -> RadioPlan:
    """The plan of a task, made when first asked for."""
    return RadioPlan(band, layout, task, horizon)
