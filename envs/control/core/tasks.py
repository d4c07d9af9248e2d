"""Tasks as data: one physics, any reward. Also `tolerance`, the one shaping function.

A `Task` is a reward over transitions, vectorised over the batch, so that the same object
rewards the live environment (batch of one) and relabels a stored dataset (batch of a million), of
NumPy arrays or torch tensors. Tasks are added, scaled and multiplied with `+`, `-` and `*`.

`tolerance` follows "dm_control: Software and Tasks for Continuous Control" (2020, arXiv
2006.12983). Left out: those of its decay curves that no task here uses (hyperbolic, cosine, ...).
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core import scalars
from zerogym.envs.control.core.arrays import Array, Single, namespace
from zerogym.envs.control.core.composition import Product, WeightedSum
from zerogym.envs.control.core.contexts import joined
from zerogym.envs.control.core.features import Measures, of_transitions
from zerogym.errors import UnknownName

RewardFunction = Callable[[Array, Array, Array], Array]
Batch = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]  # observations, actions, next observations

MAX_TEXT = 4096  # characters of a task's sentence
VALUE_AT_MARGIN = 0.1  # default of `tolerance` at distance `margin`

Decay = Literal["gaussian", "linear", "quadratic"]
DECAYS = get_args(Decay)


@dataclass(frozen=True, eq=False)
class Task:
    """A reward and a sentence that describes it.

    Attributes:
        name: Short name, unique in its environment.
        text: The task as a sentence, for language models and people.
        reward: `reward(obs, action, next_obs) -> (B,)` over batches of B transitions.
        goal: The observation to reach, where the task is to reach one; else None.
        context: Constants of the physics that belong to the task,
            such as `{"gravity": 1.62}`; else None.
    """

    name: str
    text: str
    reward: RewardFunction
    goal: NDArray[Any] | None = None
    context: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if len(self.text) > MAX_TEXT:
            raise ValueError(f"the text of a task may have {MAX_TEXT} characters, not more")

    def relabel(self, obs: Array, action: Array, next_obs: Array) -> Array:
        """Return the checked rewards of B stored transitions; shape (B,).

        Rewards of NumPy arrays are float64, those of torch tensors have the type that the reward
        computes, on their device.

        Raises:
            ValueError: If the reward is not a finite number for each transition.
        """
        found = self.reward(obs, action, next_obs)
        xp = np if isinstance(found, float) else namespace(found)
        rewards = np.asarray(found) if xp is np else found
        if tuple(rewards.shape) != (len(obs),):
            raise ValueError(
                f"the reward of task {self.name!r} must have shape (B,) = ({len(obs)},) "
                f"for {len(obs)} transitions, got {tuple(rewards.shape)}"
            )
        if xp is np:
            try:
                rewards = rewards.astype(np.float64)
            except (TypeError, ValueError, OverflowError):
                raise ValueError(f"the reward of task {self.name!r} is not a number") from None
        finite = xp.isfinite(rewards)
        if not finite.all():
            bad = float(rewards[~finite][0])
            raise ValueError(f"the reward of task {self.name!r} is {bad} for a transition")
        return rewards

    def reward_of(self, obs: NDArray[Any], action: NDArray[Any], next_obs: NDArray[Any]) -> float:
        """Return the reward of one transition (n,), (m,), (n,), equal to `relabel` bit for bit.

        Rewards with the attribute `of_single` are computed in plain numbers.

        Raises:
            ValueError: If the reward is not a finite number.
        """
        reward = self.reward
        if not getattr(reward, "of_single", False):
            return float(self.relabel(obs[None], action[None], next_obs[None])[0])
        given, after = Single(action.tolist()), Single(next_obs.tolist())
        value = float(reward(Single(obs.tolist()), given, after))
        if not math.isfinite(value):
            raise ValueError(f"the reward of task {self.name!r} is {value} for a transition")
        return value

    def __add__(self, other: "Task | float") -> "Task":
        """Both rewards together, or a constant more each step."""
        if isinstance(other, Task):
            reward = WeightedSum((self.reward, other.reward), (1.0, 1.0))
            text, context = f"{self.text} And: {other.text}", joined(self.context, other.context)
            return Task(f"{self.name} + {other.name}", text, reward, context=context)
        if not _is_number(other):
            return NotImplemented
        reward = WeightedSum((self.reward,), (1.0,), float(other))
        return Task(f"{self.name} + {other:g}", self.text, reward, context=self.context)

    __radd__ = __add__

    def __mul__(self, other: "Task | float") -> "Task":
        """The product of both rewards, or the reward times a number."""
        if isinstance(other, Task):
            reward = Product((self.reward, other.reward))
            name = f"{_factor(self.name)} * {_factor(other.name)}"
            text = f"{self.text} While you do: {other.text}"
            return Task(name, text, reward, context=joined(self.context, other.context))
        if not _is_number(other):
            return NotImplemented
        scaled = WeightedSum((self.reward,), (float(other),))
        text = f"This counts {other:g} times: {self.text}"
        name = f"{other:g} * {_factor(self.name)}"
        return Task(name, text, scaled, context=self.context)

    __rmul__ = __mul__

    def __neg__(self) -> "Task":
        """The reward as a cost."""
        return -1.0 * self

    def __sub__(self, other: "Task | float") -> "Task":
        """One reward less the other."""
        return self + (-other)

    def __rsub__(self, other: float) -> "Task":
        """A constant less the reward."""
        return -self + other


@dataclass(frozen=True, eq=False)
class Goal:
    """An explicit goal: `gym.make(id, task=Goal(place))` is `gym.make(id, task=place)`.

    Attributes:
        place: An observation to reach, or a place.
    """

    place: Any


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and bool(np.isfinite(value))


def _factor(name: str) -> str:
    """Put a name in brackets if it is a sum."""
    return f"({name})" if " + " in name else name


def resolve_task(
    task: object,
    known: Mapping[str, Task],
    from_goal: Callable[[NDArray[Any]], Task],
    probe: Batch,
    measures: Measures = MappingProxyType({}),
) -> Task | None:
    """Turn what a user passes as `task` into a `Task`; None stays None (reward-free).

    Args:
        task: None, a name, a `Task`, a `Goal` or its place (anything array-like), or a reward: a
            function of `(obs, action, next_obs)` or of `(features, action)`.
        known: The environment's own tasks by name.
        from_goal: Makes a task of a goal, and raises ValueError for a goal outside the world.
        probe: A few transitions on which a user's reward is tried.
        measures: The features of the world.

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
        task = _task_of_function(task, measures)
    if isinstance(task, Task):
        if task.goal is not None:
            from_goal(np.asarray(task.goal, dtype=np.float64))  # refuses another world's goal
        _try(task, probe)
        return task
    place = task.place if isinstance(task, Goal) else task
    try:
        goal = np.asarray(place, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        if place is not task:
            raise TypeError(f"Goal: place must be numbers, got {str(place)[:60]!r}") from None
        raise TypeError(
            "task must be None, a name, a Task, a function reward(obs, action, next_obs) or "
            "reward(features, action), a Goal, or its place as an array, "
            f"got {type(task).__name__}"
        ) from None
    return from_goal(goal)


def _try(task: Task, probe: Batch) -> None:
    """Try a task on a few transitions, which must stay unchanged.

    A reward that writes into its arguments would change the environment and stored data.
    """
    given = tuple(np.array(part) for part in probe)
    task.relabel(*given)
    if not all(np.array_equal(one, other) for one, other in zip(given, probe, strict=True)):
        raise ValueError(
            f"the reward of task {task.name!r} writes into its arguments (as `obs -= 1` does): "
            "let it make new arrays"
        )


def _task_of_function(function: Callable[..., Array], measures: Measures) -> Task:
    """Make a task named after a function, described by the first line of its docstring."""
    name = getattr(function, "__name__", type(function).__name__)
    line = (getattr(function, "__doc__", None) or "").strip().partition("\n")[0]
    return Task(name, line or f"Maximise {name}.", of_transitions(function, measures))


def tolerance(
    x: Any,
    bounds: tuple[float, float] = (0.0, 0.0),
    margin: float = 0.0,
    decay: Decay = "gaussian",
    at_margin: float = VALUE_AT_MARGIN,
) -> Array:
    """Return 1 inside the bounds, falling to `at_margin` at distance `margin` outside.

    With d the distance to the nearest bound in units of the margin, and v for `at_margin`, the
    value is `v ** (d ** 2)` (gaussian), `1 - (1 - v) * d` (linear) or `1 - (1 - v) * d ** 2`
    (quadratic), the latter two not below 0. With a margin of 0 it is 0 outside the bounds. After
    "dm_control: Software and Tasks for Continuous Control" (2020, arXiv 2006.12983).

    Args:
        x: Values, any shape; numbers, NumPy arrays or torch tensors.
        bounds: Lower and upper end of the interval, both inclusive; may be infinite.
        margin: Distance at which the value has fallen to `at_margin`, >= 0, unit of `x`.
        decay: The curve.
        at_margin: In [0, 1); above 0 for the Gaussian.

    Returns:
        Values in [0, 1], shape of `x`; float64 for NumPy, the type of `x` for torch, a float for a
        float.

    Raises:
        ValueError: If the bounds are in the wrong order, the margin is negative or not finite, or
            the value at the margin impossible.
        UnknownName: If there is no such curve.

    Example:
        >>> tolerance([0.0, 1.5, 2.0], bounds=(0, 1), margin=1).round(3).tolist()
        [1.0, 0.562, 0.1]
    """
    low, high = bounds
    if not low <= high:
        raise ValueError(f"tolerance: bounds must be (low, high) with low <= high, got {bounds}")
    if not 0 <= margin < np.inf:
        raise ValueError(f"tolerance: margin must be a finite number >= 0, got {margin}")
    if decay not in DECAYS:
        raise UnknownName("decay", decay, list(DECAYS))
    if not 0 <= at_margin < 1 or (decay == "gaussian" and at_margin == 0):
        raise ValueError(f"tolerance: at_margin must lie in [0, 1), got {at_margin} ({decay})")
    if type(x) is float and low <= x <= high:
        return 1.0  # as computed below, at once
    xp = namespace(x)
    values = np.asarray(x, dtype=np.float64) if xp is np else x
    distance = xp.clip(xp.where(values < low, low - values, values - high), 0.0, None)
    if margin == 0:
        return xp.where(distance > 0, 0.0, 1.0)
    share = distance / margin
    if decay == "gaussian":
        exponent = share * share
        return xp.power(at_margin, exponent) if xp is scalars else at_margin**exponent
    fallen = share if decay == "linear" else share * share
    return xp.clip(1.0 - (1.0 - at_margin) * fallen, 0.0, None)
