"""T-maze: a sign at the start of a corridor decides where to turn at its end; needs memory.

Exact solutions are in `tabular/dynamic_programming.py`, episodes in `tabular/base.py`. Left out:
the paper's noisy observations.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.env import DEFAULT
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.gridworlds.chain import check_length
from zerogym.envs.control.tabular.base import TabularEnv, View
from zerogym.envs.control.tabular.features import ObservationIs
from zerogym.envs.control.tabular.layouts import ACTION_NAMES, Layout
from zerogym.envs.control.tabular.mdp import TabularMDP, deterministic_mdp
from zerogym.envs.control.tabular.render import FACING, Scene

DIRECTIONS: Mapping[str, str] = {"north": "up", "east": "right", "south": "down", "west": "left"}
COMPASS = tuple(DIRECTIONS)
NORTH, EAST, SOUTH, WEST = range(4)
SIGNS = ("north", "south")
LENGTHS = (2, 200)  # steps from the start to the junction
FOUND, NOT = 4.0, -0.1  # reward of the right arm; of the wrong arm and of each blocked step

# Observations.
AT_SIGN = ((0, 1, 1), (1, 1, 0))  # at the start, for each sign
IN_CORRIDOR, AT_JUNCTION = (1, 0, 1), (0, 1, 0)
TREASURE, NOTHING = (1, 1, 1), (0, 0, 0)  # at the end

FEATURES: Measures = {
    "sign_north": ObservationIs(AT_SIGN[0]),
    "sign_south": ObservationIs(AT_SIGN[1]),
    "in_corridor": ObservationIs(IN_CORRIDOR),
    "at_junction": ObservationIs(AT_JUNCTION),
    "found_treasure": ObservationIs(TREASURE),
    "found_nothing": ObservationIs(NOTHING),
}


@dataclass(frozen=True, eq=False)
class ArmReward:
    """The reward of the paper; `swapped` exchanges the treasure and the empty arm."""

    swapped: bool = False

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        xp = namespace(obs, next_obs)
        weights = np.array([4.0, 2.0, 1.0]) if xp is np else obs.new_tensor([4.0, 2.0, 1.0])
        before, after = obs @ weights, next_obs @ weights  # (B,), the three bits as a number
        right, wrong = (0, 7) if self.swapped else (7, 0)
        blocked = (action == NORTH) | (action == SOUTH)
        stood = (before == _number(IN_CORRIDOR)) & blocked
        stood = stood | (before == _number(AT_JUNCTION)) & (action == EAST)
        for sign in AT_SIGN:
            stood = stood | (before == _number(sign)) & (action != EAST)
        return xp.where(after == right, FOUND, xp.where((after == wrong) | stood, NOT, 0.0))


TASKS: Mapping[str, Task] = {
    "treasure": Task(
        "treasure",
        "Walk east to the junction and turn to where the sign at the start points: there is the "
        "treasure.",
        ArmReward(),
        np.array(TREASURE, dtype=np.float32),
    ),
    "empty_arm": Task(
        "empty_arm",
        "Walk east to the junction and turn away from where the sign at the start points.",
        ArmReward(swapped=True),
        np.array(NOTHING, dtype=np.float32),
    ),
}


class TMazeEnv(TabularEnv):
    """A sign at the start, a long corridor, and a turn that depends on the sign.

    Description:
        The mover begins at the west end of a corridor, where a sign says north or south. It walks
        `length` steps to a junction with two arms; the treasure is in the one that the sign
        named. In the corridor nothing shows the sign. An agent with memory reaches a return of 4.
        A policy of the present observation alone reaches at most 1.95 on average over the two
        signs: its action at the junction is the same for both. The model is exact: `P` (S, A, S),
        `R` (S, A), `next_state` (S, A); a state includes the sign.

    Observation:
        `view="numeric"`: three bits, float32 (3,): at the start 011 (sign north) or 110 (south),
        101 in the corridor, 010 at the junction; at the end 111 (treasure) or 000 (nothing).
        `view="text"`: the same in words, at the start with the task.

    Action:
        0 north, 1 east, 2 south, 3 west; `view="text"`: a reply that names one of the four moves
        in `<answer>...</answer>` or as its last line; any other counts as west and sets
        `info["void_turn"]`.

    Reward:
        Task `treasure`: 4 in the arm with the treasure, -0.1 in the other and for each step that
        is blocked, else 0. `empty_arm`: the arms change places. `task=None`: 0.
        Features, 1 for this observation, else 0: `sign_north`, `sign_south`, `in_corridor`,
        `at_junction`, `found_treasure`, `found_nothing`.

    Episode end:
        Terminated in an arm, truncated after `horizon` steps. `info["success"]`: the right arm.

    Difficulty:
        The length: how long the sign must be remembered.

    Arguments:
        length: Steps from the start to the junction, 2 to 200.
        task: None; `treasure` or `empty_arm`; a `zerogym.envs.control.core.tasks.Task`; an
            expression of features and tasks; a function `reward(obs, action, next_obs) -> (B,)` of
            batches of observations (B, 3) and actions (B,), or `reward(features, action) -> (B,)`;
            or a goal, as an observation of the end: (1, 1, 1) or (0, 0, 0).
        horizon: Steps in an episode; more than `length`.

        `reset(options=...)` may pin `start` (the sign, `north` or `south`) and `task`.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/TMaze-v0", task="empty_arm", length=2, view="text")
        >>> print(env.reset(options={"start": "south"})[0])
        Walk east to the junction and turn away from where the sign at the start points.
        You are at the west end of a corridor. A sign says: south.
        Answer with one move: north, east, south or west.
        >>> [env.step(move)[1] for move in ("north", "east", "east", "north")]
        [-0.1, 0.0, 0.0, 4.0]

    Source:
        "Reinforcement Learning with Long Short-Term Memory" (2001, Bakker, NIPS 14). The
        observations at the end, the horizon and the second task are our choice.
    """

    map_reveals = True

    default_task = "treasure"
    action_names = COMPASS
    facings = tuple(FACING.index(name) for name in DIRECTIONS.values())
    void_action = WEST
    void_text = "That is not a move, so you go west."

    def __init__(
        self,
        length: int = 10,
        task: Any = DEFAULT,
        view: View = "numeric",
        horizon: int = 50,
        render_mode: str | None = None,
    ) -> None:
        check_length(length, LENGTHS)
        self.length = length
        super().__init__(_mdp(length), task, view, False, horizon, render_mode)
        if horizon <= length:
            raise ValueError(f"in {horizon} steps no arm can be reached: the length is {length}")

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The two named tasks."""
        return TASKS

    @property
    def measures(self) -> Measures:
        """For each kind of observation 1 or 0."""
        return FEATURES

    def _map(self) -> Layout:
        return _layout(self.length)

    def _scene(self) -> Scene:
        layout, episode = _layout(self.length), self._episode
        sign, here = divmod(episode.state, len(layout.cells))
        own = slice(sign * len(layout.cells), (sign + 1) * len(layout.cells))
        rewards, entered = np.zeros(len(layout.cells)), self.next_state[own].ravel()
        np.maximum.at(rewards, entered % len(rewards), episode.rewards[own].ravel())
        return layout.cells[here], rewards

    def _where(self, state: int) -> str:
        return _WORDS[tuple(int(bit) for bit in self.mdp.observations[state])]

    def _start_of(self, given: Any) -> int:
        if not isinstance(given, str) or given not in SIGNS:
            raise ValueError(
                f"{self.name}: start must be a sign, north or south, got {given!r:.60}"
            )
        return self.mdp.starts[SIGNS.index(given)]

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        for task in TASKS.values():
            if task.goal is not None and np.array_equal(goal, task.goal):
                return task
        raise ValueError(
            f"{self.name}: a goal must be an observation of the end, {TREASURE} or "
            f"{NOTHING}, got {str(goal)[:60]}"
        )


