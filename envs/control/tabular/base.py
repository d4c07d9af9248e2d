"""What all finite worlds share: episodes in an exact model, both views, and the truth.

A world of this kind says its states (`TabularMDP`), its tasks and how a state is said in words.
Left out: worlds whose model does not fit in memory.
"""

from abc import abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Library
from zerogym.envs.control.core.discrete_actions import (
    ParsedMove,
    move_reply,
    move_request,
    parse_action,
    parse_move,
)
from zerogym.envs.control.core.env import ControlEnv
from zerogym.envs.control.core.tasks import Batch, Task
from zerogym.envs.control.tabular.batched import BatchedTabular
from zerogym.envs.control.tabular.dynamic_programming import (
    Floats,
    Ints,
    expected,
    finite_horizon_values,
)
from zerogym.envs.control.tabular.episode import TabularEpisode, begin
from zerogym.envs.control.tabular.layouts import Layout
from zerogym.envs.control.tabular.mdp import TabularMDP
from zerogym.envs.control.tabular.render import GridPicture, Scene
from zerogym.envs.core import MAX_ACTION_LENGTH
from zerogym.envs.spaces import Utf8Text
from zerogym.errors import NoOracle, UnknownName

View = Literal["numeric", "text"]
VIEWS = ("numeric", "text")
RANDOM_GOAL = "random_goal"
_TIE = 1e-9  # sums in another order differ in the last digits; they are ties all the same


