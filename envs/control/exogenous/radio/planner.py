"""The oracle of the radio band: value iteration over exact states, weighed by the filter's belief.

Values are of the states of all senders and one's own channel. The player weighs them by its belief
(`Band.after`, `Band.likelihood`), as QMDP does ("Learning policies for partially observable
environments: Scaling up", 1995, ICML). That is optimal where sensing is exact, and for rewards that
do not depend on the last channel, up to the information that sending adds to sensing (which sender
was hit). A reward that depends on frames before the last is planned for one step only.
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
        task: The task.
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
        rewards = np.empty((actions, states, actions))  # by own channel before, state, action
        for own in range(actions):
            before = np.zeros(layout.size, dtype=np.float32)
            before[layout.frames * layout.channels :] = own_columns(layout, own)
            rewards[own] = self._rewards(before)
        expected = np.stack([band.before(each) for each in rewards])
        self.values = np.zeros((horizon + 1, states, actions))
        for left in range(1, horizon + 1):
            later = band.before(self.values[left - 1])  # (E, A)
            self.values[left] = (expected + later).max(axis=2).T

    def worth(self, belief: Floats, observation: NDArray[np.float32], left: int) -> Floats:
        """Return the value of each action (A,) for a belief (E,), with `left` steps to go."""
        expected: Floats = self._band.after(belief) @ (
            self._rewards(observation) + self.values[left - 1]
        )
        return expected

    def _rewards(self, observation: NDArray[np.float32]) -> Floats:
        """Return the reward (E, A) of each action where it is followed by each state."""
        band, layout = self._band, self._layout
        actions = layout.channels + 1
        rewards = np.empty((band.size, actions))
        for action in range(actions):
            after = observations_of(band, layout, observation, action)
            before = np.broadcast_to(observation, after.shape)
            rewards[:, action] = self._task.relabel(before, np.full(band.size, action), after)
        return rewards


radio_plan = lru_cache(maxsize=32)(RadioPlan)  # made once for each task and context