_WORDS: Mapping[tuple[int, ...], str] = {
    AT_SIGN[0]: "You are at the west end of a corridor. A sign says: north.",
    AT_SIGN[1]: "You are at the west end of a corridor. A sign says: south.",
    IN_CORRIDOR: "You are in a corridor that leads east and west.",
    AT_JUNCTION: "You are at a junction: one arm leads north, one south, the corridor west.",
    TREASURE: "You found the treasure.",
    NOTHING: "There is nothing here.",
}


@cache
def _layout(length: int) -> Layout:
    """Return the T, lying on its side: the first cell is the north arm, the last the south arm."""
    border, arm = "#" * (length + 3), f"{'#' * (length + 1)} #"
    return Layout("t_maze", (border, arm, f"#{' ' * (length + 1)}#", arm, border))


@cache
def _mdp(length: int) -> TabularMDP:
    """Return the MDP; a state is `sign * cells + cell`."""
    layout = _layout(length)
    cells, moves = len(layout.cells), [ACTION_NAMES.index(way) for way in DIRECTIONS.values()]
    one = layout.next_state[:, moves].copy()  # (cells, 4)
    one[[0, -1]] = [[0], [cells - 1]]  # arms are absorbing
    obs = np.empty((2, cells, 3), dtype=np.float32)
    obs[:] = IN_CORRIDOR
    obs[:, 1], obs[:, -2] = AT_SIGN, AT_JUNCTION
    obs[0, [0, -1]] = TREASURE, NOTHING
    obs[1, [0, -1]] = NOTHING, TREASURE
    arms = frozenset((0, cells - 1, cells, 2 * cells - 1))
    return deterministic_mdp(
        np.concatenate([one, one + cells]), obs.reshape(-1, 3), (1, cells + 1), arms
    )


def _number(bits: tuple[int, ...]) -> int:
    return bits[0] * 4 + bits[1] * 2 + bits[2]