class TabularEnv(ControlEnv):
    """A world of finitely many states, with the exact model at hand.

    Args:
        world: The states, and what may follow.
        task: As of every control world.
        view: `numeric` or `text`.
        ends_at_goal: End the episode when a goal task reaches its goal.
        horizon: Steps in an episode.
        render_mode: None or one of the class's modes.
    """

    action_names: ClassVar[tuple[str, ...]]
    facings: ClassVar[tuple[int | None, ...]]  # of the mover after each action, see `grid_render`
    void_action: ClassVar[int]  # what is done where a reply is no action
    void_text: ClassVar[str]

    def __init__(
        self,
        world: TabularMDP,
        task: Any,
        view: View,
        ends_at_goal: bool,
        horizon: int,
        render_mode: str | None,
    ) -> None:
        if view not in VIEWS:
            raise UnknownName("view", view, list(VIEWS))
        self.world = world
        super().__init__(task, horizon, render_mode)
        self.view, self.ends_at_goal = view, ends_at_goal
        self.observation_space: spaces.Space[Any]
        self.action_space: spaces.Space[Any]
        if view == "text":
            self.observation_space = Utf8Text()
            self.action_space = Utf8Text(MAX_ACTION_LENGTH)
        else:
            width = world.observations.shape[1]
            self.observation_space = spaces.Box(0.0, 1.0, (width,), np.float32)
            self.action_space = spaces.Discrete(len(self.action_names))
        self._picture: Any = GridPicture(self._map(), self.name) if render_mode else None

    # The world, exactly.

    @property
    def num_states(self) -> int:
        """Number of states, S."""
        return len(self.world.outcomes)

    @property
    def next_state(self) -> Ints:
        """(S, A): where each action leads; ValueError if that is random."""
        if not self.world.is_deterministic:
            raise ValueError(f"{self.name}: where an action leads is random here, use P")
        return self.world.outcomes[:, :, 0]

    @property
    def P(self) -> Floats:
        """P[s, a, s'], how likely each state follows; (S, A, S)."""
        return self.world.probabilities

    @property
    def R(self) -> Floats:
        """The expected reward of the episode's task for each state and action; (S, A)."""
        rewards: Floats = self._running().expected_rewards
        return rewards

    def reward_of(self, task: Task) -> Floats:
        """The expected reward of any task; (S, A)."""
        return self.world.average(self.world.reward_table(task))

    def observation_of(self, state: Any) -> NDArray[np.float32]:
        """Observations of states: a number to (k,), (B,) to (B, k)."""
        return np.take(self.world.observations, state, axis=0)

    def batched(
        self, n: int, library: Library = "numpy", device: str | None = None
    ) -> BatchedTabular:
        """Many copies of this world, with its task and horizon, stepped together.

        Args:
            n: How many.
            library: Whose arrays: `numpy` or `torch`.
            device: Where torch's tensors are.
        """
        if isinstance(self._task, str):
            raise ValueError(f"{self.name}: {self._task!r} draws a task for each episode; name one")
        ends = self.ends_at_goal
        return BatchedTabular(self.world, n, self._task, self.horizon, ends, library, device)

    # What a world says of itself.

    @abstractmethod
    def _map(self) -> Layout:
        """The drawing of its pictures."""

    @abstractmethod
    def _scene(self) -> Scene:
        """The mover's place in that drawing, and what its places pay."""

    @abstractmethod
    def _where(self, state: int) -> str:
        """What is seen in a state, in words."""

    @abstractmethod
    def _start_of(self, given: Any) -> int:
        """The state that the reset option `start` means; ValueError if there is none."""

    def _sentence(self, task: Task | None) -> str:
        """What the text view says at the start of an episode."""
        return task.text if task else "Explore."

    # The episode.

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin in one of the start states; `options` may pin `start` and `task`."""
        super().reset(seed=seed)
        options = options or {}
        task = self._pinned_task(options)
        # Both are always drawn, so that pinning one leaves the other as it was.
        start = self.world.starts[int(self.np_random.integers(len(self.world.starts)))]
        goal = int(self.np_random.integers(self.num_states))
        if isinstance(task, str):
            task = self._task_of_goal(self.observation_of(goal))
        if "start" in options:
            start = self._start_of(options["start"])
        self._episode = begin(self.world, start, task)
        words = f"{self._sentence(task)}\n", f"\n{move_request(self.action_names)}"
        return self._observe(*words), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Do one action.

        Raises:
            TypeError: If the view is text and the action is no string.
            ValueError: If the view is numeric and there is no such action.
        """
        move, reading = parse_action(self.name, action, self.action_space, self._read)
        episode: TabularEpisode = self._open_episode()
        before, made = episode.state, self.void_action if move is None else move
        outcome = self.world.draw(before, made, self.np_random)
        after = int(self.world.outcomes[before, made, outcome])
        reward = float(episode.rewards[before, made, outcome])
        episode.state = after
        facing = self.facings[made]
        episode.facing = episode.facing if facing is None else facing
        terminated, truncated = self._count_step(bool(episode.on_goal[after]), self.ends_at_goal)
        if after in self.world.terminal:
            terminated, truncated, episode.over = True, False, True
        obs = self._observe(f"{self.void_text} " if move is None else "")
        return obs, reward, terminated, truncated, self._info() | reading

    def oracle_action(self) -> Any:
        """An action of the policy with the highest return until the horizon, by value iteration.

        It knows the state, also where the observation does not tell it. Where the goal ends the
        episode, many ways may earn the same, as all do that reach a goal which pays once: of
        those, it goes the one on which it would earn most if the episode went on, the shortest.
        """
        episode: TabularEpisode = self._running()
        if episode.task is None:
            raise NoOracle(f"{self.name} is reward-free: an oracle needs a task")
        dynamics, rewards = self.world.dynamics, episode.expected_rewards
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
        return self._say(int(best[0]))

    def random_action(self, rng: np.random.Generator) -> Any:
        """One of the actions, at random."""
        return self._say(int(rng.integers(len(self.action_names))))

    def render(self) -> Any:
        """The map: an image (H, W, 3) or characters; goals and penalties of the task shown."""
        if self.render_mode is None or self._episode is None:
            return None
        cell, pays = self._scene()
        if self.render_mode == "ansi":
            return self._picture.ansi(cell, pays)
        return self._picture.rgb(cell, self._episode.facing, pays)

    def _read(self, reply: str) -> ParsedMove:
        return parse_move(reply, self.action_names)

    def _say(self, action: int) -> Any:
        return move_reply(action, self.action_names) if self.view == "text" else np.int64(action)

    def _observe(self, before: str = "", after: str = "") -> Any:
        state = self._episode.state
        if self.view == "text":
            return f"{before}{self._where(state)}{after}"
        return self.observation_of(state)

    def _transitions(self) -> Batch:
        return self.world.transitions()
