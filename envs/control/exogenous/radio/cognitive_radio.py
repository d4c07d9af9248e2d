"""A radio that senses a band and looks for its place in it, or for somebody else's.

Senders are in `band.py`, the filter in `sensing.py`, rewards in `tasks.py`, the
oracle in `planner.py`. Left out: several radios that learn, power, and all that a signal is.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, Floats, Library, as_floats, check_integer
from zerogym.envs.control.core.contexts import Constant
from zerogym.envs.control.core.env import DEFAULT
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.exogenous.base import Episode, ExogenousEnv, View
from zerogym.envs.control.exogenous.radio.band import KINDS, Band, band
from zerogym.envs.control.exogenous.radio.batched import BatchedRadio
from zerogym.envs.control.exogenous.radio.planner import RadioPlan, radio_plan
from zerogym.envs.control.exogenous.radio.render import ansi, rgb
from zerogym.envs.control.exogenous.radio.sensing import observed, posterior
from zerogym.envs.control.exogenous.radio.tasks import Layout, radio_tasks
from zerogym.envs.control.exogenous.radio.text_view import rules, words
from zerogym.errors import UnknownName

CHANNELS, SENDERS, FRAMES = (2, 10), (1, 3), (1, 16)  # from, to


class CognitiveRadioEnv(ExogenousEnv):
    """A band of radio channels with other senders, any reward.

    Description:
        In each step the radio sends on one channel or is silent; then every other sender moves on
        and the radio learns which channels it senses as busy, and whom its own signal has hit.
        Senders: `constant` (one channel), `hopper` (stays for `period` steps, then hops `stride`
        channels on), `switcher` (with chance `switch` moves anywhere), `bursty` (on one channel,
        now and then). The radio has no influence on them. Sensing errs: a busy channel is missed
        with chance `miss`, a free one taken for busy with chance `false_alarm`; one's own hits are
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
        channels: Number of channels, 2 to 10.
        senders: Kinds of the others, 1 to 3 of them.
        frames: Number of sensed bands in an observation, 1 to 16.
        task: None; the name of a task; a `zerogym.envs.control.core.tasks.Task`; a function
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
        There are 5 channels. Other senders: hopper, switcher. Sensing is exact.
        You sense: busy 1, 4; free 2, 3, 5.
        Answer with one move: silent, 1, 2, 3, 4 or 5.
        >>> env.step("<answer>3</answer>")[:2]
        ('You sent on 3, alone. You sense: busy 1, 4; free 2, 3, 5.', 1.0)

    Source:
        After "RFRL Gym: A Reinforcement Learning Testbed for Cognitive Radio Applications" (2023,
        arXiv 2401.05406): senders, sensing, and the rewards of access and of jamming. Rules of the
        senders as chances, errors of sensing, the other tasks and all numbers are our choice.
    """

    map_reveals = True

    default_task = "avoid"
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
        task: Any = DEFAULT,
        context: Mapping[str, float] | None = None,
        view: View = "numeric",
        horizon: int = 100,
        render_mode: str | None = None,
    ) -> None:
        if isinstance(senders, str):
            raise TypeError(f"senders must be several kinds, such as ({senders!r},)")
        self.kinds = tuple(senders)
        for kind in self.kinds:
            if kind not in KINDS:
                raise UnknownName("kind of sender", kind, list(KINDS))
        check_integer("channels", channels, *CHANNELS)
        check_integer("number of senders", len(self.kinds), *SENDERS)
        check_integer("frames", frames, *FRAMES)
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
        """The exact senders of this episode."""
        return band(self.kinds, self.layout.channels, self.context)

    def belief(self) -> Floats:
        """Return the belief over the joint states of the senders after the past; (E,)."""
        episode: Episode = self._running()
        exact = self.band
        if episode.belief is None:
            prior = np.full(exact.size, 1.0 / exact.size)
            episode.belief, episode.read = posterior(exact, self.layout, prior, episode.past[0]), 1
        for row in episode.past[episode.read :]:
            episode.belief = posterior(exact, self.layout, exact.after(episode.belief), row)
        episode.read = len(episode.past)
        return np.asarray(episode.belief)

    def batched(
        self, n: int, library: Library = "numpy", device: str | None = None
    ) -> BatchedRadio:
        """Make a batch of bands with this one's context, task and horizon.

        Args:
            n: Number of bands.
            library: Array library, `numpy` or `torch`.
            device: Device of torch's tensors.
        """
        exact = band(self.kinds, self.layout.channels, self._own_context)
        assert not isinstance(self._task, str)  # these worlds have no `random_tasks`
        kinds: dict[str, Any] = {"library": library, "device": device}
        return BatchedRadio(exact, self.layout, n, task=self._task, horizon=self.horizon, **kinds)

    def _draw(self, past: list[NDArray[np.float32]]) -> Any:
        return (ansi if self.render_mode == "ansi" else rgb)(self.layout, past)

    def _first(self, start: Any, context: Mapping[str, float]) -> tuple[int, ...]:
        """Draw the state of each sender evenly."""
        exact, count = band(self.kinds, self.layout.channels, context), self.layout.channels
        drawn = tuple(int(self.np_random.integers(states)) for states in exact.shape)
        if start is None:
            return drawn
        given = as_floats(start)
        if given.shape != (len(drawn),) or not np.isin(given, np.arange(1, count + 1)).all():
            raise ValueError(
                f"{self.name}: start must be {len(drawn)} channels from 1 to {count}, "
                f"got {str(start)[:60]}"
            )
        return exact.states_at((given - 1).astype(np.int64).tolist())

    def _first_observation(
        self, hidden: tuple[int, ...], context: Mapping[str, float]
    ) -> NDArray[np.float32]:
        nothing = np.zeros(self.layout.size, dtype=np.float32)
        return self._observe(band(self.kinds, self.layout.channels, context), hidden, nothing, 0)

    def _advance(self, action: int) -> tuple[tuple[int, ...], NDArray[np.float32]]:
        exact, episode = self.band, self._episode
        drawn = self.np_random.random(len(exact.emitters))
        hidden = tuple(
            int((number >= each.thresholds[state]).sum())
            for each, state, number in zip(exact.emitters, episode.hidden, drawn, strict=True)
        )
        return hidden, self._observe(exact, hidden, episode.observation, action)

    def _observe(
        self, exact: Band, hidden: tuple[int, ...], before: NDArray[np.float32], action: int
    ) -> NDArray[np.float32]:
        """Return the observation after an action, with errors of sensing."""
        drawn = self.np_random.random(self.layout.channels)
        return observed(exact, self.layout, hidden, before, action, drawn)

    def _plan(self, task: Task) -> RadioPlan:
        return radio_plan(self.band, self.layout, task, self.horizon)

    def _rules(self) -> str:
        exact = not self.context["miss"] and not self.context["false_alarm"]
        return rules(self.layout, self.kinds, exact)

    def _words(self, observation: NDArray[np.float32]) -> str:
        return words(self.layout, self.kinds, observation, first=self._episode.turn == 0)

    def _info(self) -> dict[str, Any]:
        episode: Episode = self._episode
        if episode.turn == 0:
            return super()._info()
        cost = float(self.layout.hit(episode.observation[None])[0])
        return super()._info() | {"cost": cost}
