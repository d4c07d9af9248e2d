"""Chains of states with a distant reward, which require exploration.

Exact solutions are in `tabular/dynamic_programming.py`, episodes in `tabular/base.py`. Left out:
other rewards of RiverSwim; those of "An analysis of model-based Interval Estimation" (2008) are
smaller.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.env import DEFAULT
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.base import RANDOM_GOAL, TabularEnv, View
from zerogym.envs.control.tabular.features import CellFeature, StateActionReward, StateReward
from zerogym.envs.control.tabular.layouts import Layout
from zerogym.envs.control.tabular.mdp import TabularMDP, deterministic_mdp
from zerogym.envs.control.tabular.render import FACING, Scene
from zerogym.errors import UnknownName

Kind = Literal["deep", "river_swim"]
KINDS = ("deep", "river_swim")
MOVES = ("left", "right")
LEFT, RIGHT = 0, 1
LENGTHS = (3, 200)  # states
NEAR_DEEP, NEAR_RIVER = 0.001, 0.005  # reward at the near end; 1 at the far end
RIVER_HORIZON = 20


class ChainEnv(TabularEnv):
    r"""States in a row: a small reward near the start, a large one at the far end.

    Description:
        The mover goes left or right. `deep`: moves are certain, an episode begins in the second
        state, and the far end is `length - 2` moves to the right away: a random walk hardly ever
        reaches it in time. `river_swim`: an episode begins in the first state; left is certain,
        and right is against a current: it succeeds with probability 0.35 (0.6 in the first state),
        fails with 0.6 (0.4 in the first state), and the mover is carried back with 0.05 (0.4 in the
        last state). The model is exact: `P` (S, A, S) and `R` (S, A).

    Observation:
        `view="numeric"`: the state as a one-hot float32 vector (S,). `view="text"`: at the start
        the task and the state in words, later only the state.

    Action:
        0 left, 1 right; `view="text"`: a reply that names one of the two moves in
        `<answer>...</answer>` or as its last line; any other counts as left and sets
        `info["void_turn"]`.

    Reward:
        Task `far_end`: in `deep` 1 for each step that ends in the last state, 0.001 in the first;
        in `river_swim` 1 for going right in the last state, 0.005 for going left in the first.
        `goal_1`, `goal_2`, ...: 1 for each step that ends in that state. `task=None`: 0. The one
        feature, for a task such as `"state ** 2"`, is `state`, from 1.

    Episode end:
        Truncated after `horizon` steps. Terminated only with `ends_at_goal`, when a goal task has
        reached its goal. `info["success"]` (goal tasks): the goal was reached.

    Difficulty:
        The length.

    Arguments:
        kind: `deep` or `river_swim`.
        length: States in the chain, 3 to 200.
        task: None; a name; `random_goal` (each episode draws a state); a
            `zerogym.envs.control.core.tasks.Task`; an expression of features and tasks; a function
            `reward(obs, action, next_obs) -> (B,)` of batches of one-hot observations (B, S) and
            actions (B,), or `reward(features, action) -> (B,)`; or a goal, as the number of a
            state counted from 1 or as an observation.
        horizon: Steps in an episode; None for the published ones, `length + 9` and 20.

        `reset(options=...)` may pin `start` (a number from 1) and `task` for one episode.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/Chain-v0", task="far_end", length=4, view="text")
        >>> print(env.reset(seed=0)[0].partition("\n")[2])
        You are in state 2 of 4.
        Answer with one move: left or right.
        >>> [env.step("right")[1] for _ in range(3)]
        [0.0, 1.0, 1.0]

    Source:
        `deep` is the chain of "Deep Exploration via Bootstrapped DQN" (2016, arXiv 1602.04621),
        where observations are one-hot or run up to the state; the river is that of "(More)
        Efficient Reinforcement Learning via Posterior Sampling" (2013, arXiv 1306.0940).
        Rewards on entering in `deep`, and the goal tasks, are our choice.
    """

    default_task = "far_end"
    random_tasks = (RANDOM_GOAL,)
    action_names = MOVES
    facings = tuple(FACING.index(name) for name in MOVES)
    void_action = LEFT
    void_text = "That is not a move, so you go left."

    def __init__(
        self,
        kind: Kind = "deep",
        length: int = 10,
        task: Any = DEFAULT,
        view: View = "numeric",
        ends_at_goal: bool = False,
        horizon: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        if kind not in KINDS:
            raise UnknownName("kind of chain", kind, list(KINDS))
        check_length(length, LENGTHS)
        self.kind, self.length = kind, length
        if horizon is None:
            horizon = length + 9 if kind == "deep" else RIVER_HORIZON
        mdp = _deep(length) if kind == "deep" else _river(length)
        super().__init__(mdp, task, view, ends_at_goal, horizon, render_mode)

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The named tasks of this chain."""
        return _tasks(self.kind, self.length)

    @property
    def measures(self) -> Measures:
        """The number of the state, counted from 1."""
        return {"state": CellFeature(np.arange(1.0, self.length + 1))}

    def _map(self) -> Layout:
        border = "#" * (self.length + 2)
        return Layout("chain", (border, f"#{' ' * self.length}#", border))

    def _scene(self) -> Scene:
        """The reward shown at a state: that of every way into it, or of staying there if higher."""
        episode, after = self._episode, self.mdp.outcomes
        possible = self.mdp.chances > 0
        entering = np.full(self.length, np.inf)
        np.minimum.at(entering, after[possible], episode.rewards[possible])
        stays = possible & (after == np.arange(self.length)[:, None, None])
        staying = np.where(stays, episode.rewards, -np.inf).max(axis=(1, 2))
        return (1, 1 + episode.state), np.maximum(entering, staying)

    def _where(self, state: int) -> str:
        return f"You are in state {state + 1} of {self.length}."

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        """Return the task of a goal given as a number from 1 or as a one-hot observation."""
        return _goal_task(self.length, self._goal_place(goal, self.length))

    def _place_at(self, given: Any, what: str) -> int:
        """Return the state of a number counted from 1."""
        try:
            value = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            value = np.array(np.nan)
        if value.shape or value not in np.arange(1, self.length + 1):
            raise ValueError(
                f"{self.name}: {what} must be the number of a state from 1 to {self.length}, "
                f"got {str(given)[:60]}"
            )
        return int(value) - 1


