"""A corridor that forks, and a sign at its start that says where to turn: a task for memory.

The truth is in `tabular/dynamic_programming.py`, episodes in `tabular/base.py`. Left out: the
paper's noisy observations.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.tasks import Task
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
FOUND, NOT = 4.0, -0.1  # what the right arm pays; the wrong arm, and each step that goes nowhere

SIGN_SEEN = ((0, 1, 1), (1, 1, 0))  # at the start, for each sign
CORRIDOR_SEEN, JUNCTION_SEEN = (1, 0, 1), (0, 1, 0)
TREASURE_SEEN, NOTHING_SEEN = (1, 1, 1), (0, 0, 0)  # at the end

FEATURES: Measures = {
    "sign_north": ObservationIs(SIGN_SEEN[0]),
    "sign_south": ObservationIs(SIGN_SEEN[1]),
    "in_corridor": ObservationIs(CORRIDOR_SEEN),
    "at_junction": ObservationIs(JUNCTION_SEEN),
    "found_treasure": ObservationIs(TREASURE_SEEN),
    "found_nothing": ObservationIs(NOTHING_SEEN),
}


@dataclass(frozen=True, eq=False)
class ArmReward:
    """What the paper pays, with the treasure or, `swapped`, with the empty arm as the right one."""

    swapped: bool = False

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        xp = namespace(obs, next_obs)
        seen = obs @ _codes(xp, obs)  # (B,), the three bits as a number
        after = next_obs @ _codes(xp, next_obs)
        right, wrong = (0, 7) if self.swapped else (7, 0)
        blocked = (action == NORTH) | (action == SOUTH)
        stood = (seen == _number(CORRIDOR_SEEN)) & blocked
        stood = stood | (seen == _number(JUNCTION_SEEN)) & (action == EAST)
        for sign in SIGN_SEEN:
            stood = stood | (seen == _number(sign)) & (action != EAST)
        return xp.where(after == right, FOUND, xp.where((after == wrong) | stood, NOT, 0.0))


TASKS: Mapping[str, Task] = {
    "treasure": Task(
        "treasure",
        "Walk east to the junction and turn to where the sign at the start points: there is the "
        "treasure.",
        ArmReward(),
        np.array(TREASURE_SEEN, dtype=np.float32),
    ),
    "empty_arm": Task(
        "empty_arm",
        "Walk east to the junction and turn away from where the sign at the start points.",
        ArmReward(swapped=True),
        np.array(NOTHING_SEEN, dtype=np.float32),
    ),
}


class TMazeEnv(TabularEnv):
    """A sign at the start, a long corridor, and a turn that depends on the sign.

    Description:
        The mover begins at the west end of a corridor, where a sign says north or south. It walks
        `length` steps to a junction with two arms; the treasure is in the one that the sign
        named. In the corridor nothing tells the sign: who does not remember it guesses. An agent
        that remembers earns 4. One whose action depends on nothing but the present observation
        earns at most 1.95 on average over the two signs: whatever it does at the junction, it
        does for both. The model is exact: `P` (S, A, S), `R` (S, A), `next_state` (S, A); the
        states know the sign.

    Observation:
        `view="numeric"`: three bits, float32 (3,): at the start 011 (sign north) or 110 (south),
        101 in the corridor, 010 at the junction; at the end 111 (treasure) or 000 (nothing).
        `view="text"`: the same in words, at the start with the task.

    Action:
        0 north, 1 east, 2 south, 3 west; `view="text"`: a reply that says one of the four words
        in `<answer>...</answer>` or as its last line; any other counts as west and sets
        `info["void_turn"]`.

    Reward:
        Task `treasure`: 4 in the arm with the treasure, -0.1 in the other and for each step that
        goes nowhere, else 0. `empty_arm`: the arms change places. `task=None`: 0.
        Features, 1 where this is seen, else 0: `sign_north`, `sign_south`, `in_corridor`,
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
        view: `numeric` or `text`.
        horizon: Steps in an episode; more than `length`.
        render_mode: None, `ansi` or `rgb_array`.

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
        "Reinforcement Learning with Long Short-Term Memory" (2001, Bakker, NIPS 14). What is seen
        at the end, the horizon and the second task are our choice.
    """

    action_names = COMPASS
    facings = tuple(FACING.index(name) for name in DIRECTIONS.values())
    void_action = WEST
    void_text = "That is not a move, so you go west."

    def __init__(
        self,
        length: int = 10,
        task: Any = None,
        view: View = "numeric",
        horizon: int = 50,
        render_mode: str | None = None,
    ) -> None:
        if isinstance(length, bool) or not isinstance(length, int):
            raise ValueError(f"length must be an integer, got {length!r}")
        if not LENGTHS[0] <= length <= LENGTHS[1]:
            raise ValueError(f"length must lie in {LENGTHS[0]} to {LENGTHS[1]}, got {length}")
        self.length = length
        super().__init__(_world(length), task, view, False, horizon, render_mode)
        if horizon <= length:
            raise ValueError(f"in {horizon} steps no arm can be reached: the length is {length}")

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The two named tasks."""
        return TASKS

    @property
    def measures(self) -> Measures:
        """1 where this is seen, else 0."""
        return FEATURES

    def _map(self) -> Layout:
        return _layout(self.length)

    def _scene(self) -> Scene:
        layout, episode = _layout(self.length), self._episode
        sign, here = divmod(episode.state, len(layout.cells))
        own = slice(sign * len(layout.cells), (sign + 1) * len(layout.cells))
        pays = np.zeros(len(layout.cells))
        np.maximum.at(pays, self.next_state[own].ravel() % len(pays), episode.rewards[own].ravel())
        return layout.cells[here], pays

    def _where(self, state: int) -> str:
        return _WORDS[tuple(int(bit) for bit in self.world.observations[state])]

    def _start_of(self, given: Any) -> int:
        if not isinstance(given, str) or given not in SIGNS:
            raise ValueError(
                f"{self.name}: start must be a sign, north or south, got {given!r:.60}"
            )
        return self.world.starts[SIGNS.index(given)]

    def _task_of_goal(self, goal: NDArray[Any]) -> Task:
        for task in TASKS.values():
            if task.goal is not None and np.array_equal(goal, task.goal):
                return task
        raise ValueError(
            f"{self.name}: a goal must be what is seen at the end, {TREASURE_SEEN} or "
            f"{NOTHING_SEEN}, got {str(goal)[:60]}"
        )


