"""Tasks of MiniGrid environments: hold, open, reach or stand, and the mission of the episode.

| names | reward |
|---|---|
| `hold_something`, `hold_key`, `hold_red_key`, ... | 1 for each step after which it is carried |
| `open_door` | 1 for each step after which a door is open |
| `reach_goal` | 1 for each step after which the agent is on a goal square |
| `stand_at_<x>_<y>`, also by giving `(x, y)` | 1 for each step after which it stands there |
| `mission` | once, 1 - 0.9 t / T when the mission is accomplished after t of T steps |

The reward of the mission is the package's, "Minigrid & Miniworld" (2023, arXiv 2306.13831), with
the horizon for T; the others are our choice, with rewards that go on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.features import Features, Measures
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.minigrid.state import COLORS, KINDS, MOVABLE

MISSION = "mission"
LOST_TO_TIME = 0.9  # share of the mission's reward, at the horizon


@dataclass(frozen=True, eq=False)
class Within:
    """1 where these features of the next state lie in their bounds, else 0."""

    measures: Measures
    bounds: Mapping[str, tuple[float, float]]

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        features = Features(self.measures, next_obs)
        xp, inside = namespace(next_obs), None
        for name, (low, high) in self.bounds.items():
            fits = (features[name] >= low) & (features[name] <= high)
            inside = fits if inside is None else inside & fits
        return xp.where(inside, 1.0, 0.0)


@dataclass(frozen=True, eq=False)
class Accomplished:
    """The reward of the step that accomplishes the mission; it falls with time."""

    measures: Measures

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        before, after = Features(self.measures, obs), Features(self.measures, next_obs)
        now = (before["solved"] == 0) & (after["solved"] == 1)
        return namespace(next_obs).where(now, 1.0 - LOST_TO_TIME * after["time"], 0.0)


def mission_task(measures: Measures, sentence: str) -> Task:
    """Return the task of the mission."""
    text = sentence.strip().rstrip(".")
    return Task(MISSION, f"{text[:1].upper()}{text[1:]}.", Accomplished(measures))


def stand_task(measures: Measures, x: int, y: int) -> Task:
    """Return the task of standing on a cell."""
    reward = Within(measures, {"x": (x, x), "y": (y, y)})
    text = f"Go to column {x}, row {y} and stay there."
    return Task(f"stand_at_{x}_{y}", text, reward, np.array([x, y], dtype=np.float32))


def named_tasks(measures: Measures, has: Sequence[str]) -> Mapping[str, Task]:
    """Return the tasks of a level by name.

    Args:
        measures: The features.
        has: Kinds of things in every episode, and `colors` if they come in any colour.
    """
    tasks = []
    if "goal" in has:
        on = KINDS.index("goal")
        reward = Within(measures, {"on": (on, on)})
        tasks.append(Task("reach_goal", "Go to the green goal square and stay there.", reward))
    if any(kind in has for kind in ("things", *MOVABLE)):
        reward = Within(measures, {"carried": (1, 10)})
        tasks.append(Task("hold_something", "Pick up any object and keep it.", reward))
    if "door" in has:
        reward = Within(measures, {"open_doors": (1, np.inf)})
        tasks.append(Task("open_door", "Open a door and leave it open.", reward))
    for kind in MOVABLE:
        if kind in has or "things" in has:
            tasks.append(hold_task(measures, kind))
            if "colors" in has:
                tasks += [hold_task(measures, kind, color) for color in COLORS]
    return {task.name: task for task in tasks}


def hold_task(measures: Measures, kind: str, color: str | None = None) -> Task:
    """Return the task of picking up an object and keeping it."""
    number = KINDS.index(kind)
    bounds = {"carried": (float(number), float(number))}
    if color is not None:
        bounds["carried_color"] = (float(COLORS.index(color)), float(COLORS.index(color)))
    name = f"{color} {kind}" if color else kind
    text = f"Pick up a {name} and keep it."
    return Task(f"hold_{name.replace(' ', '_')}", text, Within(measures, bounds))
