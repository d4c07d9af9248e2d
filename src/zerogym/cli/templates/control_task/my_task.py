"""Places in a ring: a control environment with an exact model."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control import Layout, Scene, StateReward, TabularEnv, Task, deterministic_mdp

STAY, LEFT, RIGHT = 0, 1, 2


class MyTaskEnv(TabularEnv):
    """Walk around a ring of places.

    Description:
        The walker stays, or goes left or right around a ring; an episode begins at the first
        place. The model is exact: `P` (S, A, S) and `R` (S, A).

    Observation:
        `view="numeric"`: the place, one-hot, float32 (S,). `view="text"`: the task and the place
        in words.

    Action:
        0 stay, 1 left, 2 right; `view="text"`: one of these words in `<answer>...</answer>`.

    Reward:
        Task `goal_1`, `goal_2`, ...: 1 for each step that ends at that place. `task=None`: 0.

    Episode end:
        Truncated after `horizon` steps; terminated at the goal with `ends_at_goal`.

    Arguments:
        size: Places of the ring, at least 3.
        task: None, a name, or anything else that control environments take.
    """

    default_task = "random_goal"
    random_tasks = ("random_goal",)
    action_names = ("stay", "left", "right")
    facings = (None, 2, 0)  # in pictures: right, down, left, up
    void_action = STAY

    def __init__(
        self,
        size: int = 8,
        task: Any = "default",
        view: Any = "numeric",
        ends_at_goal: bool = False,
        horizon: int = 12,
        render_mode: str | None = None,
    ) -> None:
        if isinstance(size, bool) or not isinstance(size, int) or not 3 <= size <= 100:
            raise ValueError(f"size must be an integer from 3 to 100, got {size!r}")
        self.size = size
        places = np.arange(size)
        after = np.stack([places, (places - 1) % size, (places + 1) % size], axis=1)  # (S, A)
        mdp = deterministic_mdp(after, np.eye(size, dtype=np.float32), starts=(0,))
        super().__init__(mdp, task, view, ends_at_goal, horizon, render_mode)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """A goal at each place."""
        return _tasks(self.size)

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        return self.tasks[f"goal_{self._goal_place(goal, self.size) + 1}"]

    def _place_at(self, given: Any, what: str) -> int:
        """Return the state of a place's number, counted from 1."""
        if given not in range(1, self.size + 1):
            raise ValueError(f"{self.name}: {what} must be from 1 to {self.size}, got {given!r}")
        return int(given) - 1

    def _where(self, state: int) -> str:
        return f"You are at place {state + 1} of {self.size} in a ring."

    def _map(self) -> Layout:
        border = "#" * (self.size + 2)
        return Layout("ring", (border, f"#{' ' * self.size}#", border))

    def _scene(self) -> Scene:
        reward = self._episode.expected_rewards[:, STAY]
        return (1, 1 + self._episode.state), reward


@cache
def _tasks(size: int) -> dict[str, Task]:
    goals = np.eye(size)
    return {
        f"goal_{place + 1}": Task(
            f"goal_{place + 1}",
            f"Go to place {place + 1} and stay there.",
            StateReward(goals[place]),
            goals[place].astype(np.float32),
        )
        for place in range(size)
    }


gym.register("my_task/MyTask-v0", entry_point="my_task:MyTaskEnv")
