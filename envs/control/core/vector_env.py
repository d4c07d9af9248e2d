"""The base of worlds that are stepped together, as one Gymnasium `VectorEnv`.

Returns bit for bit what Gymnasium's `SyncVectorEnv` of as many single worlds does, autoreset
included. Observations, rewards, goals and infos are made once for the whole batch.

Left out: wrappers around each world, snapshots and oracles, for which there is
`vectorization_mode="sync"`; autoreset but in the step after the last; time limits but `horizon`;
worlds that terminate.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import load_env_creator
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import as_floats
from zerogym.envs.control.core.env import ContextEnv
from zerogym.envs.control.core.tasks import Task

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Step = tuple[Floats, NDArray[np.float64], Flags, Flags, dict[str, Any]]
Group = tuple[Task, slice | NDArray[np.int64]]  # a task, and the rows that have it


WorldT = TypeVar("WorldT", bound=ContextEnv)


class ControlVectorEnv(VectorEnv[Floats, Floats, NDArray[Any]], Generic[WorldT]):
    """`num_envs` worlds of one kind, each in its own episode.

    A subclass says how they move: `_advance`, `_at_goal`, and in `_started` what it keeps of a
    world whose episode has just begun.

    Args:
        id: Of the single environment.
        num_envs: Number of worlds.
        context: Constants of all worlds, or a sequence of such mappings, one for each world.
        **kwargs: Of the single environment: `task`, `horizon`, `render_mode`.

    Raises:
        ValueError: If a number is not an integer >= 1, or the number of contexts is another.
    """

    def __init__(
        self,
        id: str,
        num_envs: int = 1,
        context: Mapping[str, float] | Sequence[Mapping[str, float]] | None = None,
        **kwargs: Any,
    ) -> None:
        check_count("num_envs", num_envs)
        each = context if isinstance(context, Sequence) else [context] * num_envs
        if len(each) != num_envs:
            raise ValueError(f"{len(each)} contexts for {num_envs} worlds: give one for each")
        self.worlds: list[WorldT] = list(_made(id, each, kwargs))
        self._one = one = self.worlds[0]
        self.num_envs, self.horizon, self.render_mode = num_envs, one.horizon, one.render_mode
        self.metadata = {**one.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_observation_space = one.observation_space
        self.single_action_space = one.action_space
        self.observation_space = batch_space(one.observation_space, num_envs)
        self.action_space = batch_space(one.action_space, num_envs)
        self._begun = False

    @abstractmethod
    def _advance(self, actions: Floats, ended: Flags) -> Floats:
        """Move all worlds but those whose episode has ended; return all observations."""

    @abstractmethod
    def _at_goal(self, observations: Floats, goal: NDArray[Any]) -> Flags:
        """Return which observations count as the goal."""

    def _started(self, row: int) -> None:
        """Keep what is needed of a world whose episode has just begun."""

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Floats, dict[str, Any]]:
        """Start the episodes of all worlds, or of those in a mask.

        Args:
            seed: Of the first world, counted up for the next ones; or one for each.
            options: `start`, `task` and `context` as of the single environment, for all that start;
                `reset_mask`, (num_envs,) bool: which worlds.

        Raises:
            ValueError: If the number of seeds is another, or the mask is not of that kind.
            ResetNeeded: If a mask is given and not all have started.
            ClosedEnvironmentError: After `close`.
        """
        if self.closed:
            raise ClosedEnvironmentError(f"{self._one.name}: it has been closed, make a new one")
        chosen, count = dict(options or {}), self.num_envs
        mask = self._mask(chosen.pop("reset_mask", None))
        seeds = [seed] * count if seed is None else seed
        if isinstance(seeds, (int, np.integer)):
            seeds = [int(seeds) + row for row in range(count)]
        if len(seeds) != count:
            raise ValueError(f"{len(seeds)} seeds for {count} worlds: give one for each")
        if chosen.get("task") is not None:  # one object for all: relabelled together
            chosen["task"] = self._one.task_of(chosen["task"])
        if not self._begun:
            self._observations = np.zeros(self.observation_space.shape or (), dtype=np.float32)
            self._tasks: list[Task | None] = [None] * count
            self._turn = np.zeros(count, dtype=np.int64)
            self._over, self._success = np.zeros((2, count), dtype=np.bool_)
        for row in np.flatnonzero(mask).tolist():
            self._begin(row, seeds[row], chosen)
        self._begun = True
        self._regroup()
        return self._observations.copy(), self._infos(mask)

    def step(self, actions: Any) -> Step:
        """Step every world, but reset those whose episodes the last step ended.

        Args:
            actions: (num_envs, A); ignored for worlds that are reset.

        Raises:
            ValueError: If they are not that, or one is not finite.
            FloatingPointError: If a simulation has become unstable.
            ResetNeeded: If no episode has started.
        """
        if not self._begun:
            raise ResetNeeded(f"{self._one.name}: call reset() first")
        given, before, ended = self._checked(actions), self._observations, self._over
        self._begun = False  # if a simulation or a reward fails now
        self._observations = self._advance(given, ended)
        rewards = np.zeros(self.num_envs)
        for task, rows in self._groups if not ended.any() else _without(self._groups, ended):
            rewards[rows] = task.relabel(before[rows], given[rows], self._observations[rows])
            if task.goal is not None:
                self._success[rows] |= self._at_goal(self._observations[rows], task.goal)
        self._turn += 1
        self._over = self._turn >= self.horizon
        if ended.any():
            for row in np.flatnonzero(ended).tolist():
                self._begin(row)
            self._regroup()
        self._begun = True
        never = np.zeros(self.num_envs, dtype=np.bool_)
        return self._observations.copy(), rewards, never, self._over.copy(), self._infos(~never)

    def render(self) -> tuple[Any, ...]:
        """Draw each world."""
        return tuple(world.render() for world in self.worlds)

    def close_extras(self, **kwargs: Any) -> None:
        """Free the renderers."""
        self._begun = False
        for world in self.worlds:
            world.close()

    def _begin(
        self, row: int, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> None:
        """Start an episode of one world."""
        world = self.worlds[row]
        self._observations[row] = world.reset(seed=seed, options=options)[0]
        self._tasks[row] = world._episode.task
        self._turn[row], self._over[row], self._success[row] = 0, False, False
        self._started(row)

    def _regroup(self) -> None:
        """Group the worlds by task: those that share one are relabelled in one call."""
        rows: dict[Task | None, list[int]] = {}
        for row, task in enumerate(self._tasks):
            rows.setdefault(task, []).append(row)
        self._groups: list[Group] = [
            (task, slice(None) if len(rows) == 1 else np.array(those))
            for task, those in rows.items()
            if task is not None
        ]
        self._names = np.array([task and task.name for task in self._tasks], dtype=object)
        self._named = np.array([task is not None for task in self._tasks])
        self._aimed = np.array([task is not None and task.goal is not None for task in self._tasks])

    def _infos(self, mask: Flags) -> dict[str, Any]:
        """Return what `SyncVectorEnv` makes of the single infos of these rows."""
        named, aimed = mask & self._named, mask & self._aimed & (self._turn > 0)
        infos: dict[str, Any] = {"turn": np.where(mask, self._turn, 0), "_turn": mask.copy()}
        if named.any():
            names = self._names.copy()
            names[~named] = None
            infos |= {"category": names, "_category": named}
        if aimed.any():
            infos |= {"success": self._success & aimed, "_success": aimed}
        return infos

    def _checked(self, actions: Any) -> Floats:
        given = as_floats(actions)
        if given.shape == self.action_space.shape:
            given = np.where(self._over[:, None], 0.0, given)
            if np.isfinite(given).all():
                return np.clip(given, -1.0, 1.0).astype(np.float32)
        raise ValueError(
            f"{self._one.name}: actions must be {self.action_space.shape} finite numbers in "
            f"[-1, 1], got {str(actions)[:60]}"
        )

    def _mask(self, given: Any) -> Flags:
        """Return which worlds start."""
        if given is None:
            return np.ones(self.num_envs, dtype=np.bool_)
        mask = np.asarray(given)
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ValueError(
                f"reset_mask must be {self.num_envs} truth values, not all False, got {given!r:.60}"
            )
        if not self._begun and not mask.all():
            raise ResetNeeded(f"{self._one.name}: call reset() without a mask first")
        return mask


def _without(groups: Iterable[Group], ended: Flags) -> Iterator[Group]:
    """Yield the groups without the worlds that are reset: that step has no reward."""
    for task, rows in groups:
        if len(going := np.setdiff1d(np.arange(len(ended))[rows], np.flatnonzero(ended))) > 0:
            yield task, going


def _made(
    id: str, contexts: Iterable[Mapping[str, float] | None], arguments: Mapping[str, Any]
) -> Iterator[Any]:
    """Make the single environments; a task is resolved once, so that all share one object."""
    spec = gym.spec(id)
    make: Any = load_env_creator(str(spec.entry_point))
    shared = dict(arguments)
    for context in contexts:
        world: Any = make(context=context, **shared)
        world.spec, shared["task"] = spec, world._task
        yield world


def check_count(what: str, count: object) -> None:
    """Refuse what is no integer above 0.

    Raises:
        ValueError: If it is something else.
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ValueError(f"{what} must be an integer >= 1, got {count!r}")
