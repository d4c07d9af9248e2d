"""Small grid worlds with walls, any reward, and an exact truth. The walls are MiniGrid's `Grid`.

Rules and maps are in `layouts.py`, rewards in `grid_tasks.py`, the truth in `tabular.py`. Left
out: MiniGrid's agent-centred view, keys and doors; everything random in the dynamics.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core import ControlEnv, ControlEpisode
from zerogym.envs.control.grid_render import FACING, GridPicture
from zerogym.envs.control.grid_tasks import goal_task, grid_tasks
from zerogym.envs.control.grid_text import REQUEST, VOID, read_move, say_move, where
from zerogym.envs.control.layouts import ACTION_NAMES, LAYOUTS, STAY, greedy_policy
from zerogym.envs.control.tabular import Floats, Ints, finite_horizon_values
from zerogym.envs.control.tasks import Batch, Task
from zerogym.envs.core import MAX_ACTION_LENGTH
from zerogym.envs.spaces import Utf8Text
from zerogym.errors import NoTruth, UnknownName

View = Literal["numeric", "text"]
VIEWS = ("numeric", "text")
RANDOM_GOAL = "random_goal"


@dataclass(kw_only=True)
class Episode(ControlEpisode):
    """What changes during an episode."""

    state: int
    rewards: Floats  # (S, A)
    facing: int = 0
    values: Floats | None = None  # (horizon + 1, S), made when the oracle is first asked


class FourRoomsEnv(ControlEnv):
    """A grid of rooms, one mover, any reward.

    Description:
        The mover goes one cell a step and cannot pass walls. Layouts: `four_rooms` (9x9, 40 free
        cells), `u_map` (10x9, 45 free cells; going straight for the goal fails about half the
        time) and `four_rooms_13` (13x13, 104 free cells). Physics and reward are apart:
        `env.unwrapped.tasks` holds a hundred rewards by name, and any other can be given.

    Observation:
        `view="numeric"`: the cell as a one-hot float32 vector (S,). `view="text"`: at the start
        the task and the place in words, later only the place. Neither shows the map.

    Action:
        0 stay, 1 up, 2 right, 3 down, 4 left; into a wall is staying. `view="text"`: a reply that
        says one of the five words in `<answer>...</answer>` or as its last line; any other reply
        counts as stay and sets `info["void_turn"]`.

    Reward:
        That of the task for the transition; a goal task pays 1 for each step that ends on the goal
        and 0 else. `task=None` is reward-free: 0.

    Episode end:
        Truncated after `horizon` steps. Terminated only with `ends_at_goal`, when a goal task has
        reached its goal; else reaching it does not end the episode, so that returns of both views
        and of all tasks compare. `info["success"]` (goal tasks): the goal was reached.

    Difficulty:
        The layout.

    Arguments:
        layout: Name of the map.
        task: None; the name of a task; `random_goal` (each episode draws a goal); a
            `zerogym.envs.control.tasks.Task`; a function `reward(obs, action, next_obs) -> (B,)`
            of batches of one-hot observations (B, S) and actions (B,); or a goal, as
            (row, column) or as an observation.
        view: `numeric` or `text`.
        ends_at_goal: End the episode when a goal task reaches its goal.
        horizon: Steps in an episode.
        render_mode: None, `ansi` or `rgb_array`.

        `reset(options=...)` may pin `start` (row, column) and `task` for one episode.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/FourRooms-v0", task="goal_7_7", view="text")
        >>> print(env.reset(options={"start": (1, 1)})[0])
        Go to row 7, column 7 and stay there.
        You are at row 1, column 1. Open: right, down.
        Answer with one move: stay, up, right, down or left.
        >>> env.step("I go <answer>down</answer>")[0]
        'You are at row 2, column 1. Open: up, right, down.'

    Source:
        The four rooms of "Between MDPs and semi-MDPs" (1999, Artificial Intelligence 112), walls
        and pictures by "Minigrid & Miniworld" (2023, arXiv 2306.13831). Maps, tasks and texts ours.
    """

    random_tasks = (RANDOM_GOAL,)

    def __init__(
        self,
        layout: str = "four_rooms",
        task: Any = None,
        view: View = "numeric",
        ends_at_goal: bool = False,
        horizon: int = 50,
        render_mode: str | None = None,
    ) -> None:
        if layout not in tuple(LAYOUTS):
            raise UnknownName("layout", layout, list(LAYOUTS))
        if view not in VIEWS:
            raise UnknownName("view", view, list(VIEWS))
        self.layout = LAYOUTS[layout]
        self._one_hot = np.eye(self.num_states, dtype=np.float32)
        super().__init__(task, horizon, render_mode)
        self.view, self.ends_at_goal = view, ends_at_goal
        self.observation_space: spaces.Space[Any]
        self.action_space: spaces.Space[Any]
        if view == "text":
            self.observation_space = Utf8Text()
            self.action_space = Utf8Text(MAX_ACTION_LENGTH)
        else:
            self.observation_space = spaces.Box(0.0, 1.0, (self.num_states,), np.float32)
            self.action_space = spaces.Discrete(len(ACTION_NAMES))
        self._picture = GridPicture(self.layout, "zerogym/FourRooms-v0")

    # The world, exactly.

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The named tasks of this map."""
        return grid_tasks(self.layout.name)

    @property
    def num_states(self) -> int:
        """Number of free cells, S."""
        return len(self.layout.cells)

    @property
    def next_state(self) -> Ints:
        """(S, A): where each action leads."""
        return self.layout.next_state

    def state_of(self, obs: NDArray[Any]) -> NDArray[Any]:
        """States of one-hot observations: (S,) to a number, (B, S) to (B,)."""
        return np.asarray(obs).argmax(axis=-1)

    def observation_of(self, state: Any) -> NDArray[np.float32]:
        """One-hot observations of states: a number to (S,), (B,) to (B, S)."""
        return np.take(self._one_hot, state, axis=0)

    # The episode.

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Put the mover on a random free cell; `options` may pin `start` and `task`."""
        super().reset(seed=seed)
        options = options or {}
        task = self._pinned_task(options)
        # Both are always drawn, so that pinning one leaves the other as it was.
        start, goal = (int(n) for n in self.np_random.integers(self.num_states, size=2))
        if isinstance(task, str):
            task = goal_task(self.layout, goal)
        if "start" in options:
            start = self._state_at(options["start"], "start")
        self._episode = Episode(task=task, state=start, rewards=self._reward_table(task))
        sentence = task.text if task else "Explore."
        return self._observe(f"{sentence}\n", f"\n{REQUEST}"), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make one move.

        Raises:
            TypeError: If the view is text and the action is no string.
            ValueError: If the view is numeric and the action is not 0 to 4.
        """
        move, reading = self._read(action)
        episode: Episode = self._open_episode()
        before, made = episode.state, STAY if move is None else move
        after = int(self.next_state[before, made])
        reward = float(episode.rewards[before, made])
        episode.state = after
        if made != STAY:
            episode.facing = FACING.index(ACTION_NAMES[made])
        goal = None if episode.task is None else episode.task.goal
        on_goal = goal is not None and after == int(self.state_of(goal))
        terminated, truncated = self._count_step(on_goal, self.ends_at_goal)
        obs = self._observe(f"{VOID} " if move is None else "")
        return obs, reward, terminated, truncated, self._info() | reading

    def oracle_action(self) -> Any:
        """A move of the policy with the highest return until the horizon, by value iteration."""
        episode: Episode = self._running()
        if episode.task is None:
            raise NoTruth(f"{self.name} is reward-free: an oracle needs a task")
        if episode.values is None:
            episode.values = finite_horizon_values(self.next_state, episode.rewards, self.horizon)
        later = episode.values[max(self.horizon - episode.turn - 1, 0)]  # (S,)
        returns = episode.rewards[episode.state] + later[self.next_state[episode.state]]  # (A,)
        # Sums in another order differ in the last digits; they are ties all the same.
        best = np.flatnonzero(returns >= returns.max() - 1e-9)
        return self._say(int(best[0]))

    def random_action(self, rng: np.random.Generator) -> Any:
        """One of the five moves, at random."""
        return self._say(int(rng.integers(len(ACTION_NAMES))))

    def straight_line_action(self, rng: np.random.Generator) -> Any:
        """The baseline that ignores walls (`greedy_policy`); needs a goal task."""
        episode: Episode = self._running()
        if episode.task is None or episode.task.goal is None:
            raise NoTruth(f"{self.name}: the straight line needs a goal task")
        policy = greedy_policy(self.layout, int(self.state_of(episode.task.goal)))
        return self._say(int(rng.choice(len(ACTION_NAMES), p=policy[episode.state])))

    def render(self) -> Any:
        """The map: an image (H, W, 3) or characters; goals and penalties of the task shown."""
        if self.render_mode is None or self._episode is None:
            return None
        episode: Episode = self._episode
        cell, pays = self.layout.cells[episode.state], episode.rewards[:, STAY]
        if self.render_mode == "ansi":
            return self._picture.ansi(cell, pays)
        return self._picture.rgb(cell, episode.facing, pays)

    def _read(self, action: Any) -> tuple[int | None, dict[str, Any]]:
        """The move, None if it cannot be read, and what `info` says about the reading."""
        if self.view == "text":
            if not isinstance(action, str):
                raise TypeError(f"{self.name} takes a str as action, got {type(action).__name__}")
            move, found = read_move(action)
            return move, {"answer_format": found, "void_turn": move is None}
        if isinstance(action, str) or not self.action_space.contains(action):
            raise ValueError(
                f"{self.name}: action must be an integer from 0 to {len(ACTION_NAMES) - 1}, "
                f"got {str(action)[:40]!r}"
            )
        return int(action), {}

    def _say(self, action: int) -> Any:
        return say_move(action) if self.view == "text" else np.int64(action)

    def _observe(self, before: str = "", after: str = "") -> Any:
        state = self._episode.state
        if self.view == "text":
            return f"{before}{where(self.layout, state)}{after}"
        return self.observation_of(state)

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        """The task of a goal given as (row, column) or as a one-hot observation."""
        if goal.shape == (self.num_states,):
            state = int(goal.argmax())
            if not np.array_equal(goal, self.observation_of(state)):
                raise ValueError(f"{self.name}: a goal observation must be one-hot")
        else:
            state = self._state_at(goal, "goal")
        return goal_task(self.layout, state)

    def _state_at(self, cell: Any, what: str) -> int:
        """The state of a free cell (row, column)."""
        try:
            row, column = np.asarray(cell, dtype=np.float64).tolist()
            return self.layout.index[row, column]
        except (TypeError, ValueError, KeyError):
            raise ValueError(
                f"{self.name}: {what} must be the (row, column) of a free cell, "
                f"got {str(cell)[:60]}"
            ) from None

    def _transitions(self) -> Batch:
        """Every transition of the world once, (S * A) of each."""
        states = np.repeat(np.arange(self.num_states), len(ACTION_NAMES))
        actions = np.tile(np.arange(len(ACTION_NAMES)), self.num_states)
        after = self.next_state.ravel()
        return self.observation_of(states), actions, self.observation_of(after)

    def _reward_table(self, task: Task | None) -> Floats:
        """(S, A): what the task pays for each transition."""
        if task is None:
            return np.zeros(self.next_state.shape)
        return task.relabel(*self._transitions()).reshape(self.next_state.shape)
