"""Data card: coverage of the state space, and the returns of the data in each task.

Both measures are those of "A Dataset Perspective on Offline Reinforcement Learning" (2021, arXiv
2111.04714), whose authors normalise by other datasets:

- SACo: distinct state-action pairs of the data, divided by those of a reference. Theirs is the
  replay of an online agent; ours is every pair in tabular environments, in others a given dataset,
  else there is none. They cut each number of a state into 100 parts; ours are in `coverage.py`,
  with an action in three parts along each axis.
- TQ of a task: (mean return of the data - least) / (most - least). The least is the mean return of
  random actions; the most is that of a trained expert, here of the environment's oracle.

Returns are those of whole episodes, relabelled and not discounted; data cut into
pieces have none, and tasks of data with variants are not measured. The 99.9th percentile of a
task's reward shows whether the data reach its high rewards.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.agents.datasets.checks import WrongDataset, check_shapes
from zerogym.agents.datasets.coverage import NEIGHBOUR, Cells, cells, state_entropy
from zerogym.agents.datasets.environments import task_names
from zerogym.agents.datasets.stored import StoredDataset
from zerogym.errors import NoOracle

ACTION_PARTS = 3
PERCENTILE = 99.9
FEWEST, STEPS = 4, 4000  # episodes for a mean return, and steps beyond which there are no more


@dataclass(frozen=True)
class Coverage:
    """Coverage of the state space."""

    quantities: tuple[str, ...]  # the numbers that define cells
    states: int  # distinct states or cells entered
    all_states: int | None  # their number, in tabular environments
    entropy: float  # of the visits, in bits
    spread: float | None  # differential entropy of observations, in nats; None in tabular ones
    pairs: int  # distinct pairs of state and action
    saco: float | None  # their share of those of the reference


@dataclass(frozen=True)
class TaskCard:
    """Returns of the data in a task."""

    name: str
    high: float  # 99.9th percentile of the reward of a transition
    mean_return: float | None  # of whole episodes; None if there is none
    best_return: float | None
    tq: float | None  # None without an oracle better than random actions


@dataclass(frozen=True)
class Card:
    """Everything `zerogym collect` prints about a dataset."""

    transitions: int
    episodes: int  # or pieces of them
    origin: tuple[dict[str, Any], ...]  # operations on the data since their collection
    worlds: int  # variants
    coverage: Coverage
    tasks: tuple[TaskCard, ...]


def make_card(
    dataset: StoredDataset,
    reference: StoredDataset | None = None,
    most_tasks: int = 20,
    episodes: int = 16,
) -> Card:
    """Measure a dataset.

    Args:
        dataset: The dataset.
        reference: Reference of SACo for environments that are not tabular.
        most_tasks: Maximum number of tasks, the first ones.
        episodes: Episodes of random actions and of the oracle for TQ; fewer, but at least 4, if
            they have more than 4,000 steps in all.

    Raises:
        WrongDataset: If the data do not fit their environment, or the reference is of another
            one.
    """
    with dataset.make() as env:
        check_shapes(dataset.path, dataset.shards[0], env)
        if reference is not None:
            names = reference.manifest["env"], dataset.manifest["env"]
            if names[0] != names[1]:
                raise WrongDataset(f"{reference.path} holds data of {names[0]}, not of {names[1]}")
            check_shapes(reference.path, reference.shards[0], env)
        covered = _coverage(dataset, env, reference)
        tasks = [] if dataset.variants else task_names(env)[:most_tasks]
        horizon = getattr(env.unwrapped, "horizon", 1)
        episodes = min(episodes, max(FEWEST, STEPS // horizon))
        cards = tuple(_task_card(dataset, env, name, episodes) for name in tasks)
    origin = tuple(dataset.manifest.get("origin", ()))
    worlds = len(dataset.variants) or 1
    return Card(len(dataset), len(dataset.episodes()), origin, worlds, covered, cards)


def _coverage(
    dataset: StoredDataset, env: gym.Env[Any, Any], reference: StoredDataset | None
) -> Coverage:
    quantities, before, entered = _cells_of(dataset, env)
    _, visits = np.unique(entered, axis=0, return_counts=True)
    share = visits / visits.sum()
    pairs = _pairs(before, dataset)
    states, space = getattr(env.unwrapped, "num_states", None), env.action_space
    few, whole = states is not None or len(dataset) <= NEIGHBOUR, None
    if reference is not None:
        whole = _pairs(_cells_of(reference, env)[1], reference)
    elif states is not None and not dataset.variants and isinstance(space, gym.spaces.Discrete):
        whole = states * int(space.n)
    return Coverage(
        quantities,
        len(visits),
        None if dataset.variants else states,
        float(-(share * np.log2(share)).sum()) + 0.0,  # no minus zero
        None if few else state_entropy(dataset.column("next_observations")),
        pairs,
        None if whole is None else pairs / whole,
    )


def _cells_of(
    dataset: StoredDataset, env: gym.Env[Any, Any]
) -> tuple[tuple[str, ...], Cells, Cells]:
    """Return cells; those of different variants differ."""
    names, before, after = cells(dataset, env)
    if not dataset.variants:
        return names, before, after
    own = dataset.column("variants").astype(np.int64)
    return ("variant", *names), np.column_stack([own, before]), np.column_stack([own, after])


def _pairs(states: NDArray[np.int64], dataset: StoredDataset) -> int:
    """Return the number of distinct pairs of cell and action."""
    actions = dataset.column("actions")
    if actions.ndim > 1:  # [-1, 1], to 0, 1 or 2
        parts = np.floor((actions + 1) / 2 * ACTION_PARTS).astype(np.int64)
        actions = np.clip(parts, 0, ACTION_PARTS - 1)
    return len(np.unique(np.column_stack([states, actions]), axis=0))


def _task_card(
    dataset: StoredDataset, env: gym.Env[Any, Any], name: str, episodes: int
) -> TaskCard:
    task = env.unwrapped.tasks[name]  # type: ignore[attr-defined]
    batch = (dataset.column(n) for n in ("observations", "actions", "next_observations"))
    rewards = np.asarray(task.relabel(*batch), np.float64)  # (N,)
    ended = dataset.column("terminated") | dataset.column("truncated")
    if any(each.get("subset", {}).get("length") for each in dataset.manifest.get("origin", ())):
        ended = np.zeros_like(ended)  # pieces have no return
    returns = [float(rewards[rows].sum()) for rows in dataset.episodes() if ended[rows.stop - 1]]
    high = float(np.percentile(rewards, PERCENTILE))
    if not returns:
        return TaskCard(name, high, None, None, None)
    mean = float(np.mean(returns))
    return TaskCard(name, high, mean, max(returns), _quality(dataset, env, name, mean, episodes))


def _quality(
    dataset: StoredDataset, env: gym.Env[Any, Any], name: str, mean: float, episodes: int
) -> float | None:
    """Return TQ; None if the oracle cannot solve the task, in all or in some episodes."""
    if not getattr(env.unwrapped, "has_oracle", False):
        return None
    rng = np.random.default_rng(0)
    oracle = env.get_wrapper_attr("oracle_action")
    options = {**dataset.manifest["config"]["reset_options"], "task": name}
    try:
        most = _mean_return(env, oracle, options, episodes)
    except NoOracle:
        return None
    least = _mean_return(env, lambda: env.get_wrapper_attr("random_action")(rng), options, episodes)
    return (mean - least) / (most - least) if most > least else None


def _mean_return(
    env: gym.Env[Any, Any], act: Callable[[], Any], options: dict[str, Any], episodes: int
) -> float:
    total = 0.0
    for seed in range(episodes):
        env.reset(seed=seed, options=options)
        over = False
        while not over:
            _, reward, terminated, truncated, _ = env.step(act())
            total, over = total + float(reward), terminated or truncated
    return total / episodes
