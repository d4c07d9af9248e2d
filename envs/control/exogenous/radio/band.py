"""A radio band and who sends on it: emitters as Markov chains, sensing, and the exact filter.

| kind | behaviour |
|---|---|
| `constant` | sends on one channel, drawn at the start |
| `hopper` | stays for `period` steps, then hops `stride` channels on, round the band |
| `switcher` | with chance `switch` moves to another channel, all alike |
| `bursty` | on one channel, drawn at the start; with chance `switch` falls silent or speaks again |

Constant, hopping and random emitters are those of "RFRL Gym: A Reinforcement Learning Testbed for
Cognitive Radio Applications" (2023, arXiv 2401.05406); that they are Markov chains with chances,
and errors of sensing as chances, is our choice. Left out: signals (I/Q samples), modulation,
propagation, emitters that react to the agent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Floats

Ints = NDArray[np.int64]
Kind = Literal["constant", "hopper", "switcher", "bursty"]
KINDS = ("constant", "hopper", "switcher", "bursty")
SILENT = -1


@dataclass(frozen=True, eq=False)
class Emitter:
    """One sender.

    Attributes:
        moves: (n, n) chances of the next state.
        channels: (n,) where it sends in each state, `SILENT` if it does not.
    """

    moves: Floats
    channels: Ints

    @cached_property
    def thresholds(self) -> Floats:
        """(n, n - 1): state k follows a number u in [0, 1) if it passes k of these.

        Rounding cannot draw a state of chance 0: what is beyond the last one possible is 2.
        """
        possible = self.moves > 0
        later: Ints = np.cumsum(possible[:, ::-1], axis=1)[:, ::-1] - possible
        return np.where(later > 0, self.moves.cumsum(axis=1), 2.0)[:, :-1]


def emitter(kind: str, channels: int, context: Mapping[str, float]) -> Emitter:
    """Make a sender of one of the kinds; periods and strides are rounded to whole numbers."""
    every = np.arange(channels)
    switch = context["switch"]
    if kind == "constant":
        return Emitter(np.eye(channels), every)
    if kind == "switcher":
        moves = np.full((channels, channels), switch / (channels - 1))
        np.fill_diagonal(moves, 1.0 - switch)
        return Emitter(moves, every)
    if kind == "bursty":  # states: silent on each channel, then speaking on each
        toggle = np.array([[1.0 - switch, switch], [switch, 1.0 - switch]])
        silent = np.full(channels, SILENT)
        return Emitter(np.kron(toggle, np.eye(channels)), np.concatenate([silent, every]))
    period, stride = round(context["period"]), round(context["stride"])
    moves = np.zeros((channels * period, channels * period))  # states: channel * period + phase
    for channel in range(channels):
        for phase in range(period):
            ends = phase == period - 1
            after = (channel + stride) % channels if ends else channel
            moves[channel * period + phase, after * period + (0 if ends else phase + 1)] = 1.0
    return Emitter(moves, every.repeat(period))


@dataclass(frozen=True, eq=False)
class Band:
    """All senders together; E joint states, numbered with the last sender changing fastest.

    Attributes:
        channels: Number of channels, C.
        emitters: The senders, N.
        miss: Chance that a busy channel is sensed as free.
        false_alarm: Chance that a free channel is sensed as busy.
    """

    channels: int
    emitters: tuple[Emitter, ...]
    miss: float
    false_alarm: float

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of states of each sender."""
        return tuple(len(each.channels) for each in self.emitters)

    @property
    def size(self) -> int:
        """Number of joint states, E."""
        return prod(self.shape)

    @cached_property
    def where(self) -> Ints:
        """(E, N) the channel of each sender."""
        states = np.indices(self.shape).reshape(len(self.shape), -1)
        rows = zip(self.emitters, states, strict=True)
        return np.stack([each.channels[state] for each, state in rows], axis=1)

    @cached_property
    def busy(self) -> NDArray[np.bool_]:
        """(E, C) whether somebody sends there."""
        return np.asarray((self.where[:, :, None] == np.arange(self.channels)).any(axis=1))

    def states_at(self, channels: Sequence[int]) -> tuple[int, ...]:
        """Return for each sender its first state in which it sends on the given channel."""
        rows = zip(self.emitters, channels, strict=True)
        return tuple(int(np.flatnonzero(each.channels == channel)[0]) for each, channel in rows)

    def after(self, belief: Floats) -> Floats:
        """Return chances (E,) of the states one step later."""
        table = belief.reshape(self.shape)
        for axis, each in enumerate(self.emitters):
            table = np.moveaxis(np.tensordot(table, each.moves, axes=(axis, 0)), -1, axis)
        return table.ravel()

    def before(self, values: Floats) -> Floats:
        """Return the expectation (E, k) in each state of values (E, k) of the next one."""
        table = values.reshape(*self.shape, -1)
        for axis, each in enumerate(self.emitters):
            table = np.moveaxis(np.tensordot(each.moves, table, axes=(1, axis)), 0, axis)
        return table.reshape(self.size, -1)

    def likelihood(self, sensed: NDArray[np.bool_], own: int, hits: NDArray[np.bool_]) -> Floats:
        """Return the likelihood (E,) of the sensed channels (C,) and of one's own hits (N,).

        Args:
            sensed: Which channels were sensed as busy.
            own: The channel on which was sent, or `SILENT`, for which `hits` do not count.
            hits: Which senders were on it.
        """
        right = np.where(self.busy, 1.0 - self.miss, 1.0 - self.false_alarm)  # (E, C)
        chances = np.where(sensed == self.busy, right, 1.0 - right).prod(axis=1)
        if own == SILENT:
            return np.asarray(chances)
        return np.asarray(chances * ((self.where == own) == hits).all(axis=1))


def band(kinds: tuple[str, ...], channels: int, context: Mapping[str, float]) -> Band:
    """Return the band of a context; the same one for the same constants."""
    return _band(kinds, channels, tuple(sorted(context.items())))


@lru_cache(maxsize=64)
def _band(kinds: tuple[str, ...], channels: int, constants: tuple[tuple[str, float], ...]) -> Band:
    context = dict(constants)
    emitters = tuple(emitter(kind, channels, context) for kind in kinds)
    return Band(channels, emitters, context["miss"], context["false_alarm"])
