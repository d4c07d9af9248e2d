"""The tasks of a grid map: every single goal, and three families kept for zero-shot evaluation.

| names | reward on entering a cell |
|---|---|
| `goal_<row>_<column>`, one for every free cell | 1 on the goal, else 0 |
| `multi_goal_0` ... `multi_goal_19` | 1 on any of 3 goals, else 0 |
| `goal_penalty_0` ... `goal_penalty_19` | 1 on the goal, -1 on each of 4 other cells, else 0 |
| `smooth_0` ... `smooth_19` | a field of 3 random plane waves, scaled to [0, 1] |

The families are drawn from a fixed seed, so they are the same on every machine: our choice of the
kinds of reward on which zero-shot agents are commonly evaluated.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.features import StateReward
from zerogym.envs.control.tabular.layouts import Layout, cell_text, find_layout

FAMILY_SIZE = 20
GOALS, PENALTIES, WAVES = 3, 4, 3
LONGEST_WAVE = 12.0  # cells; the shortest is half of it
_SEED = 20_200


def goal_task(layout: Layout, state: int) -> Task:
    """Return the task of reaching one cell and staying."""
    row, column = layout.cells[state]
    goal = np.zeros(len(layout.cells), dtype=np.float32)
    goal[state] = 1.0
    text = f"Go to {cell_text(layout.cells[state])} and stay there."
    return Task(f"goal_{row}_{column}", text, StateReward(goal.astype(np.float64)), goal)


@cache
def grid_tasks(name: str) -> Mapping[str, Task]:
    """Return all tasks of a layout by name: goals first, then the three families."""
    layout = find_layout(name)
    tasks = [goal_task(layout, state) for state in range(len(layout.cells))]
    for family, make in enumerate((_multi_goal, _goal_penalty, smooth_task)):
        rng = np.random.default_rng([_SEED, family])
        tasks += [make(layout, number, rng) for number in range(FAMILY_SIZE)]
    return MappingProxyType({task.name: task for task in tasks})


def _multi_goal(layout: Layout, number: int, rng: np.random.Generator) -> Task:
    states = rng.choice(len(layout.cells), size=GOALS, replace=False)
    values = np.zeros(len(layout.cells))
    values[states] = 1.0
    text = f"Go to {_places(layout, states, 'or')}, and stay there."
    return Task(f"multi_goal_{number}", text, StateReward(values))


def _goal_penalty(layout: Layout, number: int, rng: np.random.Generator) -> Task:
    goal, *penalties = rng.choice(len(layout.cells), size=1 + PENALTIES, replace=False)
    values = np.zeros(len(layout.cells))
    values[goal], values[penalties] = 1.0, -1.0
    avoid = _places(layout, penalties, "and")
    text = f"Go to {cell_text(layout.cells[goal])} and stay there; keep off {avoid}."
    return Task(f"goal_penalty_{number}", text, StateReward(values))


def smooth_task(layout: Layout, number: int, rng: np.random.Generator) -> Task:
    """Return the task of a field of random plane waves, scaled to [0, 1]."""
    cells = np.array(layout.cells, dtype=np.float64)  # (S, 2)
    angle, phase = rng.uniform(0, 2 * np.pi, size=(2, WAVES))
    length = rng.uniform(LONGEST_WAVE / 2, LONGEST_WAVE, size=WAVES)
    direction = np.stack([np.sin(angle), np.cos(angle)]) / length  # (2, WAVES)
    field = np.sin(2 * np.pi * cells @ direction + phase).sum(axis=1)  # (S,)
    values = (field - field.min()) / (field.max() - field.min())
    top, bottom = (cell_text(layout.cells[int(i)]) for i in (values.argmax(), values.argmin()))
    text = f"Stay where the field is high; it is highest at {top} and lowest at {bottom}."
    return Task(f"smooth_{number}", text, StateReward(values))


def _places(layout: Layout, states: Any, joint: str) -> str:
    *first, last = [cell_text(layout.cells[state]) for state in states]
    return f"{'; '.join(first)} {joint} {last}"
