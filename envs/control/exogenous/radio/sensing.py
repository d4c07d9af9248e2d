"""What a radio senses of its band: one observation, those of all states, and what each tells."""

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
    """The observation (n,) after an action.

    Args:
        band: The senders.
        layout: Of the observations.
        hidden: The state of each sender now.
        before: The last observation.
        action: What was done, 0 for silence.
        drawn: (C,) numbers in [0, 1) that say where sensing errs.
    """
    width, end = layout.channels, layout.frames * layout.channels
    state = np.ravel_multi_index(hidden, band.shape)
    right = np.where(band.busy[state], 1.0 - band.miss, 1.0 - band.false_alarm)
    seen = np.zeros(layout.size, dtype=np.float32)
    seen[:width] = band.busy[state] ^ (drawn >= right)
    seen[width:end] = before[: end - width]
    if action:
        seen[end + action - 1] = 1.0
        seen[end + width :] = band.where[state] == action - 1
    return seen


def posterior(band: Band, layout: Layout, belief: Floats, seen: NDArray[np.float32]) -> Floats:
    """How likely each state is (E,) after an observation (n,), from how likely it was before."""
    own, hits = layout.own(seen[None])[0], layout.hits(seen[None])[0]
    channel = int(own.argmax()) if own.any() else SILENT
    sensed = layout.sensed(seen[None])[0, 0] > 0
    weighed = belief * band.likelihood(sensed, channel, hits > 0)
    found: Floats = weighed / weighed.sum()
    return found


def observations_of(
    band: Band, layout: Layout, seen: NDArray[np.float32], action: int
) -> NDArray[np.float32]:
    """What each state shows (E, n) without errors of sensing, after an observation (n,)."""
    rows = np.empty((band.size, layout.size), dtype=np.float32)
    width, end = layout.channels, layout.frames * layout.channels
    rows[:, :width] = band.busy
    rows[:, width:end] = seen[: end - width]
    rows[:, end:] = own_columns(layout, action)
    if action:
        rows[:, end + width :] = band.where == action - 1
    return rows


def own_columns(layout: Layout, action: int) -> NDArray[np.float32]:
    """Columns of one's own channel after an action, and of no hits."""
    columns = np.zeros(layout.channels + layout.senders, dtype=np.float32)
    if action:
        columns[action - 1] = 1.0
    return columns
