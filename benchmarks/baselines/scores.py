"""Normalised scores: 0 is random actions, 1 the best that is known of a task.

    score = (return - random) / (best reference - random)

The references are the stored rows of `zerogym baselines`; the agent of the best one is named beside
the score, because a learner of few steps may be beaten. Data that cover little are also measured
against the best policy inside them, as offline methods can hardly do better: the best episode, or
the best mean return among the policies that acted (an explorer, an oracle's task).

Left out: worlds with other arguments than their id's own.
"""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.agents.datasets.stored import StoredDataset
from zerogym.benchmarks.baselines.measure import (
    PLANNER,
    about,
    control_worlds,
    fitting_learners,
    task_names,
)
from zerogym.benchmarks.baselines.scripts import needs_no_learner
from zerogym.benchmarks.baselines.store import FOLDERS, Row, merged
from zerogym.benchmarks.results.estimates import normalise
from zerogym.envs.control.core.env import ControlEnv
from zerogym.envs.control.mujoco.base import MujocoEnv
from zerogym.envs.registry import Task as Entry
from zerogym.errors import UnknownName, ZerogymError

RANDOM = "random"


class MissingReference(ZerogymError, LookupError):
    """A score needs a return that nobody has measured; names the command that measures it."""


@dataclass(frozen=True)
class Scale:
    """From a return to a score.

    Attributes:
        world: Name of the world.
        task: Name of the task.
        random: Mean return of random actions: 0.
        best: The highest mean return that is known: 1.
        agent: Whose.
    """

    world: str
    task: str
    random: float
    best: float
    agent: str

    def score(self, value: float) -> float:
        """Return the score of a return; NaN where no reference exceeds random actions."""
        return float(normalise(value, self.random, self.best))


@dataclass(frozen=True)
class Gap:
    """A reference that is missing.

    Attributes:
        world: Name of the world.
        task: Name of the task.
        lacks: What is missing, in words.
        agent: The agent to be measured; None stands for those that need no learning.
    """

    world: str
    task: str
    lacks: str
    agent: str | None = None

    def __str__(self) -> str:
        how = command(self.world, [self.task], self.agent)
        return f"{self.world} {self.task} has no {self.lacks}, measure it: {how}"


def command(world: str, tasks: Iterable[str] = (), agent: str | None = None) -> str:
    """Return the command that measures the tasks of a world, all of them if none is named."""
    words = ["zerogym", "baselines", world]
    words += [word for name in tasks for word in ("--task", name)]
    return shlex.join([*words, *(("--agent", agent) if agent else ())])


def normalised_score(
    value: float, world: str, task: str, folders: Iterable[Path] = FOLDERS
) -> float:
    """The score of an undiscounted return; 0 random, 1 the best reference.

    Args:
        value: The return, of whole episodes with the world's own horizon.
        world: Id or name.
        task: Name of the task.
        folders: Where measurements are.

    Raises:
        UnknownName: If there is no such world.
        MissingReference: If a reference was not measured.

    Example:
        >>> normalised_score(20.0, "zerogym/RiverSwim-v0", "goal_1")
        1.0
    """
    return scale(world, task, folders).score(value)


def scale(world: str, task: str, folders: Iterable[Path] = FOLDERS) -> Scale:
    """Return the returns that are 0 and 1 for a task; arguments as of `normalised_score`."""
    entry = _entry(world)
    env = gym.make(entry.id, task=None)
    try:
        found = references(entry, env.unwrapped, [task], folders)[task]  # type: ignore[arg-type]
    finally:
        env.close()
    if isinstance(found, Gap):
        raise MissingReference(str(found))
    return found


def references(
    entry: Entry, world: ControlEnv, tasks: Iterable[str], folders: Iterable[Path] = FOLDERS
) -> Mapping[str, Scale | Gap]:
    """For each task its scale, or what is missing."""
    rows: dict[str, list[Row]] = {}
    for row in merged(entry.name, about(world, entry), folders):
        rows.setdefault(row.task, []).append(row)
    known, found = task_names(world), {}
    for task in tasks:
        if task not in known:
            raise UnknownName(f"task of {entry.name}", task, known)
        found[task] = _reference(entry, world, task, rows.get(task, []))
    return found


