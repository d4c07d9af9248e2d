"""Tasks as data: one physics, any reward. Also `tolerance`, the one shaping function.

A `Task` is a reward over transitions, vectorised over the batch, so that the same object pays the
live environment (batch of one) and relabels a stored dataset (batch of a million).

`tolerance` follows "dm_control: Software and Tasks for Continuous Control" (2020, arXiv
2006.12983). Left out: its other decay curves (hyperbolic, cosine, ...); only the Gaussian default
is here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerogym.errors import UnknownName

RewardFunction = Callable[[NDArray[Any], NDArray[Any], NDArray[Any]], NDArray[Any]]
Batch = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]  # observations, actions, next observations

MAX_TEXT = 4096  # characters of a task's sentence
VALUE_AT_MARGIN = 0.1  # what `tolerance` pays at distance `margin` from the bounds


@dataclass(frozen=True, eq=False)
class Task:
    """What to do in a world: a reward, said in a sentence.

    Attributes:
        name: Short name, unique in its environment.
        text: The task as a sentence, for language models and people.
        reward: `reward(obs, action, next_obs) -> (B,)` over batches of B transitions.
        goal: The observation to reach, where the task is to reach one; else None.
    """

    name: str
    text: str
    reward: RewardFunction
    goal: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        if len(self.text) > MAX_TEXT:
            raise ValueError(f"the text of a task may have {MAX_TEXT} characters, not more")

    def relabel(
        self, obs: NDArray[Any], action: NDArray[Any], next_obs: NDArray[Any]
    ) -> NDArray[np.float64]:
        """`reward` of B stored transitions, checked; shape (B,).

        Raises:
            ValueError: If the reward is not a finite number for each transition.
        """
        rewards = np.asarray(self.reward(obs, action, next_obs))
        if rewards.shape != (len(obs),):
            raise ValueError(
                f"the reward of task {self.name!r} must have shape (B,) = ({len(obs)},) "
                f"for {len(obs)} transitions, got {rewards.shape}"
            )
        try:
            rewards = rewards.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"the reward of task {self.name!r} is not a number") from None
        if not np.isfinite(rewards).all():
            bad = rewards[~np.isfinite(rewards)][0]
            raise ValueError(f"the reward of task {self.name!r} is {bad} for a transition")
        return rewards


def resolve_task(
    task: object,
    known: Mapping[str, Task],
    from_goal: Callable[[NDArray[Any]], Task],
    probe: Batch,
) -> Task | None:
    """Turn what a user passes as `task` into a `Task`; None stays None (reward-free).

    Args:
        task: None, a name, a `Task`, a reward function, or a goal (anything array-like).
        known: The environment's own tasks by name.
        from_goal: Makes a task of a goal, and raises ValueError for a goal outside the world.
        probe: A few transitions on which a user's reward is tried.

    Raises:
        UnknownName: If there is no task of that name.
        ValueError: If a reward is badly shaped or not finite, or a goal is not in the world.
        TypeError: If `task` is none of the above.
    """
    if task is None:
        return None
    if isinstance(task, str):
        if task not in known:
            raise UnknownName("task", task, list(known))
        return known[task]
    if callable(task):
        task = _task_of_function(task)
    if isinstance(task, Task):
        if task.goal is not None:
            from_goal(np.asarray(task.goal, dtype=np.float64))  # refuses another world's goal
        task.relabel(*probe)
        return task
    try:
        goal = np.asarray(task, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            "task must be None, a name, a Task, a function reward(obs, action, next_obs) or a "
            f"goal array, got {type(task).__name__}"
        ) from None
    return from_goal(goal)


def _task_of_function(function: RewardFunction) -> Task:
    """A task named after a reward function and described by the first line of its docstring."""
    name = getattr(function, "__name__", type(function).__name__)
    line = (getattr(function, "__doc__", None) or "").strip().partition("\n")[0]
    return Task(name, line or f"Maximise {name}.", function)


def tolerance(
    x: ArrayLike, bounds: tuple[float, float] = (0.0, 0.0), margin: float = 0.0
) -> NDArray[np.float64]:
    """1 inside the bounds, falling smoothly to `VALUE_AT_MARGIN` at distance `margin` outside.

    With d the distance to the nearest bound: `VALUE_AT_MARGIN ** ((d / margin) ** 2)`, or 0
    outside the bounds if the margin is 0 ("dm_control", 2020, arXiv 2006.12983, its Gaussian).

    Args:
        x: Values, any shape.
        bounds: Lower and upper end of the wanted interval, both inclusive; may be infinite.
        margin: Distance at which the value has fallen to `VALUE_AT_MARGIN`, >= 0, unit of `x`.

    Returns:
        Values in [0, 1], shape of `x`.

    Raises:
        ValueError: If the bounds are in the wrong order or the margin is negative or not finite.

    Example:
        >>> tolerance([0.0, 1.5, 2.0], bounds=(0, 1), margin=1).round(3).tolist()
        [1.0, 0.562, 0.1]
    """
    low, high = bounds
    if not low <= high:
        raise ValueError(f"tolerance: bounds must be (low, high) with low <= high, got {bounds}")
    if not 0 <= margin < np.inf:
        raise ValueError(f"tolerance: margin must be a finite number >= 0, got {margin}")
    values = np.asarray(x, dtype=np.float64)
    distance = np.maximum(np.maximum(low - values, values - high), 0.0)
    if margin == 0:
        return np.where(distance > 0, 0.0, 1.0)
    return np.asarray(VALUE_AT_MARGIN ** ((distance / margin) ** 2))
