"""The parts of the table: worlds, kinds of tasks, agents with their settings.

Scores are exact where a world has finitely many states, and of played episodes elsewhere. Of each
kind at most `MOST_TASKS` tasks are taken, evenly over their order. Left out: data of experts where
episodes are played.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zerogym.envs.control.core.tasks import Task

MOST_TASKS = 16
RANDOM_DATA, EXPERT_DATA = "random", "expert"
GAMMA = 0.95  # of training and of scores


@dataclass(frozen=True)
class ZeroShotWorld:
    """A world and its data.

    Attributes:
        name: Of the row.
        env: Registered id.
        kwargs: Its arguments.
        steps: Transitions of a random policy, from which all agents of a seed learn.
        hold: Steps for which each of its actions is repeated.
        episodes: Played of each task, in a world of continuous actions; 0 where scores are exact.
        rewards: Kind of its tasks without a goal, where episodes are played.
        data: Who walks: `RANDOM_DATA`, or `EXPERT_DATA` in a world with finitely many states.
    """

    name: str
    env: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    steps: int = 20_000
    hold: int = 1
    episodes: int = 0
    rewards: str = ""
    data: str = RANDOM_DATA


@dataclass(frozen=True)
class ZeroShotEntry:
    """An agent of the table.

    Attributes:
        name: Of the column.
        agent: Name and settings, as a record of `agents/`.
        updates: Steps of learning.
    """

    name: str
    agent: Mapping[str, Any]
    updates: int


GOALS_ONLY = {"hidden": 128, "alpha": 3.0, "gamma": GAMMA}

WORLDS = (
    ZeroShotWorld("four rooms", "zerogym/FourRooms-v0"),
    ZeroShotWorld("U-map", "zerogym/UMap-v0"),
    ZeroShotWorld("open grid", "zerogym/OpenGrid-v0"),
    ZeroShotWorld(
        "four rooms 13x13", "zerogym/FourRooms-v0", {"layout": "four_rooms_13"}, steps=40_000
    ),
    ZeroShotWorld("slippery rooms", "zerogym/SlipperyGrid-v0"),
    ZeroShotWorld("pits", "zerogym/Pits-v0", {"slip": 0.0}),
    ZeroShotWorld("slippery pits", "zerogym/Pits-v0"),
    ZeroShotWorld("cliff", "zerogym/Pits-v0", {"layout": "cliff", "slip": 0.0}),
    ZeroShotWorld("four rooms, expert", "zerogym/FourRooms-v0", data=EXPERT_DATA),
    ZeroShotWorld("U-map, expert", "zerogym/UMap-v0", data=EXPERT_DATA),
    ZeroShotWorld("maze s", "zerogym/PointMaze-v0", {"layout": "s"}, 40_000, 8, 5, "peak"),
    ZeroShotWorld("maze u", "zerogym/PointMaze-v0", {"layout": "u"}, 40_000, 8, 5, "peak"),
    ZeroShotWorld("cheetah", "zerogym/Cheetah-v0", {"horizon": 250}, 40_000, 4, 2, "behaviour"),
)

ENTRIES = (
    ZeroShotEntry("FB", {"part": "fb"}, 3_000),
    ZeroShotEntry("SF laplacian", {"part": "sf", "features": "laplacian"}, 2_000),
    ZeroShotEntry("SF BYOL-gamma", {"part": "sf", "features": "byol_gamma"}, 2_000),
    ZeroShotEntry("SF TD-JEPA", {"part": "sf", "features": "td_jepa"}, 2_000),
    ZeroShotEntry("PLDM", {"part": "pldm"}, 2_000),
    ZeroShotEntry("PMA", {"part": "pma"}, 2_000),
    ZeroShotEntry("PSM", {"part": "psm"}, 450),
    ZeroShotEntry("neural PSM", {"part": "psm_neural"}, 2_000),
    ZeroShotEntry("HILP", {"part": "hilp"}, 3_000),
    ZeroShotEntry("FRE", {"part": "fre"}, 3_000),
    ZeroShotEntry("BREEZE", {"part": "breeze"}, 600),
    ZeroShotEntry("GCBC", {"part": "gcbc", **GOALS_ONLY}, 3_000),
    ZeroShotEntry("GCIVL", {"part": "gcivl", **GOALS_ONLY}, 3_000),
    ZeroShotEntry("HIQL", {"part": "hiql", **GOALS_ONLY}, 2_000),
    ZeroShotEntry("GCIQL", {"part": "gciql", **GOALS_ONLY}, 3_000),
    ZeroShotEntry("CRL", {"part": "crl", **GOALS_ONLY}, 3_000),
    ZeroShotEntry("QRL", {"part": "qrl", **GOALS_ONLY}, 3_000),
)

GREEDY, ORACLE = "greedy on random's Q", "oracle"
RIVALS = ("straight line", GREEDY, "plan on counts", "best in the data", "random", ORACLE)


def tasks_by_kind(world: ZeroShotWorld, tasks: Mapping[str, Task]) -> dict[str, list[Task]]:
    """Return the tasks of each kind: those with a goal, and the families of rewards by name.

    Names of kinds say where episodes are played and where data are of experts: numbers of different
    sorts are not in one table.

    Args:
        world: Where episodes are played, all its tasks without a goal are of one kind.
        tasks: By name.
    """
    sort = ", played" if world.episodes else ""
    sort += ", expert data" if world.data == EXPERT_DATA else ""
    kinds: dict[str, list[Task]] = {}
    for name, task in tasks.items():
        family = world.rewards or name.rstrip("0123456789").rstrip("_").replace("_", " ")
        kind = "goal" if task.goal is not None else family
        kinds.setdefault(f"{kind}{sort}", []).append(task)
    return {kind: _some(found) for kind, found in kinds.items()}


def _some(tasks: list[Task]) -> list[Task]:
    count = min(len(tasks), MOST_TASKS)
    return [tasks[i * len(tasks) // count] for i in range(count)]