def _reference(entry: Entry, world: ControlEnv, task: str, rows: list[Row]) -> Scale | Gap:
    floor = next((row for row in rows if row.agent == RANDOM), None)
    others = [row for row in rows if row.agent != RANDOM]
    if floor is None:
        return Gap(entry.name, task, "random return")
    if not others:
        agent = PLANNER if isinstance(world, MujocoEnv) else fitting_learners(world)[0]
        known = needs_no_learner(entry, task)
        return Gap(entry.name, task, "best return", None if known else agent)
    best = max(others, key=lambda row: row.mean)
    agent = f"{best.agent} after {best.steps} steps" if best.steps else best.agent
    return Scale(entry.name, task, floor.mean, best.mean, agent)


def scale_inside(
    dataset: StoredDataset,
    task: str,
    best: Literal["episode", "policy"] = "episode",
    random: float | None = None,
    folders: Iterable[Path] = FOLDERS,
) -> Scale:
    """The scale on which 1 is the best policy inside the data, relabelled with a task.

    Args:
        dataset: What `load_dataset` opened.
        task: Name of a task of its world.
        best: What 1 is: the return of the best whole episode, or the mean return of the best of
            those who acted (of one name, and in data of an oracle with one task).
        random: What 0 is; None takes the stored return of random actions.
        folders: Where that is stored.

    Raises:
        MissingReference: If random actions were not measured in a world with the data's arguments
            and starts, or no episode of the data is whole.
    """
    name = str(dataset.manifest["env"])
    env = dataset.make()
    try:
        world: Any = env.unwrapped
        if task not in world.tasks:
            raise UnknownName(f"task of {name}", task, list(world.tasks))
        if random is None:
            random = _floor(dataset, world, task, folders)
        returns, whole, who = _returns(dataset, world.tasks[task])
    finally:
        env.close()
    if not whole.any():
        raise MissingReference(f"{dataset.path}: no episode of the data is whole")
    returns, who = returns[whole], who[whole]
    if best == "episode":
        return Scale(name, task, random, float(returns.max()), "best episode of the data")
    means = [float(returns[(who == one).all(axis=1)].mean()) for one in np.unique(who, axis=0)]
    return Scale(name, task, random, max(means), "best policy of the data")


def _returns(
    dataset: StoredDataset, task: Any
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.int64]]:
    """Return of each episode the return (E,), if it is whole (E,), player and task (E, 2)."""
    columns = ("observations", "actions", "next_observations")
    rewards = task.relabel(*(dataset.column(name) for name in columns))  # (N,)
    ended = dataset.column("terminated") | dataset.column("truncated")
    episodes = dataset.episodes()
    first = np.array([rows.start for rows in episodes])
    last = np.array([rows.stop - 1 for rows in episodes])
    who = np.zeros((len(episodes), 2), dtype=np.int64)
    for place, name in enumerate(("players", "tasks")):
        if name in dataset.columns:
            who[:, place] = dataset.column(name)[first]
    return np.add.reduceat(np.asarray(rewards, np.float64), first), ended[last], who


def _floor(dataset: StoredDataset, world: ControlEnv, task: str, folders: Iterable[Path]) -> float:
    """The stored return of random actions, if it is of the data's world."""
    entry, made = _entry(dataset.manifest["env"]), dataset.manifest
    given = {n: v for n, v in made["env_kwargs"].items() if n not in ("task", "render_mode")}
    given |= dict(made["config"]["reset_options"])
    if given:
        raise MissingReference(
            f"{dataset.path}: random actions were measured with the arguments and starts of "
            f"{entry.id} itself, not with {given}: give `random`"
        )
    for row in merged(entry.name, about(world, entry), folders):
        if row.task == task and row.agent == RANDOM:
            return row.mean
    raise MissingReference(str(Gap(entry.name, task, "random return", RANDOM)))


def _entry(world: str) -> Entry:
    entries = {entry.id: entry for entry in control_worlds()}
    by_name = {entry.name: entry for entry in entries.values()}
    found = entries.get(world) or by_name.get(world)
    if found is None:
        raise UnknownName("control world", world, list(by_name))
    return found
