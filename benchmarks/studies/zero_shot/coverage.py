"""Data of a grid with wide or narrow coverage, and the best policy inside them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.datasets.dataset import Dataset
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.base import TabularEnv
from zerogym.envs.control.tabular.dynamic_programming import (
    evaluate_policy,
    expected,
    value_iteration,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Walk = Callable[[TabularEnv, np.random.Generator], tuple[int, Floats]]  # start, policy (S, A)

EPISODE = 50  # steps
SHORT = 8  # steps of an episode that stays near its corner
LEAST = 0.1  # of the span from random to optimal: less is no scale
TOLERANCE = 1e-10


def everywhere(world: TabularEnv, rng: np.random.Generator) -> tuple[int, Floats]:
    """Walk by random actions from any state."""
    return int(rng.integers(world.num_states)), _uniform(world)


def in_the_corner(world: TabularEnv, rng: np.random.Generator) -> tuple[int, Floats]:
    """Walk by random actions from the first state; short episodes hardly leave its room."""
    return 0, _uniform(world)


def to_goals(world: TabularEnv, rng: np.random.Generator) -> tuple[int, Floats]:
    """Walk by the shortest path from any state to any other, always the same one."""
    start, goal = (int(state) for state in rng.integers(world.num_states, size=2))
    reward = np.eye(world.num_states)[goal]
    chosen = value_iteration(world.next_state, reward, 0.95)[1]
    return start, np.eye(len(world.action_names))[chosen]


KINDS: Mapping[str, tuple[Walk, int]] = MappingProxyType(
    {
        "random": (everywhere, EPISODE),
        "goal-directed": (to_goals, EPISODE),
        "one corner": (in_the_corner, SHORT),
    }
)


def walks(world: TabularEnv, kind: str, steps: int, seed: int) -> Dataset:
    """Return transitions of a kind.

    Args:
        world: A deterministic tabular environment.
        kind: Of `KINDS`.
        steps: Number of transitions.
        seed: Of everything.
    """
    rng, (walk, length) = np.random.default_rng(seed), KINDS[kind]
    rows: list[tuple[int, int, int]] = []
    while len(rows) < steps:
        state, policy = walk(world, rng)
        for _ in range(length):
            action = int(rng.choice(policy.shape[1], p=policy[state]))
            after = int(world.next_state[state, action])
            rows.append((state, action, after))
            state = after
    before, actions, after_all = np.array(rows[:steps], dtype=np.int64).T
    return Dataset(world.observation_of(before), actions, world.observation_of(after_all))


def actions_in_data(world: Any, data: Dataset) -> NDArray[np.bool_]:
    """Return the state-action pairs of the data as a mask; (S, A)."""
    shown = np.zeros(world.mdp.outcomes.shape[:2], dtype=np.bool_)
    shown[world.state_of(data.observations), data.actions] = True
    return shown


def best_inside(world: TabularEnv, task: Task, shown: NDArray[np.bool_], gamma: float) -> Floats:
    """Return the values (S,) of the best policy with only the actions of the data.

    In states without data its actions are random. Unlike the best episode of the data
    (`benchmarks.baselines.scores.scale_inside`), it may join parts of several walks.
    """
    reward, values = world.reward_of(task), np.zeros(world.num_states)  # (S, A), (S,)
    known = shown.any(axis=1)
    while True:
        q = reward + gamma * expected(world.mdp.dynamics, values)  # (S, A)
        found = np.where(known, np.where(shown, q, -np.inf).max(axis=1), q.mean(axis=1))
        if np.abs(found - values).max() * gamma <= TOLERANCE * (1 - gamma):
            return np.asarray(found)
        values = found


def score_inside(
    world: TabularEnv, task: Task, policy: Ints, shown: NDArray[np.bool_], gamma: float
) -> float:
    """Return (V - V_random) / (V_inside - V_random), each the mean over states with data.

    Args:
        world: A deterministic tabular environment.
        task: The task.
        policy: Actions (S,).
        shown: Of `actions_in_data`.
        gamma: Discount.

    Returns:
        NaN where the data allow less than `LEAST` of the gain of value iteration over random play.
    """
    reward, starts = world.reward_of(task), shown.any(axis=1)
    everyone = {
        "agent": evaluate_policy(world.next_state, policy, reward, gamma),
        "random": evaluate_policy(world.next_state, _uniform(world), reward, gamma),
        "inside": best_inside(world, task, shown, gamma),
        "best": value_iteration(world.next_state, reward, gamma)[0],
    }
    value = {name: float(values[starts].mean()) for name, values in everyone.items()}
    span = value["inside"] - value["random"]
    if span < LEAST * (value["best"] - value["random"]):
        return np.nan
    return (value["agent"] - value["random"]) / span


def _uniform(world: TabularEnv) -> Floats:
    shape = world.next_state.shape
    return np.full(shape, 1 / shape[1])
