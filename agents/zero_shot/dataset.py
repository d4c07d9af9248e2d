"""Transitions without rewards, and how to collect them from any environment.

Left out: termination. A reward-free world never ends, so `collect` refuses one that does; episodes
may be cut by a time limit, which a transition does not show and need not.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.agents.core import Policy
from zerogym.agents.zero_shot.storage import NotAModel, write_atomically

_ARRAYS = ("observations", "actions", "next_observations")
# np.load answers a file of another kind with any of these.
_UNREADABLE = (OSError, EOFError, BadZipFile, LookupError, TypeError, ValueError)


@dataclass(frozen=True, eq=False)
class Dataset:
    """N transitions.

    Attributes:
        observations: (N, k) float32.
        actions: (N,) int64 for discrete actions, (N, m) float32 for continuous ones.
        next_observations: (N, k) float32; the true successor, also at the end of an episode.

    Raises:
        ValueError: If it is empty, shapes disagree, or a number is not finite.
    """

    observations: NDArray[np.float32]
    actions: NDArray[Any]
    next_observations: NDArray[np.float32]

    def __post_init__(self) -> None:
        if len(self.observations) == 0:
            raise ValueError("a dataset needs at least one transition, got none")
        if self.observations.ndim != 2 or self.observations.shape != self.next_observations.shape:
            raise ValueError(
                "observations and next_observations must both have shape (N, k), got "
                f"{self.observations.shape} and {self.next_observations.shape}"
            )
        if len(self.actions) != len(self.observations):
            raise ValueError(
                f"{len(self.observations)} observations but {len(self.actions)} actions"
            )
        for name in _ARRAYS:
            if not np.isfinite(getattr(self, name)).all():
                raise ValueError(f"{name} of the dataset have a number that is not finite")

    def __len__(self) -> int:
        return len(self.observations)

    def take(self, count: int, seed: int = 0) -> "Dataset":
        """`count` transitions drawn without repetition, or all of them if there are fewer."""
        order = np.random.default_rng(seed).permutation(len(self))[:count]
        return Dataset(*(getattr(self, name)[order] for name in _ARRAYS))

    def ends(self) -> NDArray[np.int64]:
        """For each transition the row of the last one of its walk, (N,).

        A walk goes on where the next row starts in the state that this row entered: what is stored
        does not say more, and a reset to exactly that state is taken for a step.
        """
        broken = (self.next_observations[:-1] != self.observations[1:]).any(1)  # (N - 1,)
        stops = np.append(np.flatnonzero(broken), len(self) - 1)
        return stops[np.searchsorted(stops, np.arange(len(self)))]

    def save(self, path: Path | str) -> None:
        """Write a compressed npz file, atomically."""

        def write(name: Path) -> None:
            with name.open("wb") as file:
                np.savez_compressed(file, **{key: getattr(self, key) for key in _ARRAYS})

        write_atomically(Path(path), write)

    @classmethod
    def load(cls, path: Path | str) -> "Dataset":
        """Read what `save` wrote; nothing is unpickled.

        Raises:
            NotAModel: If the file is missing, damaged or something else.
        """
        try:
            with np.load(path, allow_pickle=False) as arrays:
                return cls(*(arrays[name] for name in _ARRAYS))
        except _UNREADABLE as error:
            raise NotAModel(f"{path} is not a dataset of transitions: {error}") from None


def collect(
    env: gym.Env[Any, Any], steps: int, policy: Policy | None = None, seed: int = 0, hold: int = 1
) -> Dataset:
    """Let a policy act, and record what happens.

    Args:
        env: A reward-free environment with a one-dimensional `Box` observation and `Discrete` or
            one-dimensional bounded `Box` actions.
        steps: Transitions to record, N.
        policy: Who acts; None draws every action uniformly.
        seed: Of the environment and of the random actions.
        hold: Steps for which a random action is repeated: held actions travel farther.

    Raises:
        ValueError: If spaces do not fit, `steps` is below 1, or the environment terminates.
    """
    check_spaces(env)
    if steps < 1:
        raise ValueError(f"collect: steps must be at least 1, got {steps}")
    records = _act(env, policy, seed, hold)
    rows = [next(records) for _ in range(steps)]
    observations, actions, successors = zip(*rows, strict=True)
    return Dataset(
        np.asarray(observations, dtype=np.float32),
        np.asarray(actions, dtype=env.action_space.dtype),
        np.asarray(successors, dtype=np.float32),
    )


def _act(
    env: gym.Env[Any, Any], policy: Policy | None, seed: int, hold: int
) -> Iterator[tuple[Any, Any, Any]]:
    rng = np.random.default_rng(seed)
    observation, _ = env.reset(seed=seed)
    start, age, state, action = True, 0, None, None
    while True:
        if policy is not None:
            batch, state = policy.predict(observation[None], state, np.array([start]))
            action = batch[0]
        elif age % hold == 0:
            action = _uniform(env.action_space, rng)
        successor, _, terminated, truncated, _ = env.step(action)
        if terminated:
            raise ValueError(f"{env} terminated; reward-free data need a world that goes on")
        yield observation, action, successor
        start, age, observation = truncated, age + 1, successor
        if truncated:
            observation, age = env.reset()[0], 0


def _uniform(space: gym.Space[Any], rng: np.random.Generator) -> Any:
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
    seen, done = env.observation_space, env.action_space
    if not isinstance(seen, gym.spaces.Box) or len(seen.shape) != 1:
        raise ValueError(f"{env}: observations must be a Box of shape (k,), got {seen}")
    if isinstance(done, gym.spaces.Discrete):
        if done.start != 0:
            raise ValueError(f"{env}: discrete actions must start at 0, got {done}")
        return
    if not (isinstance(done, gym.spaces.Box) and len(done.shape) == 1 and done.is_bounded()):
        raise ValueError(f"{env}: actions must be Discrete or a bounded Box (m,), got {done}")
    if not (np.all(done.low == -1) and np.all(done.high == 1)):
        raise ValueError(f"{env}: continuous actions must be in [-1, 1], got {done}")
