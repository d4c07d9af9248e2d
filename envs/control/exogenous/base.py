"""The base of exogenous MDPs: a hidden process that no action changes, and an agent.

A hidden process moves by itself; the agent picks one of a few actions, and its reward depends on
that and on the next observation. No action changes the process, so a filter of past observations is
a sufficient statistic under any policy. Subclasses define the process and its texts. Many copies at
once: `batched.py`. Left out: goals.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Floats
from zerogym.envs.control.core.discrete_actions import (
    NumberedActions,
    check_view,
    move_request,
    parse_action,
)
from zerogym.envs.control.core.env import ContextEnv, ContextEpisode
from zerogym.envs.control.core.tasks import Batch, Task

View = Literal["numeric", "text"]
VIEWS = ("numeric", "text")
PROBES = 32  # made-up transitions on which a user's reward is tried
TIE = 1e-9  # sums in another order differ in the last digits; they are ties all the same


@dataclass(kw_only=True)
class Episode(ContextEpisode):
    """All that changes during an episode."""

    hidden: tuple[int, ...]  # the state of the process
    past: list[NDArray[np.float32]] = field(default_factory=list)  # all observations so far
    belief: Floats | None = None  # after the first `read` of them
    read: int = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> "Episode":
        """Copy the list of the past alone: all else is never written into."""
        return replace(self, past=list(self.past))


class ExogenousEnv(ContextEnv, NumberedActions):
    """A hidden process, and an agent beside it.

    Args:
        task: As of `ControlEnv`.
        context: Values for some of the constants.
        view: `numeric` or `text`.
        horizon: Steps in an episode.
        render_mode: None or one of the class's modes.
        actions: Their names; the first is taken where a reply is no action.
        space: The space of numeric observations.
    """

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
        check_view(view, VIEWS)
        self._numeric_space = space
        self.view, self.action_names = view, actions
        self._set_spaces(space.shape[0], space.low, space.high)
        super().__init__(task, context, horizon, render_mode)

    @abstractmethod
    def _first(self, start: Any, context: Mapping[str, float]) -> tuple[int, ...]:
        """Draw the first state of the process; then replace it with `start`, if not None.

        Raises:
            ValueError: If `start` is no state.
        """

    @abstractmethod
    def _first_observation(
        self, hidden: tuple[int, ...], context: Mapping[str, float]
    ) -> NDArray[np.float32]:
        """Return the first observation (n,)."""

    @abstractmethod
    def _advance(self, action: int) -> tuple[tuple[int, ...], NDArray[np.float32]]:
        """Draw the next state of the process and its observation (n,)."""

    @abstractmethod
    def belief(self) -> Any:
        """Return the filter's belief about the process after the past of this episode."""

    @abstractmethod
    def _plan(self, task: Task) -> Any:
        """Return the oracle's plan, with `worth(belief, observation, left) -> (A,)`."""

    @abstractmethod
    def _draw(self, past: list[NDArray[np.float32]]) -> Any:
        """Draw the past of an episode, as an image or characters."""

    @abstractmethod
    def _rules(self) -> str:
        """Describe the environment for the text view, at the start of an episode."""

    @abstractmethod
    def _words(self, observation: NDArray[np.float32]) -> str:
        """Describe an observation in words."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Draw a start; `options` may pin `start`, `task` and `context`."""
        options, task, context = self._begin(seed, options)
        hidden = self._first(options.get("start"), context)
        first = self._first_observation(hidden, context)
        self._episode = Episode(
            task=task, context=context, hidden=hidden, observation=first, past=[first]
        )
        if self.view == "numeric":
            return first.copy(), self._info()
        sentence = task.text if task else "Watch."
        lines = sentence, self._rules(), self._words(first), move_request(self.action_names)
        return "\n".join(lines), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one action.

        Raises:
            TypeError: If the view is text and the action is no string.
            ValueError: If the view is numeric and the action does not exist.
        """
        move, reading = parse_action(self.name, action, self.action_space, self._parse)
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

    def _picture(self, episode: Episode) -> Any:
        """Draw the observations of this episode, newest last."""
        return self._draw(episode.past)

    def oracle_action(self) -> Any:
        """Return the best action for the belief; see `Description`.

        Raises:
            NoOracle: If the environment is reward-free.
        """
        episode = self._rewarded()
        left = max(self.horizon - episode.turn, 1)
        values = self._plan(episode.task).worth(self.belief(), episode.observation, left)
        return self._reply(int(np.flatnonzero(values >= values.max() - TIE)[0]))

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        raise ValueError(
            f"{self.name}: there are no goals in this world; give a reward instead of the goal "
            f"{str(goal)[:60]}"
        )

    def _transitions(self) -> Batch:
        space, rng = self._numeric_space, np.random.default_rng(0)
        low, high = np.maximum(space.low, -10.0), np.minimum(space.high, 10.0)
        rows = rng.uniform(low, high, (2 * PROBES, *low.shape)).astype(np.float32)
        return rows[:PROBES], rng.integers(len(self.action_names), size=PROBES), rows[PROBES:]
