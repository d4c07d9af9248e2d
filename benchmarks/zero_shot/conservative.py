"""VC-FB and MC-FB beside FB, over the size of the data and what they cover.

"Zero-Shot Reinforcement Learning from Low Quality Data" (2023, arXiv 2309.15178) reports half as
much again from conservative penalties in small or narrow data. Here: nine cells squared, where the
best policy inside the data is known exactly. Tasks are the goals that the data have entered.

How the penalties were set: on another seed, in 500 goal-directed transitions, after 800 updates,
VC-FB with a first weight of 0.01 and a target of 50 scored more than with 0.1 or 1 and a target of
0; of MC-FB nothing but 0.01 was tried. Whoever tunes each kind of data, as the paper does, may find
more.
"""

import dataclasses
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.dataset import Dataset
from zerogym.agents.zero_shot.evaluation import policy_score
from zerogym.agents.zero_shot.model import FBModel
from zerogym.benchmarks.zero_shot.coverage import KINDS, score_inside, seen_actions, walks
from zerogym.benchmarks.zero_shot.record import Cell, Proof, Scores
from zerogym.benchmarks.zero_shot.training import trained, without_seed

SIZES = (500, 2_000, 20_000)
BASE = FBConfig(env="zerogym/FourRooms-v0", updates=600)
RUNS = {
    "FB": BASE,
    "VC-FB": dataclasses.replace(BASE, conservative="value", alpha=0.01),
    "MC-FB": dataclasses.replace(BASE, conservative="measure", alpha=0.01),
}
INSIDE, BEST = "of the best inside the data", "of value iteration"


def measure(cell: Cell, seed: int) -> Scores:
    """Train on data of the seed."""
    kind, _, size = cell.group.partition(", ")
    world: Any = gym.make(BASE.env).unwrapped
    data = walks(world, kind, int(size.replace(",", "")), seed)
    return {cell.run: _scores(world, trained(RUNS[cell.run], seed, data), data)}


def _scores(world: Any, model: FBModel, data: Dataset) -> dict[str, dict[str, float]]:
    """Of every goal that the data have entered, on both scales."""
    here = world.observation_of(np.arange(world.num_states))  # (S, k)
    seen, entered = seen_actions(world, data), set(world.state_of(data.next_observations).tolist())
    scores: dict[str, dict[str, float]] = {INSIDE: {}, BEST: {}}
    for name, task in world.tasks.items():
        if task.goal is not None and int(world.state_of(task.goal)) in entered:
            policy = model.act(here, model.infer(task))
            scores[INSIDE][name] = score_inside(world, task, policy, seen, BASE.gamma)
            scores[BEST][name] = policy_score(world, task, policy, BASE.gamma)
    return scores


PROOF = Proof(
    "conservative",
    "Conservative penalties in small and narrow data",
    "0 is random actions; 1 is the best policy that does nothing but what the data show, from "
    "where they begin, or value iteration, from everywhere. Asked are the goals that were entered.",
    {name: without_seed(config) for name, config in RUNS.items()},
    tuple(Cell(f"{kind}, {size:,}", run) for kind in KINDS for size in SIZES for run in RUNS),
    measure,
)
