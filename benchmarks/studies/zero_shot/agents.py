"""Agents of the table `agents/zero_shot/agents/` on all tasks of a grid, beside simple rivals."""

from typing import Any

import numpy as np

from zerogym.agents.datasets.dataset import collect
from zerogym.agents.datasets.environments import make_env
from zerogym.agents.zero_shot.agents import AGENTS, Start
from zerogym.agents.zero_shot.evaluation.returns import policy_score
from zerogym.benchmarks.studies.zero_shot.record import Cell, Proof, Scores
from zerogym.benchmarks.studies.zero_shot.rivals import greedy_on_random
from zerogym.benchmarks.studies.zero_shot.rooms import COLUMNS, GAMMA, straight, tasks_of_kind

ENV, GROUP = "zerogym/UMap-v0", "U-map"
STEPS = 20_000  # of random actions, the data of every agent
UPDATES = {"psm": 181, "hilp": 2_000}  # by agent; of psm, policies: one more than dimensions


def measure(cell: Cell, seed: int) -> Scores:
    """Train an agent on data of the seed; score it and its rivals on every task."""
    env = make_env(ENV, {})
    world: Any = env.unwrapped
    data = collect(env, STEPS, seed=seed)
    actions, updates = len(world.action_names), UPDATES[cell.run]
    model = AGENTS.make(cell.run)(Start(ENV, data, actions, True, updates, seed))
    model.learn(data, updates)
    here = world.observation_of(np.arange(world.num_states))  # (S, k)
    tasks_of = {column: tasks_of_kind(world, kind) for column, kind in COLUMNS.items()}
    policies = {
        cell.run: lambda task: model.predict(here, model.infer(task))[0],
        "greedy on random's Q": lambda task: greedy_on_random(world, task, GAMMA),
        "straight line": lambda task: straight(world.layout, task),
    }
    return {
        who: {
            column: {task.name: policy_score(world, task, policy(task), GAMMA) for task in tasks}
            for column, tasks in tasks_of.items()
        }
        for who, policy in policies.items()
        # The rivals are the same beside every agent.
        if who == cell.run or cell.run == next(iter(UPDATES))
    }


PROOF = Proof(
    "agents",
    "Agents by name, in a grid",
    "0 is random actions, 1 value iteration; exact discounted values, the mean over all starts. "
    "Every agent learns from the same 20,000 random steps; its row beside that of forward-backward "
    "in the table of grids.",
    {
        name: AGENTS.record(name) | {"env": ENV, "data_steps": STEPS, "updates": updates}
        for name, updates in UPDATES.items()
    },
    tuple(Cell(GROUP, name) for name in UPDATES),
    measure,
    "With one policy more than dimensions, the linear program of `psm` is exact. Goals are what "
    "`hilp` is for: more than half of them are reached from everywhere, a sixth from few starts, "
    "and the mean is below that of forward-backward and of one step of improvement over random "
    "actions. Tasks that are given as rewards it does not solve here: few of its directions carry "
    "one, and their values are hardly learnt in 2,000 updates: its reward prompts are not held.",
)
