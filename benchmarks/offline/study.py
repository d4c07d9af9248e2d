"""The study as data: its cells, what is measured in each, and all settings of the numbers."""

from dataclasses import asdict

from zerogym.agents.zero_shot.evaluation.returns import policy_score
from zerogym.benchmarks.offline.agents import (
    AGENTS,
    LENGTH,
    REPEATS,
    SEQUENCES,
    TRANSFORMER,
    scores_of,
)
from zerogym.benchmarks.offline.data import GRADES, STEPS, TASKS, data_of
from zerogym.benchmarks.offline.rivals import policies_of
from zerogym.benchmarks.studies.zero_shot.record import Cell, Proof, Scores
from zerogym.benchmarks.zero_shot.suite import GAMMA

EVERYONE = "every player"


def measure(cell: Cell, seed: int) -> Scores:
    """Return the scores of all agents and rivals on one task, by grade of the data.

    Args:
        cell: Its group is a name of `TASKS`.
        seed: Of data and training.
    """
    row = TASKS[cell.group]
    world, task = row.world()
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for grade in GRADES:
        data = data_of(row, grade, seed)
        found = scores_of(world, task, data, seed)
        for who, policy in policies_of(world, task, data).items():
            found[who] = policy_score(world, task, policy, GAMMA)
        for who, score in found.items():
            scores.setdefault(who, {})[grade] = {row.task: score}
    return scores


STUDY = Proof(
    "offline",
    "Offline agents and policies that count",
    "0 is random actions, 1 the optimum of the true model; discounted values, the mean over all "
    "starts: exact, but for the decision transformer, which is played.",
    {
        "tasks": {name: asdict(row) for name, row in TASKS.items()},
        "grades": dict(GRADES),
        "steps": STEPS,
        "gamma": GAMMA,
        "agents": {name: config.record() for name, config in AGENTS.items()},
        TRANSFORMER: {**vars(SEQUENCES), "length": LENGTH, "repeats": REPEATS},
    },
    tuple(Cell(name, EVERYONE) for name in TASKS),
    measure,
    "With random actions no agent is above planning on counts on every seed of a task. CQL, IQL "
    "and f-DVL are best where steps are certain; where the floor is slippery they are below "
    "it on all runs but one. Cloning is at the level of random actions, for the most frequent "
    "action is noise. Weights by return help it there, and harm it with mediocre data, of which "
    "they leave few trajectories.\n\n"
    "With mediocre data the order depends on the floor. Where steps are certain, one transition "
    "says all of an action, and nobody is above the plan. Where the floor is slippery, the plan "
    "trusts actions that were tried a few times with luck, and on most seeds falls below the "
    "most frequent action alone, which needs no rewards: all agents but return-weighted cloning "
    "are above the plan on every seed of the pits, and on two seeds of three in the rooms. But "
    "none of them is above the most frequent action on every seed: what they reach there is "
    "imitation first. What values add to it shows in the two mazes whose steps are certain, "
    "where CQL and IQL reach the best in the data and the most frequent action does not. The "
    "transformer is below plain cloning on average, after these few updates.",
)
