"""The view that an advantage has of a batch: groups of episodes, their rewards, named signals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.trajectory import Flat, Trajectory, problem_key

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Weights = Sequence[Sequence[Floats | float]]  # of each episode of each group: (T,), or one number
TOLERANCE = 1e-6  # rewards closer than this, relative to the largest, count as equal (our choice)


def all_equal(rewards: Sequence[float] | Floats) -> bool:
    """Return whether rewards are the same but for rounding; so are none, and one.

    Example:
        >>> all_equal([0.1 + 0.2, 0.3]), all_equal([0.3, 0.4])
        (True, False)
    """
    values = np.asarray(rewards, dtype=np.float64)
    if not values.size:
        return True
    return bool(np.ptp(values) <= TOLERANCE * max(1.0, float(np.abs(values).max())))


@dataclass(frozen=True)
class Sample:
    """An episode in training: one seat's trajectory and the return that it is trained on.

    `trajectory` has turns, rewards, infos, seat and role; the policy's own tokens are T.

    Attributes:
        trajectory: The episode as it was recorded.
        penalty: What the distance to the reference takes off at each own token (T,).
        shaping: What reward shaping adds to the return, such as a length penalty.
        signals: Numbers of each own token (T,) by name: those that the advantage declares.
    """

    trajectory: Trajectory
    penalty: Floats
    shaping: float = 0.0
    signals: Mapping[str, Floats] = field(default_factory=dict)

    @cached_property
    def flat(self) -> Flat:
        """The episode as one row: ids, mask and turn of each token, the world's included."""
        return self.trajectory.flatten()

    @cached_property
    def ids(self) -> NDArray[np.int64]:
        """The own tokens (T,)."""
        return np.asarray(self.flat.ids, dtype=np.int64)[np.asarray(self.flat.mask) == 1]

    @cached_property
    def turns(self) -> NDArray[np.int64]:
        """The number of the turn of each own token (T,)."""
        return np.asarray(self.flat.turn, dtype=np.int64)[np.asarray(self.flat.mask) == 1]

    @property
    def tokens(self) -> int:
        """The number T of own tokens."""
        return len(self.penalty)

    @cached_property
    def logprobs(self) -> Floats:
        """The log-probability of each own token when it was sampled (T,)."""
        return np.asarray(self.flat.logprobs, dtype=np.float64)[np.asarray(self.flat.mask) == 1]

    @property
    def correct(self) -> bool:
        """True if the episode succeeded: by its last info, else by a reward above 0."""
        return self.trajectory.correct

    @property
    def reward(self) -> float:
        """The reward of the task, that of reward shaping included."""
        return self.trajectory.reward + self.shaping

    @property
    def total(self) -> float:
        """The return of the whole episode: the reward less all penalties."""
        return self.reward - float(self.penalty.sum())

    @property
    def to_go(self) -> Floats:
        """The return from each own token on (T,); the reward counts at the end."""
        to_go: Floats = self.reward - np.cumsum(self.penalty[::-1])[::-1]
        return to_go

    @property
    def token_rewards(self) -> Floats:
        """The reward of each own token (T,).

        A turn's reward comes at the turn's last token (at the last own one before it if the turn
        has none), that of reward shaping at the last of the episode. A reward before the first turn
        that is trained on is left out.
        """
        rewards: Floats = -self.penalty
        end = 0
        item = self.trajectory
        for number, turn in enumerate(item.turns[item.shared :], start=item.shared):
            end += len(turn.action_ids) if item.learns(number) else 0
            if end:
                rewards[end - 1] += turn.reward
        if end:
            rewards[-1] += self.shaping
        return rewards

    @property
    def turn_rewards(self) -> Floats:
        """The reward of each turn (N,), those that were taken over from another episode included.

        A turn's penalties are taken off, and reward shaping is added to the last. A reward before
        the first turn is left out.
        """
        turns = self.trajectory.turns
        rewards = np.asarray([turn.reward for turn in turns], dtype=np.float64)
        if turns:
            rewards -= np.bincount(self.turns, self.penalty, len(turns))
            rewards[-1] += self.shaping
        return rewards

    @property
    def key(self) -> str:
        """The name of the problem."""
        item = self.trajectory
        return item.key or problem_key(item.env, item.kwargs, item.seed)


@dataclass(frozen=True)
class Batch:
    """The episodes of an update.

    Attributes:
        groups: Episodes of the same problem (and seat) are a group; sizes may differ.
        state: JSON values that the advantage keeps from one update to the next, under its own keys;
            it changes them in place, and checkpoints have them. Empty at first.
        beside: Groups of seats of the same games that another learner trains: to be read only, with
            the rewards of the task alone. Empty where one learner trains all seats.
    """

    groups: Sequence[Sequence[Sample]]
    state: dict[str, Any] = field(default_factory=dict)
    beside: Sequence[Sequence[Sample]] = ()

    @property
    def samples(self) -> list[Sample]:
        """All episodes, in order."""
        return [sample for group in self.groups for sample in group]

    @cached_property
    def _seats(self) -> dict[int, dict[str, Sample]]:
        seats: dict[int, dict[str, Sample]] = {}
        for sample in (sample for group in (*self.groups, *self.beside) for sample in group):
            item = sample.trajectory
            seats.setdefault(item.episode, {})[item.seat] = sample
        return seats

    def others(self, sample: Sample) -> list[Sample]:
        """Return what the other seats did in an episode, whoever trains them, in no fixed order.

        A seat is missing that the update does not have: a fixed opponent's, one that a filter
        dropped.
        """
        item = sample.trajectory
        seats = self._seats.get(item.episode, {})
        return [other for seat, other in seats.items() if seat != item.seat]

    def grouped(self, values: Sequence[Any]) -> list[list[Any]]:
        """Return values of all episodes, in order, as lists of their groups."""
        rest = iter(values)
        return [[next(rest) for _ in group] for group in self.groups]

    def with_signals(self, signals: Mapping[str, Sequence[Floats]]) -> "Batch":
        """Return the batch with signals: for each name numbers (T,) of all episodes, in order."""
        if not signals:
            return self
        added = [
            replace(sample, signals={name: values[i] for name, values in signals.items()})
            for i, sample in enumerate(self.samples)
        ]
        return replace(self, groups=self.grouped(added))

    def with_shaping(self, added: Sequence[Sequence[float]]) -> "Batch":
        """Return the batch with a number more in the return of each episode of each group."""
        shaped = [
            [replace(s, shaping=s.shaping + more) for s, more in zip(group, own, strict=True)]
            for group, own in zip(self.groups, added, strict=True)
        ]
        return replace(self, groups=shaped)
