"""Base class of tabular environments: episodes in an exact model, two views, and an oracle.

A subclass provides its MDP (`TabularMDP`), its tasks, and descriptions of its states. Left out:
environments whose model does not fit in memory.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Library
from zerogym.envs.control.core.discrete_actions import (
    NumberedActions,
    check_view,
    move_request,
    parse_action,
)
from zerogym.envs.control.core.env import ControlEpisode
from zerogym.envs.control.core.tasks import Batch, Task
from zerogym.envs.control.tabular.batched import BatchedTabular
from zerogym.envs.control.tabular.dynamic_programming import (
    Floats,
    Ints,
    expected,
    finite_horizon_values,
)
from zerogym.envs.control.tabular.layouts import ACTION_NAMES, STAY, Cell, Layout
from zerogym.envs.control.tabular.mdp import TabularMDP
from zerogym.envs.control.tabular.render import FACING, GridPicture, Scene

View = Literal["numeric", "text"]
VIEWS = ("numeric", "text")
RANDOM_GOAL = "random_goal"
_TIE = 1e-9  # sums in another order differ in the last digits; they are ties all the same


@dataclass(kw_only=True)
class TabularEpisode(ControlEpisode):
    """The state of an episode, and the tables of its task."""

    state: int
    rewards: Floats  # (S, A, K)
    expected_rewards: Floats  # (S, A)
    on_goal: NDArray[np.bool_]  # (S,)
    facing: int = 0
    # (horizon + 1, S) each, computed at the first call of `TabularEnv.oracle_action`.
    values: list[Floats] = field(default_factory=list)


class TabularEnv(NumberedActions):
    """An environment with finitely many states and an exact model.

    Action:
        0 stay, 1 up, 2 right, 3 down, 4 left; into a wall is staying. `view="text"`: a reply that
        names one of the five words in `<answer>...</answer>` or as its last line; any other reply
        counts as stay and sets `info["void_turn"]`.

    Arguments:
        view: `numeric` or `text`.
        ends_at_goal: End the episode when a goal task reaches its goal.
        horizon: Steps in an episode.
        render_mode: None, `ansi` or `rgb_array`.
    """

    action_names = ACTION_NAMES
    # Direction of the mover after each action, an index of `render.FACING`; None leaves it.
    facings: ClassVar[tuple[int | None, ...]] = tuple(
        FACING.index(name) if name in FACING else None for name in ACTION_NAMES
    )
    void_action: ClassVar[int] = STAY  # of a reply that names no action
    void_text: ClassVar[str] = "That is not a move, so you stay."

    def __init__(
        self,
        mdp: TabularMDP,
        task: Any,
        view: View,
        ends_at_goal: bool,
        horizon: int,
        render_mode: str | None,
    ) -> None:
        check_view(view, VIEWS)
        self.mdp = mdp
        super().__init__(task, horizon, render_mode)
        self.view, self.ends_at_goal = view, ends_at_goal
        self._set_spaces(mdp.observations.shape[1])

    @property
    def num_states(self) -> int:
        """Number of states, S."""
        return len(self.mdp.outcomes)

    @property
    def next_state(self) -> Ints:
        """The next states (S, A); ValueError if the MDP is stochastic."""
        if not self.mdp.is_deterministic:
            raise ValueError(f"{self.name}: transitions are stochastic, use P")
        return self.mdp.outcomes[:, :, 0]

    @property
    def P(self) -> Floats:
        """P[s, a, s'], the transition probabilities; (S, A, S)."""
        return self.mdp.probabilities

    @property
    def R(self) -> Floats:
        """The expected reward of the episode's task for each state and action; (S, A)."""
        rewards: Floats = self._running().expected_rewards
        return rewards

    def reward_of(self, task: Task) -> Floats:
        """Return the expected rewards of any task; (S, A)."""
        return self.mdp.average(self.mdp.reward_table(task))

    def observation_of(self, state: Any) -> NDArray[np.float32]:
        """Return observations of states: a number to (k,), (B,) to (B, k)."""
        return np.take(self.mdp.observations, state, axis=0)

    def batched(
        self, n: int, library: Library = "numpy", device: str | None = None
    ) -> BatchedTabular:
        """Return `n` copies of this environment, with its task and horizon, stepped together.

        Args:
            n: Number of copies.
            library: Array library, `numpy` or `torch`.
            device: Device of torch's tensors.
        """
        if isinstance(self._task, str):
            raise ValueError(f"{self.name}: {self._task!r} draws a task for each episode; name one")
        ends = self.ends_at_goal
        return BatchedTabular(self.mdp, n, self._task, self.horizon, ends, library, device)

    @abstractmethod
    def _map(self) -> Layout:
        """Return the layout of the pictures."""

    @abstractmethod
    def _scene(self) -> Scene:
        """Return the mover's cell in that layout, and the reward of each of its cells."""

    @abstractmethod
    def _where(self, state: int) -> str:
        """Return the observation of a state in words."""

    @property
    def _cells(self) -> Sequence[Cell]:
        """(row, column) of each place, in the order of the states."""
        return self._map().cells

    def _place_at(self, given: Any, what: str) -> int:
        """Return the index of a place that a user gave as (row, column)."""
        try:
            row, column = np.asarray(given, dtype=np.float64).tolist()
            return self._cells.index((row, column))
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"{self.name}: {what} must be the (row, column) of a free cell, from "
                f"{self._cells[0]} to {self._cells[-1]}, got {str(given)[:60]}"
            ) from None

    def _start_of(self, given: Any) -> int:
        """Return the state of the reset option `start`; ValueError if there is none."""
        return self._place_at(given, "start")

    def _goal_place(self, goal: NDArray[Any], places: int) -> int:
        """Return the index of a goal given as a place or as the one-hot vector of one."""
        if goal.shape == (places,) and np.array_equal(goal, np.eye(places)[goal.argmax()]):
            return int(goal.argmax())
        return self._place_at(goal, "goal")

    def _sentence(self, task: Task | None) -> str:
        """Return the first lines of an episode in the text view."""
        return task.text if task else "Explore."

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin in one of the start states; `options` may pin `start` and `task`."""
        options, task = self._seeded(seed, options)
        # Both are always drawn, so that pinning one leaves the other unchanged.
        start = self.mdp.starts[int(self.np_random.integers(len(self.mdp.starts)))]
        goal = int(self.np_random.integers(self.num_states))
        if isinstance(task, str):
            task = self._task_of_goal(self.observation_of(goal))
        if "start" in options:
            start = self._start_of(options["start"])
        rewards = self.mdp.reward_table(task)
        self._episode = TabularEpisode(
            task=task,
            state=start,
            rewards=rewards,
            expected_rewards=self.mdp.average(rewards),
            on_goal=self.mdp.on_goal(task),
        )
        words = f"{self._sentence(task)}\n", f"\n{move_request(self.action_names)}"
        return self._observe(*words), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Do one action.

        Raises:
            TypeError: If the view is text and the action is no string.
            ValueError: If the view is numeric and there is no such action.
        """
        move, reading = parse_action(self.name, action, self.action_space, self._parse)
        episode: TabularEpisode = self._open_episode()
        before, chosen = episode.state, self.void_action if move is None else move
        outcome = self.mdp.draw(before, chosen, self.np_random)
        after = int(self.mdp.outcomes[before, chosen, outcome])
        reward = float(episode.rewards[before, chosen, outcome])
        episode.state = after
        facing = self.facings[chosen]
        episode.facing = episode.facing if facing is None else facing
        terminated, truncated = self._count_step(bool(episode.on_goal[after]), self.ends_at_goal)
        if after in self.mdp.terminal:
            terminated, truncated, episode.over = True, False, True
        obs = self._observe(f"{self.void_text} " if move is None else "")
        return obs, reward, terminated, truncated, self._info() | reading

    def oracle_action(self) -> Any:
        """Return an action of the policy with the highest return until the horizon.

        Computed by value iteration on the state, also where the observation does not show it. If
        the goal ends the episode, many paths may have the same return: among those, the action with
        the highest return in the MDP that goes on at the goal is chosen, which is the shortest.
        """
        episode: TabularEpisode = self._rewarded()
        dynamics, rewards = self.mdp.dynamics, episode.expected_rewards
        ends = (episode.on_goal, np.zeros_like(episode.on_goal))
        finals = ends if self.ends_at_goal and episode.on_goal.any() else ends[1:]
        if not episode.values:
            episode.values = [
                finite_horizon_values(dynamics, rewards, self.horizon, final=final)
                for final in finals
            ]
        here, best = slice(episode.state, episode.state + 1), np.arange(len(self.action_names))
        for values, final in zip(episode.values, finals, strict=True):
            later = ~final * values[max(self.horizon - episode.turn - 1, 0)]  # (S,)
            returns = (rewards[here] + expected(dynamics[here], later))[0][best]
            best = best[returns >= returns.max() - _TIE]
        return self._reply(int(best[0]))

    @cached_property
    def _grid(self) -> GridPicture:
        """Pictures of the map, made when the id of the environment is known."""
        return GridPicture(self._map(), self.name)

    def _picture(self, episode: Any) -> Any:
        """Return the map with the task's goals and penalties: an image (H, W, 3) or characters."""
        cell, rewards = self._scene()
        if self.render_mode == "ansi":
            return self._grid.ansi(cell, rewards)
        return self._grid.rgb(cell, episode.facing, rewards)

    def _observe(self, before: str = "", after: str = "") -> Any:
        state = self._episode.state
        if self.view == "text":
            return f"{before}{self._where(state)}{after}"
        return self.observation_of(state)

    def _transitions(self) -> Batch:
        return self.mdp.transitions()
