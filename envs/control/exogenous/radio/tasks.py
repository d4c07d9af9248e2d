"""The tasks of a radio band, and how an observation is laid out.

| name | reward of a step |
|---|---|
| `avoid` | 1 for sending where nobody else does, -1 for interference, 0 for silence |
| `avoid_steadily` | the same, less 0.5 for a channel other than the last one |
| `jam_hopper`, ... | 1 for sending on that sender's channel, -1 for missing it, 0 for silence |
| `least_used` | 1 for sending on a channel that has been sensed busy as rarely as any lately |
| `hold_1`, ... | 1 for sending on that channel, whoever else does |

`avoid` and `jam` have the rewards of the modes `dsa` and `jam` of the RFRL Gym (2023, arXiv
2401.05406), where a channel with two senders is not the target's, though. The others are ours.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.interval_rewards import by_name
from zerogym.envs.control.core.tasks import Task

CHANGE = 0.5  # the cost of another channel in `avoid_steadily`


@dataclass(frozen=True)
class Layout:
    """Columns of an observation: sensed frames (newest first), own channel, whom it hit.

    Attributes:
        channels: C.
        senders: N.
        frames: Number of frames, H.
    """

    channels: int
    senders: int
    frames: int

    @property
    def size(self) -> int:
        """Number of columns."""
        return (self.frames + 1) * self.channels + self.senders

    def sensed(self, observations: Array) -> Array:
        """(B, H, C): 1 where a channel was sensed as busy."""
        shape = (-1, self.frames, self.channels)
        return namespace(observations).reshape(observations[:, : self._own], shape)

    def own(self, observations: Array) -> Array:
        """(B, C): 1 at the channel of the last step, all 0 after silence."""
        return observations[:, self._own : self._own + self.channels]

    def hits(self, observations: Array) -> Array:
        """(B, N): 1 for each sender on that channel."""
        return observations[:, self._own + self.channels :]

    def sent(self, observations: Array) -> Array:
        """(B,): whether anything was sent."""
        return namespace(observations).sum(self.own(observations), axis=-1)

    def hit(self, observations: Array) -> Array:
        """(B,): whether anybody else was on that channel."""
        return namespace(observations).max(self.hits(observations), axis=-1)

    def changed(self, observations: Array, later: Array) -> Array:
        """(B,): whether two steps were sent on two channels."""
        xp = namespace(observations, later)
        same = xp.sum(self.own(observations) * self.own(later), axis=-1)
        return self.sent(observations) * self.sent(later) - same

    @property
    def _own(self) -> int:
        return self.frames * self.channels


@dataclass(frozen=True)
class Avoid:
    """Send where nobody else does; another channel than the last one costs `change`."""

    layout: Layout
    change: float = 0.0

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        of = self.layout
        rewards = of.sent(next_obs) * (1.0 - 2.0 * of.hit(next_obs))
        return rewards - self.change * of.changed(obs, next_obs)


@dataclass(frozen=True)
class Jam:
    """Send where one of the others does."""

    layout: Layout
    target: int

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        hit = self.layout.hits(next_obs)[:, self.target]
        return self.layout.sent(next_obs) * (2.0 * hit - 1.0)


@dataclass(frozen=True)
class LeastUsed:
    """Send on a channel that was sensed busy in the fewest of the frames known before."""

    layout: Layout

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        xp = namespace(obs, next_obs)
        busy = xp.sum(self.layout.sensed(obs), axis=1)
        rarest = xp.where(busy == xp.min(busy, axis=-1, keepdims=True), 1.0, 0.0)
        return xp.sum(rarest * self.layout.own(next_obs), axis=-1)


@dataclass(frozen=True)
class Hold:
    """Send on one channel."""

    layout: Layout
    channel: int

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return self.layout.own(next_obs)[:, self.channel]


@cache
def radio_tasks(layout: Layout, kinds: tuple[str, ...]) -> Mapping[str, Task]:
    """Make all tasks of a band by name."""
    tasks = [
        Task("avoid", "Send where nobody else sends.", Avoid(layout)),
        Task(
            "avoid_steadily",
            "Send where nobody else sends, and change your channel only where it is worth it.",
            Avoid(layout, CHANGE),
        ),
    ]
    for number, name in enumerate(sender_names(kinds)):
        text = f"Send on the channel of the {name.replace('_', ' ')}, so that you jam it."
        tasks.append(Task(f"jam_{name}", text, Jam(layout, number)))
    text = "Send on a channel that has been sensed busy as rarely as any of late."
    tasks.append(Task("least_used", text, LeastUsed(layout)))
    for channel in range(layout.channels):
        text = f"Send on channel {channel + 1}, whoever else does."
        tasks.append(Task(f"hold_{channel + 1}", text, Hold(layout, channel)))
    return by_name(tasks)


def sender_names(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return the kinds, numbered where one occurs again: `hopper`, `hopper_2`."""
    counts = [kinds[: place + 1].count(kind) for place, kind in enumerate(kinds)]
    return tuple(f"{k}_{n}" if n > 1 else k for k, n in zip(kinds, counts, strict=True))