def check_length(length: Any, bounds: tuple[int, int]) -> None:
    """Raise a ValueError unless a length is an integer within the bounds."""
    if isinstance(length, bool) or not isinstance(length, int):
        raise ValueError(f"length must be an integer, got {length!r}")
    if not bounds[0] <= length <= bounds[1]:
        raise ValueError(f"length must lie in {bounds[0]} to {bounds[1]}, got {length}")


@cache
def _deep(length: int) -> TabularMDP:
    states = np.arange(length)
    after = np.clip(np.stack([states - 1, states + 1], axis=1), 0, length - 1)  # (S, 2)
    return deterministic_mdp(after, np.eye(length, dtype=np.float32), starts=(1,))


@cache
def _river(length: int) -> TabularMDP:
    """Return the MDP whose outcomes are: one back, none, one on."""
    states = np.arange(length)[:, None, None]
    outcomes = np.clip(states + np.array([-1, 0, 1]), 0, length - 1)  # (S, 1, 3)
    chances = np.empty((length, 2, 3))
    chances[:, LEFT] = 1.0, 0.0, 0.0
    chances[:, RIGHT] = 0.05, 0.6, 0.35
    chances[0, RIGHT] = 0.0, 0.4, 0.6
    chances[-1, RIGHT] = 0.4, 0.6, 0.0
    one_hot = np.eye(length, dtype=np.float32)
    return TabularMDP(outcomes.repeat(2, axis=1), chances, one_hot, starts=(0,))


@cache
def _tasks(kind: Kind, length: int) -> Mapping[str, Task]:
    if kind == "deep":
        values = np.zeros(length)
        values[0], values[-1] = NEAR_DEEP, 1.0
        text = f"The last state pays 1 for each step that ends there, the first pays {NEAR_DEEP}."
        far = Task("far_end", text, StateReward(values))
    else:
        values = np.zeros((length, 2))
        values[0, LEFT], values[-1, RIGHT] = NEAR_RIVER, 1.0
        text = (
            f"Going right in the last state pays 1, going left in the first pays {NEAR_RIVER}. "
            "A current drives you to the left."
        )
        far = Task("far_end", text, StateActionReward(values))
    tasks = (far, *(_goal_task(length, state) for state in range(length)))
    return MappingProxyType({task.name: task for task in tasks})


def _goal_task(length: int, state: int) -> Task:
    goal = np.eye(length, dtype=np.float32)[state]
    text = f"Go to state {state + 1} and stay there."
    return Task(f"goal_{state + 1}", text, StateReward(goal.astype(np.float64)), goal)
