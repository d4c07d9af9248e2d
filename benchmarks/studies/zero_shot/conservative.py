"""VC-FB and MC-FB against FB, over the size and the coverage of the data.

"Zero-Shot Reinforcement Learning from Low Quality Data" (2023, arXiv 2309.15178) reports gains of
one half from conservative penalties in small or narrow data. Here: grids of 9x9, where the best
policy inside the data is known exactly. Tasks are the goals that the data have entered.

Runs are short. Where the penalties gain most, runs five times as long separate a higher final score
from faster learning.
"""

from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.evaluation.returns import policy_score
from zerogym.benchmarks.studies.zero_shot.coverage import (
    KINDS,
    actions_in_data,
    score_inside,
    walks,
)
from zerogym.benchmarks.studies.zero_shot.record import Cell, Proof, Scores
from zerogym.benchmarks.studies.zero_shot.training import trained, without_seed

SIZES = (500, 2_000, 20_000)
# A free FB may diverge on narrow data, and counts as it is.
BASE = FBConfig(env="zerogym/FourRooms-v0", updates=600, stop_diverged=False)
LONGER = 5 * BASE.updates
RUNS = {
    "FB": BASE,
    "VC-FB": replace(BASE, conservative="value", alpha=0.01),
    "MC-FB": replace(BASE, conservative="measure", alpha=0.01),
}
GROUPS = (
    *(f"{kind}, {size:,}" for kind in KINDS for size in SIZES),
    f"goal-directed, {SIZES[-1]:,}, {LONGER:,} updates",
)
INSIDE, BEST = "of the best inside the data", "of value iteration"


def measure(cell: Cell, seed: int) -> Scores:
    """Train on data of the seed; score every goal that the data have entered."""
    kind, size, *longer = cell.group.split(", ")
    config = replace(RUNS[cell.run], updates=LONGER) if longer else RUNS[cell.run]
    world: Any = gym.make(BASE.env).unwrapped
    data = walks(world, kind, int(size.replace(",", "")), seed)
    model = trained(config, seed, data)
    here = world.observation_of(np.arange(world.num_states))  # (S, k)
    shown = actions_in_data(world, data)
    entered = set(world.state_of(data.next_observations).tolist())
    scores: dict[str, dict[str, float]] = {INSIDE: {}, BEST: {}}
    for name, task in world.tasks.items():
        if task.goal is not None and int(world.state_of(task.goal)) in entered:
            policy = model.act(here, model.infer(task))
            scores[INSIDE][name] = score_inside(world, task, policy, shown, BASE.gamma)
            scores[BEST][name] = policy_score(world, task, policy, BASE.gamma)
    return {cell.run: scores}


PROOF = Proof(
    "conservative",
    "Conservative penalties in small and narrow data",
    "0 is random actions; 1 is the best policy that does nothing but what the data show, from "
    "where they begin, or value iteration, from everywhere. Asked are the goals that were entered.",
    {name: without_seed(config) for name, config in RUNS.items()},
    tuple(Cell(group, run) for group in GROUPS for run in RUNS),
    measure,
    "The first weight of the penalties, 0.01, was chosen with another seed in 500 goal-directed "
    "transitions, after 800 updates; the paper tunes each kind of data. Where 20,000 transitions "
    "show one way to each goal, both penalties gain much. It is no faster start: in runs five "
    "times as long FB is no better, VC-FB keeps its gain, and MC-FB keeps it with one seed of "
    "three. MC-FB gains in 2,000 of them too, VC-FB there only beside value iteration, and both a "
    "little in 500 random ones, beside the best inside the data. Elsewhere the intervals overlap: "
    "no gain to be seen.",
)
