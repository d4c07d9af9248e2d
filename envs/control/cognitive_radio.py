"""A radio that senses a band and looks for its place in it, or for somebody else's.

Senders and the filter are in `radio_band.py`, rewards in `radio_tasks.py`, the truth in
`radio_plan.py`. Left out: several radios that learn, power, and all that a signal is.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.arrays import Array
from zerogym.envs.control.contexts import Constant
from zerogym.envs.control.features import Measures
from zerogym.envs.control.radio_band import KINDS, SILENT, Band, band
from zerogym.envs.control.radio_batch import BatchedRadio
from zerogym.envs.control.radio_plan import radio_plan
from zerogym.envs.control.radio_render import ansi, rgb
from zerogym.envs.control.radio_tasks import Layout, radio_tasks
from zerogym.envs.control.radio_text import rules, words
from zerogym.envs.control.tasks import Task
from zerogym.envs.control.watched_batch import Library
from zerogym.envs.control.watched_world import Episode, View, WatchedWorld
from zerogym.errors import UnknownName

CHANNELS, SENDERS, FRAMES = (2, 10), (1, 3), (1, 16)  # from, to


class CognitiveRadioEnv(WatchedWorld):
    """A band of radio channels with other senders, any reward.

    Description:
        In each step the radio sends on one channel or is silent; then every other sender moves on
        and the radio learns which channels it senses as busy, and whom its own signal has hit.
        Senders: `constant` (one channel), `hopper` (stays for `period` steps, then hops `stride`
        channels on), `switcher` (with chance `switch` moves anywhere), `bursty` (on one channel,
        now and then). They do not mind the radio. Sensing errs: a busy channel is missed with
        chance `miss`, a free one taken for busy with chance `false_alarm`; one's own hits are
        certain. What is random is known, so the oracle is exact where sensing is: it filters the
        past and weighs values of value iteration. A toy: no signals, no distances.

    Observation:
        `view="numeric"`: float32 of 0 and 1: the last `frames` sensed bands (newest first, one
        number a channel), one's own last channel (one-hot; all 0 after silence), and for each
        other sender whether it was on it. `view="text"`: the last of these in words, at the start
        with the task.

    Action:
        0 silence, 1 to `channels` send there. `view="text"`: a reply that says `silent` or the
        channel's number in `<answer>...</answer>` or as its last line; any other counts as
        silence and sets `info["void_turn"]`.

    Reward:
        That of the task. `avoid`: 1 for sending alone, -1 for interference, 0 for silence;
        `avoid_steadily`: less 0.5 for a change of channel; `jam_hopper` and so on: 1 for sending
        where that sender is, -1 for missing it; `least_used`: 1 on a channel sensed busy as
        rarely as any; `hold_1` and so on: 1 on that channel. `task=None` is reward-free: 0.
        Features for rewards of `(features, action)`: `sent`, `interference`, `busy` (share of
        channels sensed as busy).

    Episode end:
        Truncated after `horizon` steps. `info["cost"]`: 1 for interference, else 0.

    Difficulty:
        The senders, their number, and the errors of sensing.

    Arguments:
        channels: How many, 2 to 10.
        senders: Kinds of the others, 1 to 3 of them.
        frames: How many sensed bands an observation has, 1 to 16.
        task: None; the name of a task; a `zerogym.envs.control.tasks.Task`; a function
            `reward(obs, action, next_obs) -> (B,)` or `reward(features, action) -> (B,)`.
        context: Values for some of the constants `period`, `stride`, `switch`, `miss`,
            `false_alarm`.
        view: `numeric` or `text`.
        horizon: Steps in an episode.
        render_mode: None, `ansi` or `rgb_array`.

        `reset(options=...)` may pin `start` (the channel of each sender, from 1), `task` and
        `context` for one episode.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> exact = {"miss": 0.0, "false_alarm": 0.0}
        >>> env = gym.make("zerogym/CognitiveRadio-v0", task="avoid", view="text", context=exact)
        >>> print(env.reset(seed=0, options={"start": (1, 4)})[0])
        Send where nobody else sends.
        There are 5 channels. Other senders: hopper, switcher. Sensing may err.
        You sense: busy 1, 4; free 2, 3, 5.
        Answer with one move: silent, 1, 2, 3, 4 or 5.
        >>> env.step("<answer>3</answer>")[:2]
        ('You sent on 3, alone. You sense: busy 1, 4; free 2, 3, 5.', 1.0)

    Source:
        After "RFRL Gym: A Reinforcement Learning Testbed for Cognitive Radio Applications" (2023,
        arXiv 2401.05406): senders, sensing, and the rewards of access and of jamming. Rules of the
        senders as chances, errors of sensing, the other tasks and all numbers are our choice.
    """

    constants = MappingProxyType(
        {
            "period": Constant(3.0, 1.0, 6.0, "steps between hops, rounded", (1.0, 4.0)),
            "stride": Constant(1.0, 1.0, 5.0, "channels of a hop, rounded", (1.0, 3.0)),
            "switch": Constant(0.1, 0.0, 0.9, "chance of a switch in a step", (0.05, 0.4)),
            "miss": Constant(0.1, 0.0, 0.5, "chance to miss a busy channel", (0.0, 0.2)),
            "false_alarm": Constant(0.05, 0.0, 0.5, "chance to see one in a free", (0.0, 0.2)),
        }
    )

    def __init__(
        self,
        channels: int = 5,
        senders: Sequence[str] = ("hopper", "switcher"),
        frames: int = 4,
        task: Any = None,
        context: Mapping[str, float] | None = None,
        view: View = "numeric",
        horizon: int = 100,
        render_mode: str | None = None,
    ) -> None:
        self.kinds = tuple(senders)
        for kind in self.kinds:
            if kind not in KINDS:
                raise UnknownName("kind of sender", kind, list(KINDS))
        _check("channels", channels, CHANNELS)
        _check("number of senders", len(self.kinds), SENDERS)
        _check("frames", frames, FRAMES)
        self.layout = Layout(channels, len(self.kinds), frames)
        names = ("silent", *(str(channel + 1) for channel in range(channels)))
        space = spaces.Box(0.0, 1.0, (self.layout.size,), np.float32)
        super().__init__(task, context, view, horizon, render_mode, names, space)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The named tasks of this band."""
        return radio_tasks(self.layout, self.kinds)

    @property
    def measures(self) -> Measures:
        """`sent`, `interference`, and `busy`, the share of channels sensed as busy."""
        of = self.layout

        def busy(observations: Array) -> Array:
            return of.sensed(observations)[:, 0].mean(axis=-1)

        return {"sent": of.sent, "interference": of.hit, "busy": busy}

    @property
    def band(self) -> Band:
        """The senders of this episode, exactly."""
        return band(self.kinds, self.layout.channels, self.context)

    def belief(self) -> NDArray[np.float64]:
        """How likely each joint state of the senders is, for what has been seen; (E,)."""
        episode: Episode = self._running()
        exact = self.band
        if episode.belief is None:
            prior = np.full(exact.size, 1.0 / exact.size)
            episode.belief, episode.read = self._weighed(prior, episode.past[0]), 1
        for seen in episode.past[episode.read :]:
            episode.belief = self._weighed(exact.after(episode.belief), seen)
        episode.read = len(episode.past)
        found: NDArray[np.float64] = episode.belief
        return found

    def batched(
        self, n: int, library: Library = "numpy", device: str | None = None
    ) -> BatchedRadio:
        """Many bands with this world's context, task and horizon, stepped together.

        Args:
            n: How many.
            library: Whose arrays: `numpy` or `torch`.
            device: Where torch's tensors are.
        """
        exact = band(self.kinds, self.layout.channels, self._own_context)
        assert not isinstance(self._task, str)  # these worlds have no `random_tasks`
        kinds: dict[str, Any] = {"library": library, "device": device}
        return BatchedRadio(exact, self.layout, n, task=self._task, horizon=self.horizon, **kinds)

    def render(self) -> Any:
        """The sensed band over time, newest below: an image (240, 240, 3) or characters."""
        if self.render_mode is None or self._episode is None:
            return None
        draw = ansi if self.render_mode == "ansi" else rgb
        return draw(self.layout, self._episode.past)

    def _weighed(
        self, belief: NDArray[np.float64], seen: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        own, hits = self.layout.own(seen[None])[0], self.layout.hits(seen[None])[0]
        channel = int(own.argmax()) if own.any() else SILENT
        sensed = self.layout.sensed(seen[None])[0, 0] > 0
        weighed = belief * self.band.likelihood(sensed, channel, hits > 0)
        posterior: NDArray[np.float64] = weighed / weighed.sum()
        return posterior

    def _first(self, start: Any, context: Mapping[str, float]) -> tuple[int, ...]:
        """Every state of a sender is as likely as any other."""
        shape = band(self.kinds, self.layout.channels, context).shape
        drawn = tuple(int(self.np_random.integers(count)) for count in shape)
        if start is None:
            return drawn
        try:
            wanted = [int(channel) for channel in start]
        except (TypeError, ValueError):
            wanted = []
        count = self.layout.channels
        if len(wanted) != len(shape) or not all(1 <= each <= count for each in wanted):
            raise ValueError(
                f"{self.name}: start must be {len(shape)} channels from 1 to {count}, "
                f"got {str(start)[:60]}"
            )
        emitters = band(self.kinds, count, context).emitters
        return tuple(
            int(np.flatnonzero(each.channels == channel - 1)[0])
            for each, channel in zip(emitters, wanted, strict=True)
        )

    def _seen_first(
        self, hidden: tuple[int, ...], context: Mapping[str, float]
    ) -> NDArray[np.float32]:
        nothing = np.zeros(self.layout.size, dtype=np.float32)
        return self._seen(band(self.kinds, self.layout.channels, context), hidden, nothing, 0)

    def _advance(self, action: int) -> tuple[tuple[int, ...], NDArray[np.float32]]:
        exact, episode = self.band, self._episode
        drawn = self.np_random.random(len(exact.emitters))
        hidden = tuple(
            int((number >= each.thresholds[state]).sum())
            for each, state, number in zip(exact.emitters, episode.hidden, drawn, strict=True)
        )
        return hidden, self._seen(exact, hidden, episode.observation, action)

    def _seen(
        self, exact: Band, hidden: tuple[int, ...], before: NDArray[np.float32], action: int
    ) -> NDArray[np.float32]:
        """The observation after an action, with errors of sensing drawn."""
        width, end = self.layout.channels, self.layout.frames * self.layout.channels
        state = np.ravel_multi_index(hidden, exact.shape)
        right = np.where(exact.busy[state], 1.0 - exact.miss, 1.0 - exact.false_alarm)
        wrong = self.np_random.random(width) >= right
        seen = np.zeros(self.layout.size, dtype=np.float32)
        seen[:width] = exact.busy[state] ^ wrong
        seen[width:end] = before[: end - width]
        if action:
            seen[end + action - 1] = 1.0
            seen[end + width :] = exact.where[state] == action - 1
        return seen

    def _values(self) -> NDArray[np.float64]:
        episode: Episode = self._episode
        assert episode.task is not None
        plan = radio_plan(self.band, self.layout, episode.task, self.horizon)
        left = max(self.horizon - episode.turn, 1)
        return plan.worth(self.belief(), episode.observation, left)

    def _rules(self) -> str:
        return rules(self.layout, self.kinds)

    def _words(self, observation: NDArray[np.float32]) -> str:
        return words(self.layout, self.kinds, observation, first=self._episode.turn == 0)

    def _info(self) -> dict[str, Any]:
        episode: Episode = self._episode
        if episode.turn == 0:
            return super()._info()
        cost = float(self.layout.hit(episode.observation[None])[0])
        return super()._info() | {"cost": cost}


def _check(what: str, value: Any, limits: tuple[int, int]) -> None:
    low, high = limits
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not low <= value <= high:
        raise ValueError(f"{what} must be an integer from {low} to {high}, got {value!r}")
