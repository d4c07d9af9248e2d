"""The U-map with flickering observations: the loss, and the part recovered by a memory.

Flickering, with its 0.2, and the memory are those of "Zero-Shot Reinforcement Learning Under
Partial Observability" (2025, arXiv 2506.15446); a loss of 0.5 is our harder case. Agents are
trained and evaluated under the same sensor. Left out: noise (every
observation of a tabular environment would be new, which needs another loss) and changed dynamics.
"""

from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import Any

import gymnasium as gym

from zerogym.agents.datasets.environments import make_wrapped_env
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.evaluation.returns import evaluate_rollouts
from zerogym.benchmarks.studies.zero_shot.record import Cell, Proof, Scores
from zerogym.benchmarks.studies.zero_shot.training import trained, without_seed

EPISODES = 4  # of each goal
LENGTH = 8  # of histories
SENSOR = "FlickeringObservation"
LOST = {"flicker 0.5": 0.5, "flicker 0.2": 0.2}
BASE = FBConfig(env="zerogym/UMap-v0", updates=1_500)
FULL, BLIND = "full view", "no memory"
RECURRENT = replace(BASE, history=LENGTH, encoded=64)
# Whole histories are too many to sum over: their negatives are those of the batch.
STACKED = replace(
    BASE,
    exact=False,
    wrappers={"ObservationHistory": {"length": LENGTH}, "FlattenObservation": {}},
)
RUNS = {FULL: BASE, BLIND: BASE, "stacked history": STACKED, "memory": RECURRENT}
GOALS, WON = "goals", "share of the loss won back"


def measure(cell: Cell, seed: int) -> Scores:
    """Train and evaluate all agents; the loss is that of the agent without a memory."""
    rows = {name: _played(config_of(cell.group, name), seed) for name in RUNS}
    scores: dict[str, dict[str, dict[str, float]]] = {
        name: {GOALS: {task: row["score"] for task, row in found.items()}}
        for name, found in rows.items()
    }
    mean = {name: fmean(found[GOALS].values()) for name, found in scores.items()}
    for name, found in scores.items():
        found[WON] = {"all": (mean[name] - mean[BLIND]) / (mean[FULL] - mean[BLIND])}
    line = {task: row["straight_line_score"] for task, row in rows[FULL].items()}
    return scores | {
        "straight line, full view": {GOALS: line},
        "random": {GOALS: dict.fromkeys(line, 0.0)},
        "oracle, full view": {GOALS: dict.fromkeys(line, 1.0)},
    }


def config_of(group: str, name: str) -> FBConfig:
    """Return the settings of an agent, its sensor before its other wrappers."""
    config = RUNS[name]
    if name == FULL:
        return config
    return replace(config, wrappers={SENSOR: {"probability": LOST[group]}, **config.wrappers})


def _played(config: FBConfig, seed: int) -> Any:
    world: Any = gym.make(config.env).unwrapped
    goals = [task for task in world.tasks.values() if task.goal is not None]
    make = partial(make_wrapped_env, config.env, config.env_kwargs, config.wrappers)
    return evaluate_rollouts(trained(config, seed), make, goals, EPISODES, EPISODES * seed)


PROOF = Proof(
    "memory",
    "A sensor that flickers",
    f"0 is random actions, 1 the oracle, which sees everything; {EPISODES} episodes of each goal. "
    "The loss is what the agent without a memory scores below the same agent that sees "
    f"everything; histories are {LENGTH} observations with the actions before them.",
    {
        "runs": {name: without_seed(config) for name, config in RUNS.items()},
        "lost": LOST,
        "episodes": EPISODES,
    },
    tuple(Cell(group, "every agent") for group in LOST),
    measure,
    "The number of updates and the width of the memory were tried with seed 0, where half of what "
    "is seen is lost. For stacked histories nothing was tuned; they are too many to sum over, so "
    "their loss is of batches, not of expectations.",
)
