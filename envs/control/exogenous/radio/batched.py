"""Many radio bands at once; see `exogenous/batched.py`."""

from typing import Any

import numpy as np

from zerogym.envs.control.core.arrays import Array
from zerogym.envs.control.exogenous.batched import ExogenousBatch
from zerogym.envs.control.exogenous.radio.band import Band
from zerogym.envs.control.exogenous.radio.tasks import Layout


class BatchedRadio(ExogenousBatch):
    """`n` copies of a band, made by `env.unwrapped.batched(n)`.

    Args:
        exact: The senders.
        layout: Of the observations.
        arguments: Of `ExogenousBatch`, without the number of actions.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> envs = gym.make("zerogym/CognitiveRadio-v0", task="avoid").unwrapped.batched(3)
        >>> observations = envs.reset(seed=0)
        >>> observations, rewards, over = envs.step(np.array([0, 1, 5]))
        >>> observations.shape, float(rewards[0]), over
        ((3, 27), 0.0, False)
    """

    def __init__(self, exact: Band, layout: Layout, n: int, **arguments: Any) -> None:
        super().__init__(n, layout.channels + 1, **arguments)
        self._band, self._layout = exact, layout
        self._thresholds = [self._array(each.thresholds) for each in exact.emitters]
        self._sends = [self._array(each.channels) for each in exact.emitters]
        self._right = self._array(np.array([1.0 - exact.false_alarm, 1.0 - exact.miss]))
        self._channels = self._array(np.arange(layout.channels))

    def _begin(self) -> Array:
        drawn, xp = self._uniform(len(self._band.emitters)), self._xp
        self._states = [
            xp.asarray(drawn[:, number] * count, dtype=xp.int64)
            for number, count in enumerate(self._band.shape)
        ]
        nothing = self._float32(self._array(np.zeros((self.n, self._layout.size))))
        silence = self._array(np.zeros(self.n, dtype=np.int64))
        return self._observe(nothing, silence, self._uniform(self._layout.channels))

    def _advance(self, actions: Array) -> Array:
        senders = len(self._states)
        drawn = self._uniform(senders + self._layout.channels)
        self._states = [
            (drawn[:, number, None] >= table[state]).sum(-1)
            for number, (table, state) in enumerate(
                zip(self._thresholds, self._states, strict=True)
            )
        ]
        return self._observe(self.observations, actions, drawn[:, senders:])

    def _observe(self, before: Array, actions: Array, drawn: Array) -> Array:
        """Return observations after actions (n,), with errors of sensing from numbers (n, C)."""
        xp, width = self._xp, self._layout.channels
        sending = [table[state] for table, state in zip(self._sends, self._states, strict=True)]
        busy = sending[0][:, None] == self._channels
        for each in sending[1:]:
            busy = busy | (each[:, None] == self._channels)
        right = self._right[xp.asarray(busy, dtype=xp.int64)]
        own = actions - 1  # -1 is silence, as a sender's
        sent = own >= 0
        parts = [
            self._float32(busy ^ (drawn >= right)),
            before[:, : (self._layout.frames - 1) * width],
            self._float32((own[:, None] == self._channels) & sent[:, None]),
            *(self._float32((each == own) & sent)[:, None] for each in sending),
        ]
        return self._joined(parts)
