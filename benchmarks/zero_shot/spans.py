"""The rewards that agents seek in place of those of the tasks: what is lost, and where.

Agents with features replace a reward by its least squares fit to these; FRE by what its decoder
reads from the code. Of each the share of the reward's variance on the data that is kept, the score
in the task of the best policy for what is kept, and the agent's score. A low second number is the
fault of features or code, one far above the third that of the policy. Left out: goals, which have
prompts of their own, agents of goals only, and PSM, whose scores are already the best.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.datasets.environments import make_env
from zerogym.agents.zero_shot.agents import AGENTS, Start
from zerogym.agents.zero_shot.evaluation.returns import evaluate_tabular, policy_score
from zerogym.benchmarks.results.provenance import provenance
from zerogym.benchmarks.studies.zero_shot.rivals import optimal
from zerogym.benchmarks.zero_shot.data import data_of
from zerogym.benchmarks.zero_shot.suite import ENTRIES, GAMMA, WORLDS, ZeroShotWorld, tasks_by_kind
from zerogym.envs.control.core.tasks import Task

AGENTS_SHOWN = (
    "FB", "SF laplacian", "SF BYOL-gamma", "SF TD-JEPA", "PLDM", "HILP", "FRE", "BREEZE",
)  # fmt: skip
PLACES = tuple(world for world in WORLDS if world.name in ("four rooms", "pits"))
DIGITS = 4


def measure_spans(seed: int = 0) -> dict[str, Any]:
    """Train the agents, and return `session` and `worlds`: each its name and `shares`.

    Shares are `kept`, `optimum` and `score` by agent and kind, each the mean over the tasks of a
    kind.
    """
    session = provenance()
    return {
        "session": {name: session[name] for name in ("date", "commit", "processor")},
        "worlds": [{"world": world.name, "shares": shares_of(world, seed)} for world in PLACES],
    }


def shares_of(
    world: ZeroShotWorld,
    seed: int,
    updates: int | None = None,
    agents: Sequence[str] = AGENTS_SHOWN,
) -> dict[str, dict[str, dict[str, float]]]:
    """Return the shares of each agent and kind of task in a world.

    Args:
        world: Of the table.
        seed: Of data, weights and batches.
        updates: Of every agent; None: those of the table.
        agents: Names.
    """
    env, data = make_env(world.env, world.kwargs), data_of(world, seed)
    grid: Any = env.unwrapped
    kinds = {
        kind: tasks for kind, tasks in tasks_by_kind(world, grid.tasks).items() if kind != "goal"
    }
    found: dict[str, dict[str, dict[str, float]]] = {}
    for entry in (entry for entry in ENTRIES if entry.name in agents):
        count = entry.updates if updates is None else updates
        start = Start(world.env, data, len(grid.action_names), True, count, seed)
        model = AGENTS.make(entry.agent)(start)
        model.learn(data, count)
        found[entry.name] = {}
        for kind, tasks in kinds.items():
            scores = evaluate_tabular(model, env, tasks, GAMMA)
            meant = [meant_task(model, task, data) for task in tasks]
            pairs = list(zip(tasks, meant, strict=True))
            numbers = {
                "kept": [kept_share(*pair, data) for pair in pairs],
                "optimum": [
                    policy_score(grid, task, optimal(grid, own, GAMMA), GAMMA)
                    for task, own in pairs
                ],
                "score": list(scores.values()),
            }
            found[entry.name][kind] = {
                name: round(float(np.mean(values)), DIGITS) for name, values in numbers.items()
            }
    env.close()
    return found


def meant_task(model: Any, task: Task, data: Dataset) -> Task:
    """Return the task with the reward that a model makes of a reward.

    Raises:
        TypeError: If the model has neither features nor a decoder.
    """
    rewards = np.asarray(data.rewards(task), dtype=np.float64)
    if hasattr(model, "decode"):  # FRE, whose labels are divided by the greatest
        code, scale = model.infer(task)[None], float(np.abs(rewards).max())

        def decoded(before: Any, action: Any, after: Any) -> NDArray[np.float64]:
            with torch.no_grad():
                read = model.decode(code, _rows(after)[None])[0]
            return scale * read.double().numpy()

        return Task(task.name, "", decoded)
    features = features_of(model)

    def basis(before: Any, after: Any) -> NDArray[np.float64]:
        with torch.no_grad():
            found = features(_rows(before), _rows(after)).double().numpy()
        return np.column_stack([found, np.ones(len(found))])

    known = basis(data.observations, data.next_observations)  # (N, d + 1)
    weights = np.linalg.lstsq(known, rewards, rcond=None)[0]
    return Task(task.name, "", lambda before, _, after: basis(before, after) @ weights)


def features_of(model: Any) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the features (N, d) of transitions between observations (N, k) of a model.

    Raises:
        TypeError: If it has none.
    """
    if hasattr(model, "features"):  # HILP
        return lambda before, after: model.features(before, after)
    if hasattr(model, "encoder"):  # PLDM
        return lambda before, after: model.encoder(after)
    if hasattr(model, "model"):  # forward-backward and successor features
        return lambda before, after: model.model.backward_net(model.model.encoder(after))
    raise TypeError(f"{type(model).__name__} has neither features nor a decoder")


def kept_share(task: Task, meant: Task, data: Dataset) -> float:
    """Return the share of the variance of a task's reward on the data that another keeps."""
    rewards, own = (np.asarray(data.rewards(one), dtype=np.float64) for one in (task, meant))
    return max(0.0, 1 - float(np.square(rewards - own).mean() / rewards.var()))


def _rows(observations: Any) -> Tensor:
    return torch.as_tensor(np.asarray(observations, dtype=np.float32))