_WORDS: Mapping[tuple[int, ...], str] = {
    SIGN_SEEN[0]: "You are at the west end of a corridor. A sign says: north.",
    SIGN_SEEN[1]: "You are at the west end of a corridor. A sign says: south.",
    CORRIDOR_SEEN: "You are in a corridor that leads east and west.",
    JUNCTION_SEEN: "You are at a junction: one arm leads north, one south, the corridor west.",
    TREASURE_SEEN: "You found the treasure.",
    NOTHING_SEEN: "There is nothing here.",
}


@cache
def _layout(length: int) -> Layout:
    """The T, lying on its side: the first cell is the north arm, the last the south arm."""
    border, arm = "#" * (length + 3), f"{'#' * (length + 1)} #"
    return Layout("t_maze", (border, arm, f"#{' ' * (length + 1)}#", arm, border))


@cache
def _world(length: int) -> TabularMDP:
    """State `sign * cells + cell`."""
    layout = _layout(length)
    cells, moves = len(layout.cells), [ACTION_NAMES.index(way) for way in DIRECTIONS.values()]
    one = layout.next_state[:, moves].copy()  # (cells, 4)
    one[[0, -1]] = [[0], [cells - 1]]  # who is in an arm stays there
    seen = np.empty((2, cells, 3), dtype=np.float32)
    seen[:] = CORRIDOR_SEEN
    seen[:, 1], seen[:, -2] = SIGN_SEEN, JUNCTION_SEEN
    seen[0, [0, -1]] = TREASURE_SEEN, NOTHING_SEEN
    seen[1, [0, -1]] = NOTHING_SEEN, TREASURE_SEEN
    arms = frozenset((0, cells - 1, cells, 2 * cells - 1))
    return deterministic_mdp(
        np.concatenate([one, one + cells]), seen.reshape(-1, 3), (1, cells + 1), arms
    )


def _codes(xp: Any, obs: Array) -> Array:
    """The weights that make a number of three bits."""
    return np.array([4.0, 2.0, 1.0]) if xp is np else obs.new_tensor([4.0, 2.0, 1.0])


def _number(bits: tuple[int, ...]) -> int:
    return bits[0] * 4 + bits[1] * 2 + bits[2]
