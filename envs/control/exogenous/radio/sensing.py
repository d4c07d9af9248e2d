"""Sensing of a radio band: one observation, those of all states, and the filter."""

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.exogenous.radio.band import SILENT, Band, Floats
from zerogym.envs.control.exogenous.radio.tasks import Layout


def observed(
    band: Band,
    layout: Layout,
    hidden: tuple[int, ...],
    before: NDArray[np.float32],
    action: int,
    drawn: Floats,
) -> NDArray[np.float32]:
    """Return the observation (n,) after an action.

    Args:
        band: The senders.
        layout: Of the observations.
        hidden: The state of each sender now.
        before: The last observation.
        action: The last action, 0 for silence.
        drawn: (C,) numbers in [0, 1) for the errors of sensing.
    """
    width, end = layout.channels, layout.frames * layout.channels
    state = np.ravel_multi_index(hidden, band.shape)
    right = np.where(band.busy[state], 1.0 - band.miss, 1.0 - band.false_alarm)
    observation = np.zeros(layout.size, dtype=np.float32)
    observation[:width] = band.busy[state] ^ (drawn >= right)
    observation[width:end] = before[: end - width]
    if action:
        observation[end + action - 1] = 1.0
        observation[end + width :] = band.where[state] == action - 1
    return observation


def posterior(
    band: Band, layout: Layout, belief: Floats, observation: NDArray[np.float32]
) -> Floats:
    """Update a belief (E,) over the states with an observation (n,)."""
    own, hits = layout.own(observation[None])[0], layout.hits(observation[None])[0]
    channel = int(own.argmax()) if own.any() else SILENT
    sensed = layout.sensed(observation[None])[0, 0] > 0
    weighed = belief * band.likelihood(sensed, channel, hits > 0)
    found: Floats = weighed / weighed.sum()
    return found


def observations_of(
    band: Band, layout: Layout, observation: NDArray[np.float32], action: int
) -> NDArray[np.float32]:
    """Return the observation (E, n) of each state without errors of sensing, after one (n,)."""
    rows = np.empty((band.size, layout.size), dtype=np.float32)
    width, end = layout.channels, layout.frames * layout.channels
    rows[:, :width] = band.busy
    rows[:, width:end] = observation[: end - width]
    rows[:, end:] = own_columns(layout, action)
    if action:
        rows[:, end + width :] = band.where == action - 1
    return rows


def own_columns(layout: Layout, action: int) -> NDArray[np.float32]:
    """Return the columns of one's own channel after an action, and of no hits."""
    columns = np.zeros(layout.channels + layout.senders, dtype=np.float32)
    if action:
        columns[action - 1] = 1.0
    return columns
