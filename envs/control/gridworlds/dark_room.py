"""A room with a hidden goal: it must be found, and remembered over episodes.

The grid is that of `four_rooms.py`. Left out: the key and the door of the papers' second room;
the optimal search for an unobserved goal (the oracle uses the goal).
"""

from dataclasses import replace
from typing import Any

from zerogym.envs.control.core.env import DEFAULT
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.gridworlds.four_rooms import FourRoomsEnv
from zerogym.envs.control.tabular.base import View
from zerogym.envs.control.tabular.layouts import OPEN_SIDES

HIDDEN = "Somewhere in this room it pays to be. You cannot see where; find it and stay there."


class DarkRoomEnv(FourRoomsEnv):
    r"""An empty room with a goal that only the reward reveals.

    Description:
        The mover begins in the middle of a square room and observes its own place, not the goal.
        An agent that plays several episodes with one goal can search in the first and go straight
        there in the later ones: that is learning in context. So `task="goal_1_7"` keeps the goal
        for all episodes, and `task="random_goal"` draws one for each; to draw one for several,
        give `options={"task": ...}` to `reset`. The model is exact: `P` (S, A, S), `R` (S, A),
        `next_state` (S, A).

    Observation:
        `view="numeric"`: the cell as a one-hot float32 vector (S,). `view="text"`: the place in
        words; the sentence at the start does not name the goal. `info["category"]` does: it is
        for evaluation, not for the agent.

    Reward:
        1 for each step that ends on the goal, else 0; all tasks of open grids can be given.
        `task=None`: 0. Features: `row`, `column`, `walls` (number of the four sides).

    Episode end:
        Truncated after `horizon` steps. With `ends_at_goal` terminated on the goal, so that
        its reward comes once: the hard room of the paper, which goes on with reward 0 and has the
        same returns.
        `info["success"]`: the goal was reached.

    Difficulty:
        The size.

    Arguments:
        size: Cells a side, odd, 3 to 31.
        task: None; a name such as `goal_1_7`; `random_goal`; a
            `zerogym.envs.control.core.tasks.Task`; an expression of features and tasks; a function
            `reward(obs, action, next_obs) -> (B,)` of batches of one-hot observations (B, S) and
            actions (B,), or `reward(features, action) -> (B,)`; or a goal, as (row, column) or as
            an observation.
        render_mode: None, `ansi` or `rgb_array`; pictures show the goal.

        `reset(options=...)` may pin `start` (row, column) and `task` for one episode.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/DarkRoom-v0", task="goal_5_7", view="text")
        >>> print(env.reset(seed=0)[0].partition("\n")[2])
        You are at row 5, column 5. Open: up, right, down, left.
        Answer with one move: stay, up, right, down or left.
        >>> [env.step(move)[1] for move in ("right", "right", "stay")]
        [0.0, 1.0, 1.0]

    Source:
        The dark rooms of "In-context Reinforcement Learning with Algorithm Distillation" (2022,
        arXiv 2210.14215): 9x9, and hard with 17x17, 20 steps each. There the observation is two
        coordinates, here as one of S states: our choice.
    """

    map_reveals = True

    default_task = "random_goal"

    def __init__(
        self,
        size: int = 9,
        task: Any = DEFAULT,
        view: View = "numeric",
        ends_at_goal: bool = False,
        horizon: int = 20,
        render_mode: str | None = None,
    ) -> None:
        if isinstance(size, bool) or not isinstance(size, int) or size % 2 == 0:
            raise ValueError(f"size must be an odd integer, got {size!r}")
        if not OPEN_SIDES[0] <= size <= OPEN_SIDES[1]:
            raise ValueError(f"size must lie in 3 to {OPEN_SIDES[1] - 1}, got {size}")
        super().__init__(f"open_{size}", task, view, ends_at_goal, horizon, render_mode)
        self.mdp = replace(self.mdp, starts=(self.num_states // 2,))

    def _sentence(self, task: Task | None) -> str:
        return HIDDEN if task else super()._sentence(task)
