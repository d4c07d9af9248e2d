"""Transitions without rewards, and their collection from any environment.

Where wrappers change observations (`environments.py`), the environment's own ones are kept beside
them: rewards are functions of these. Steps that end their episode are marked as `terminated`:
nothing follows them. Episodes may also be truncated, which a transition does not show and need not.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.agents.atomic_files import NotAModel, write_atomically
from zerogym.agents.core import Policy
from zerogym.agents.datasets.environments import find_recorder
from zerogym.agents.npz import read_npz
from zerogym.envs.control.core.tasks import Task

PICTURE_AXES = 3  # height, width, channels; or channels first
_ARRAYS = ("observations", "actions", "next_observations")
_MORE = (  # each may be missing
    *("starts", "own_observations", "own_next_observations", "terminated", "costs"),
)


@dataclass(frozen=True, eq=False)
class Dataset:
    """N transitions.

    Attributes:
        observations: (N, k) float32; tokens (N, k) and pictures (N, ...) in whole numbers.
        actions: (N,) int64 for discrete actions, (N, m) float32 for continuous ones.
        next_observations: The same after the step: the true successor, also where an episode ends.
        starts: (N,) bool, True for the first of a trajectory; None if unknown.
        own_observations: (N, j) the environment's own; None if the agent observed them.
        own_next_observations: (N, j) the same after the step.
        terminated: (N,) bool, True where the step ended the episode, so that no reward follows.
        costs: (N,) float32, `info["cost"]` of each step; None if the environment reports none.

    Raises:
        ValueError: If it is empty, shapes disagree, or a number is not finite.
    """

    observations: NDArray[Any]
    actions: NDArray[Any]
    next_observations: NDArray[Any]
    starts: NDArray[np.bool_] | None = None
    own_observations: NDArray[np.float32] | None = None
    own_next_observations: NDArray[np.float32] | None = None
    terminated: NDArray[np.bool_] | None = None
    costs: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        for name, column in self.columns().items():
            if not isinstance(column, np.ndarray) or column.dtype.kind not in "biuf":
                raise ValueError(f"{name} must be an array of numbers, got {column!r:.60}")
        if len(self.observations) == 0:
            raise ValueError("a dataset needs at least one transition, got none")
        if self.observations.ndim < 2 or self.observations.shape != self.next_observations.shape:
            raise ValueError(
                "observations and next_observations must both have shape (N, ...), got "
                f"{self.observations.shape} and {self.next_observations.shape}"
            )
        if self.costs is not None and self.costs.ndim != 1:
            raise ValueError(f"costs must have shape (N,), got {self.costs.shape}")
        for name, column in self.columns().items():
            if len(column) != len(self.observations):
                raise ValueError(f"{len(self.observations)} observations but {len(column)} {name}")
            if not np.isfinite(column).all():
                raise ValueError(f"{name} of the dataset have a number that is not finite")

    def __len__(self) -> int:
        return len(self.observations)

    def take(self, count: int, seed: int = 0) -> "Dataset":
        """Return `count` transitions drawn without replacement, or all if there are fewer."""
        order = np.random.default_rng(seed).permutation(len(self))[:count]
        found = {name: column[order] for name, column in self.columns().items()}
        found.pop("starts", None)  # no trajectories any more
        return Dataset(**found)

    def ends(self) -> NDArray[np.int64]:
        """Return for each transition the row of the last one of its trajectory, (N,).

        Without `starts`, a trajectory goes on if the next row starts in the state that this row
        entered, and did not terminate: a reset to exactly that state else counts as a step.
        """
        if self.starts is not None:
            broken = self.starts[1:]  # (N - 1,)
        else:
            differs = self.next_observations[:-1] != self.observations[1:]
            broken = differs.any(axis=tuple(range(1, differs.ndim)))
            if self.terminated is not None:
                broken = broken | self.terminated[:-1]
        stops = np.append(np.flatnonzero(broken), len(self) - 1)
        return stops[np.searchsorted(stops, np.arange(len(self)))]

    def rewards(self, task: Task) -> NDArray[np.float64]:
        """Return a task's rewards (N,), computed from the environment's own observations."""
        if self.own_observations is None:
            return task.relabel(self.observations, self.actions, self.next_observations)
        return task.relabel(self.own_observations, self.actions, self.own_next_observations)

    @property
    def entered(self) -> NDArray[np.float32]:
        """The environment's own observation after each step, (N, j)."""
        own = self.own_next_observations
        return self.next_observations if own is None else own

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the present columns by name."""
        found = {name: getattr(self, name) for name in (*_ARRAYS, *_MORE)}
        return {
            name: column for name, column in found.items() if column is not None or name in _ARRAYS
        }

    def save(self, path: Path | str) -> None:
        """Write a compressed npz file, atomically."""

        def write(name: Path) -> None:
            with name.open("wb") as file:
                np.savez_compressed(file, allow_pickle=False, **self.columns())

        write_atomically(Path(path), write)

    @classmethod
    def load(cls, path: Path | str) -> "Dataset":
        """Read what `save` wrote; nothing is unpickled.

        Raises:
            NotAModel: If the file is missing, damaged or something else.
        """
        try:
            arrays = read_npz(path)
            kept = (name for name in _MORE if name in arrays)
            return cls(**{name: arrays[name] for name in (*_ARRAYS, *kept)})
        except (OSError, KeyError, ValueError) as error:
            raise NotAModel(f"{path} is not a dataset of transitions: {error}") from None


def collect(
    env: gym.Env[Any, Any], steps: int, policy: Policy | None = None, seed: int = 0, hold: int = 1
) -> Dataset:
    """Run a policy and record its transitions.

    Args:
        env: A reward-free environment with vectors, pictures or tokens as observations, and
            `Discrete` or one-dimensional bounded `Box` actions.
        steps: Transitions to record, N.
        policy: The policy; None draws every action uniformly.
        seed: Seed of the environment and of the random actions.
        hold: Steps for which a random action is repeated: held actions travel farther.

    Costs are kept if the first step has `info["cost"]`; a later step without one costs 0.

    Raises:
        ValueError: If spaces do not fit, `steps` is below 1, or a cost is no finite number.
    """
    check_encodable(env)
    if steps < 1:
        raise ValueError(f"collect: steps must be at least 1, got {steps}")
    records = _act(env, policy, seed, hold)
    rows = [next(records) for _ in range(steps)]
    kind = env.observation_space.dtype
    obs = kind if kind is not None and kind.kind in "iu" else np.float32
    types = {"observations": obs, "actions": env.action_space.dtype, "next_observations": obs}
    columns = {name: np.asarray([row[name] for row in rows], types.get(name)) for name in rows[0]}
    if not columns["terminated"].any():
        del columns["terminated"]
    return Dataset(**columns)


def _act(
    env: gym.Env[Any, Any], policy: Policy | None, seed: int, hold: int
) -> Iterator[dict[str, Any]]:
    rng, recorder = np.random.default_rng(seed), find_recorder(env)
    observation, _ = env.reset(seed=seed)
    start, age, state, action = True, 0, None, None
    has_costs: bool | None = None
    while True:
        if policy is not None:
            batch, state = policy.predict(observation[None], state, np.array([start]))
            action = batch[0]
        elif age % hold == 0:
            action = uniform_action(env.action_space, rng)
        own: dict[str, Any] = {}
        if recorder is not None:
            own["own_observations"] = recorder.observation
        successor, _, terminated, truncated, info = env.step(action)
        if recorder is not None:
            own["own_next_observations"] = recorder.observation
        has_costs = "cost" in info if has_costs is None else has_costs
        if has_costs:
            own["costs"] = cost_of(info)
        yield {
            "observations": observation,
            "actions": action,
            "next_observations": successor,
            "starts": start,
            "terminated": terminated,
            **own,
        }
        start, age, observation = terminated or truncated, age + 1, successor
        if start:
            observation, age = env.reset()[0], 0


def cost_of(info: Mapping[str, Any]) -> np.float32:
    """Return the cost that a step reports, `info["cost"]`; 0 if it reports none.

    Raises:
        ValueError: If it is no finite number.

    Example:
        >>> float(cost_of({"cost": 0.5})), float(cost_of({}))
        (0.5, 0.0)
    """
    value = info.get("cost", 0.0)
    try:
        found = np.float32(value)
    except (TypeError, ValueError):
        found = np.float32(np.nan)
    if found.shape != () or not np.isfinite(found):
        raise ValueError(f"info['cost'] of a step must be a finite number, got {value!r:.60}")
    return found


def uniform_action(space: gym.Space[Any], rng: np.random.Generator) -> Any:
    """Draw an action uniformly."""
    # Not space.sample(): the space's own generator would make the data depend on earlier users.
    if isinstance(space, gym.spaces.Discrete):
        return rng.integers(space.n)
    assert isinstance(space, gym.spaces.Box)
    return rng.uniform(space.low, space.high).astype(np.float32)


def check_spaces(env: gym.Env[Any, Any]) -> None:
    """Refuse an environment whose spaces forward-backward agents cannot use.

    Raises:
        ValueError: Naming the space and what would fit.
    """
    space = env.observation_space
    if not isinstance(space, gym.spaces.Box) or len(space.shape) != 1:
        raise ValueError(f"{env}: observations must be a Box of shape (k,), got {space}")
    _check_actions(env)


def check_encodable(env: gym.Env[Any, Any]) -> None:
    """Run `check_spaces`, but also accept pictures (integers in three axes) and tokens.

    Raises:
        ValueError: Naming the space and what would fit.
    """
    space = env.observation_space
    tokens = isinstance(space, gym.spaces.MultiDiscrete) and len(space.shape) == 1
    picture = isinstance(space, gym.spaces.Box) and len(space.shape) == PICTURE_AXES
    if tokens or (picture and space.dtype == np.uint8):
        return _check_actions(env)
    return check_spaces(env)


def _check_actions(env: gym.Env[Any, Any]) -> None:
    space = env.action_space
    if isinstance(space, gym.spaces.Discrete):
        if space.start != 0:
            raise ValueError(f"{env}: discrete actions must start at 0, got {space}")
        return
    if not (isinstance(space, gym.spaces.Box) and len(space.shape) == 1 and space.is_bounded()):
        raise ValueError(f"{env}: actions must be Discrete or a bounded Box (m,), got {space}")
    if not (np.all(space.low == -1) and np.all(space.high == 1)):
        raise ValueError(f"{env}: continuous actions must be in [-1, 1], got {space}")
