"""What worlds of chance share that an agent watches: it is in their weather and makes none of it.

A hidden process moves by itself; the agent picks one of a few actions, and is paid by what it did
and what came. Since nothing that it does changes what comes, a filter of the past says all that can
be known, whoever acts. Both views, contexts, snapshots; a world says its process and its words.
Many copies at once: `batched.py`. Left out: goals.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.contexts import Constant, complete_context
from zerogym.envs.control.core.discrete_actions import (
    ParsedMove,
    move_reply,
    move_request,
    parse_action,
    parse_move,
)
from zerogym.envs.control.core.env import RESET_OPTIONS, ControlEnv, ControlEpisode
from zerogym.envs.control.core.tasks import Batch, Task
from zerogym.envs.core import MAX_ACTION_LENGTH
from zerogym.envs.spaces import Utf8Text
from zerogym.errors import NoOracle, UnknownName

View = Literal["numeric", "text"]
VIEWS = ("numeric", "text")
PROBES = 32  # made-up transitions on which a user's reward is tried
TIE = 1e-9  # sums in another order differ in the last digits; they are ties all the same


@dataclass(kw_only=True)
class Episode(ControlEpisode):
    """What changes during an episode."""

    context: dict[str, float]
    hidden: tuple[int, ...]  # the state of the process
    observation: NDArray[np.float32]
    past: list[NDArray[np.float32]] = field(default_factory=list)  # all observations until now
    belief: NDArray[np.float64] | None = None  # after the first `read` of them
    read: int = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> "Episode":
        """Tasks, beliefs and past observations are never changed, and stay themselves."""
        return replace(self, context=dict(self.context), past=list(self.past))


class ExogenousEnv(ControlEnv):
    """A hidden process, and an agent beside it.

    Args:
        task: As of every control world.
        context: Values for some of the constants.
        view: `numeric` or `text`.
        horizon: Steps in an episode.
        render_mode: None or one of the class's modes.
        actions: Their names; the first is done where a reply is no action.
        space: Of the numeric observations.
    """

    constants: ClassVar[Mapping[str, Constant]]
    _numeric_space: spaces.Box

    def __init__(
        self,
        task: Any,
        context: Mapping[str, float] | None,
        view: View,
        horizon: int,
        render_mode: str | None,
        actions: tuple[str, ...],
        space: spaces.Box,
    ) -> None:
        if view not in VIEWS:
            raise UnknownName("view", view, list(VIEWS))
        self._own_context = complete_context(self.constants, context, self.name)
        self._numeric_space = space
        self.view, self.action_names = view, actions
        self.observation_space: spaces.Space[Any] = space
        self.action_space: spaces.Space[Any] = spaces.Discrete(len(actions))
        if view == "text":
            self.observation_space = Utf8Text()
            self.action_space = Utf8Text(MAX_ACTION_LENGTH)
        super().__init__(task, horizon, render_mode)

    @abstractmethod
    def _first(self, start: Any, context: Mapping[str, float]) -> tuple[int, ...]:
        """Draw the first state of the process, then pin it if `start` is not None.

        Raises:
            ValueError: If there is no such start.
        """

    @abstractmethod
    def _seen_first(
        self, hidden: tuple[int, ...], context: Mapping[str, float]
    ) -> NDArray[np.float32]:
        """The first observation (n,)."""

    @abstractmethod
    def _advance(self, action: int) -> tuple[tuple[int, ...], NDArray[np.float32]]:
        """Draw what comes: the next state of the process, and the observation (n,) of it."""

    @abstractmethod
    def _values(self) -> NDArray[np.float64]:
        """What each action is worth to the oracle, (A,), from `self._episode`."""

    @abstractmethod
    def _rules(self) -> str:
        """What the text view says of the world at the start of an episode."""

    @abstractmethod
    def _words(self, observation: NDArray[np.float32]) -> str:
        """An observation in words."""

    @property
    def context(self) -> dict[str, float]:
        """All constants of this episode; before the first, those of the environment."""
        return dict(self._own_context if self._episode is None else self._episode.context)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """A random start; `options` may pin `start`, `task` and `context`."""
        super().reset(seed=seed)
        options = self._reset_options(options, (*RESET_OPTIONS, "context"))
        task = self._pinned_task({"task": options["task"]} if "task" in options else {})
        assert not isinstance(task, str)  # these worlds have no `random_tasks`
        context = self._own_context
        if "context" in options:
            context = complete_context(self.constants, options["context"], self.name)
        hidden = self._first(options.get("start"), context)
        seen = self._seen_first(hidden, context)
        self._episode = Episode(
            task=task, context=dict(context), hidden=hidden, observation=seen, past=[seen]
        )
        if self.view == "numeric":
            return seen.copy(), self._info()
        sentence = task.text if task else "Watch."
        asked = move_request(self.action_names)
        return f"{sentence}\n{self._rules()}\n{self._words(seen)}\n{asked}", self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Do one action.

        Raises:
            TypeError: If the view is text and the action is no string.
            ValueError: If the view is numeric and there is no such action.
        """
        move, reading = parse_action(self.name, action, self.action_space, self._read)
        episode: Episode = self._open_episode()
        made, before, task = move or 0, episode.observation, episode.task
        episode.hidden, after = self._advance(made)
        episode.observation = after
        episode.past.append(after)
        reward = 0.0
        if task is not None:
            reward = float(task.relabel(before[None], np.array([made]), after[None])[0])
        terminated, truncated = self._count_step(False)
        info = self._info() | reading
        if self.view == "numeric":
            return after.copy(), reward, terminated, truncated, info
        void = f"That is no move, so you take `{self.action_names[0]}`. " if move is None else ""
        return void + self._words(after), reward, terminated, truncated, info

    def oracle_action(self) -> Any:
        """The best action for what the past tells; see `Description`."""
        if self._running().task is None:
            raise NoOracle(f"{self.name} is reward-free: an oracle needs a task")
        values = self._values()
        return self._say(int(np.flatnonzero(values >= values.max() - TIE)[0]))

    def random_action(self, rng: np.random.Generator) -> Any:
        """One of the actions, at random."""
        return self._say(int(rng.integers(len(self.action_names))))

    def _read(self, reply: str) -> ParsedMove:
        return parse_move(reply, self.action_names)

    def _say(self, action: int) -> Any:
        return move_reply(action, self.action_names) if self.view == "text" else np.int64(action)

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        raise ValueError(
            f"{self.name}: there are no goals in this world; give a reward instead of the goal "
            f"{str(goal)[:60]}"
        )

    def _transitions(self) -> Batch:
        """Observations that are drawn from all the space."""
        space, rng = self._numeric_space, np.random.default_rng(0)
        low, high = np.maximum(space.low, -10.0), np.minimum(space.high, 10.0)
        seen = rng.uniform(low, high, (2 * PROBES, *low.shape)).astype(np.float32)
        return seen[:PROBES], rng.integers(len(self.action_names), size=PROBES), seen[PROBES:]


def check_whole(what: str, value: Any, limits: tuple[int, int]) -> None:
    """Refuse what is no integer between two limits.

    Raises:
        ValueError: If so.
    """
    low, high = limits
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not low <= value <= high:
        raise ValueError(f"{what} must be an integer from {low} to {high}, got {value!r}")
