"""One cell of the table: an agent learns from the data of one seed, and all tasks are scored."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.datasets.environments import make_env
from zerogym.agents.zero_shot.agents import AGENTS, Start
from zerogym.agents.zero_shot.evaluation.returns import evaluate_tabular, policy_score
from zerogym.agents.zero_shot.protocol import Prompted
from zerogym.benchmarks.studies.zero_shot.coverage import actions_in_data
from zerogym.benchmarks.studies.zero_shot.rivals import (
    best_of_data,
    greedy_on_random,
    optimal,
    planned_on_counts,
)
from zerogym.benchmarks.studies.zero_shot.rooms import straight
from zerogym.benchmarks.zero_shot.data import data_of, tasks_in
from zerogym.benchmarks.zero_shot.played import play, player_of
from zerogym.benchmarks.zero_shot.suite import (
    GAMMA,
    ORACLE,
    RIVALS,
    ZeroShotEntry,
    ZeroShotWorld,
)
from zerogym.envs.control.core.tasks import Task

Scores = dict[str, dict[str, float]]  # by kind and task
Report = Callable[[int, int], object]  # updates so far, and all
PART = 1000  # updates between reports, at least
MOST_PARTS = 50


def score_agent(
    entry: ZeroShotEntry, world: ZeroShotWorld, seed: int, report: Report
) -> Mapping[str, Any]:
    """Train an agent and score it: `scores`, `updates`, seconds of learning and of CPU."""
    env, data = make_env(world.env, world.kwargs), data_of(world, seed)
    space: Any = env.action_space
    actions = space.shape[0] if world.episodes else int(space.n)
    start = Start(world.env, data, actions, not world.episodes, entry.updates, seed)
    began, cpu = time.perf_counter(), time.process_time()
    model = AGENTS.make(entry.agent)(start)
    done, part = 0, max(PART, entry.updates // MOST_PARTS)
    while done < entry.updates:
        step = min(part, entry.updates - done)
        model.learn(data, step)
        done += step
        report(done, entry.updates)
    seconds, used = time.perf_counter() - began, time.process_time() - cpu
    if world.episodes:
        scores = play(world, seed, lambda task, env: Prompted(model, model.infer(task)))
    else:
        unwrapped: Any = env.unwrapped
        scores = {
            kind: evaluate_tabular(model, env, tasks, GAMMA)
            for kind, tasks in tasks_in(world, unwrapped.tasks, data).items()
        }
    env.close()
    timing = {"seconds": round(seconds, 2), "cpu_s": round(used, 2)}
    return {"scores": scores, "updates": entry.updates, **timing}


def score_rival(rival: str, world: ZeroShotWorld, seed: int) -> Mapping[str, Any]:
    """Score a policy without learning; `scores` is empty where the world has no such policy."""
    env, data = make_env(world.env, world.kwargs), data_of(world, seed)
    if world.episodes:
        player = player_of(rival, world, data, seed)
        return {"scores": play(world, seed, player) if player else {}}
    unwrapped: Any = env.unwrapped
    policy = policy_of(rival, unwrapped, data)
    scores = {
        kind: {task.name: policy_score(unwrapped, task, policy(task), GAMMA) for task in tasks}
        for kind, tasks in (tasks_in(world, unwrapped.tasks, data).items() if policy else ())
        if policy
    }
    env.close()
    return {"scores": scores}


def policy_of(
    rival: str, world: Any, data: Dataset
) -> Callable[[Task], NDArray[np.float64]] | None:
    """Return the policy (S, A) of each task by one of `RIVALS`; None where it is not defined.

    "best in the data" is the best policy with the data's actions by the true model, which is
    computed for certain steps only.
    """
    actions = len(world.action_names)
    if rival == RIVALS[0]:
        return lambda task: straight(world.layout, task)
    if rival == RIVALS[1]:
        return lambda task: greedy_on_random(world, task, GAMMA)
    if rival == RIVALS[2]:
        return lambda task: planned_on_counts(world, task, data, GAMMA)
    if rival == RIVALS[4]:
        return lambda task: np.full((world.num_states, actions), 1 / actions)
    if rival == ORACLE:
        return lambda task: optimal(world, task, GAMMA)
    if not world.mdp.is_deterministic:
        return None
    shown = actions_in_data(world, data)
    return lambda task: best_of_data(world, task, shown, GAMMA)
