"""Ways of agents on small maps: one task a row, one agent a column, as numbers and as an SVG.

The start is the state from which greedy on random's Q loses the most, of equals the one with the
longest way of the oracle. The picture is plain shapes, the same on every machine.
"""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.datasets.environments import make_env
from zerogym.agents.zero_shot.agents import AGENTS, Start
from zerogym.benchmarks.zero_shot.cells import policy_of
from zerogym.benchmarks.zero_shot.data import data_of
from zerogym.benchmarks.zero_shot.suite import (
    ENTRIES,
    GAMMA,
    GREEDY,
    ORACLE,
    WORLDS,
    tasks_by_kind,
)
from zerogym.envs.control.tabular.dynamic_programming import evaluate_policy
from zerogym.envs.control.tabular.episodic import episode_model

SHOWN = (("pits", "goal"), ("U-map", "goal penalty"))  # worlds of certain steps
COLUMNS = (ORACLE, GREEDY, "FB", "QRL", "PSM")
STEPS = 40  # of a way
CLOSE = 1e-9  # losses closer than this are equal
CELL, EDGE, LABEL = 14, 12, 30  # pixels
WALL, FLOOR, GOOD, BAD, WAY = "#6b7178", "#fbfaf8", "#16786e", "#b4652a", "#5b6bb0"


def walk(seed: int = 0) -> list[dict[str, Any]]:
    """Train the agents of `COLUMNS` and return a record for each task of `SHOWN`.

    Returns:
        `world`, `kind`, `task`, `rows` (the map), `cells` and their `rewards` for entering, and
        `ways`: visited cells by column, of at most `STEPS` steps.
    """
    found = []
    for name, kind in SHOWN:
        world = next(world for world in WORLDS if world.name == name)
        env, data = make_env(world.env, world.kwargs), data_of(world, seed)
        grid: Any = env.unwrapped
        tasks = tasks_by_kind(world, grid.tasks)[kind]
        task = tasks[len(tasks) // 2]
        policies = {}
        for column in COLUMNS:
            rival = policy_of(column, grid, data) if column in (ORACLE, GREEDY) else None
            if rival:
                policies[column] = rival(task).argmax(axis=1)
                continue
            entry = next(entry for entry in ENTRIES if entry.name == column)
            start = Start(world.env, data, len(grid.action_names), True, entry.updates, seed)
            model = AGENTS.make(entry.agent)(start)
            model.learn(data, entry.updates)
            here = grid.observation_of(np.arange(grid.num_states))
            policies[column] = model.predict(here, model.infer(task))[0]
        dynamics, reward = episode_model(grid, task)
        first = _start(dynamics, reward, policies)
        found.append(
            {
                "world": name,
                "kind": kind,
                "task": task.name,
                "rows": list(grid.layout.rows),
                "cells": [list(cell) for cell in grid.layout.cells],
                "rewards": _entered(dynamics, reward, grid.num_states),
                "ways": {
                    column: [list(grid.layout.cells[s]) for s in _way(dynamics, policy, first)]
                    for column, policy in policies.items()
                },
            }
        )
        env.close()
    return found


def _start(dynamics: Any, reward: Any, policies: Mapping[str, NDArray[np.int64]]) -> int:
    """Return the state where greedy loses most; of equals the one farthest by the oracle's way."""
    values = [
        evaluate_policy(dynamics, np.resize(policies[name], len(reward)), reward, GAMMA)
        for name in (ORACLE, GREEDY)
    ]
    states = len(policies[ORACLE])
    loss = (values[0] - values[1])[:states]
    most = np.flatnonzero(loss >= loss.max() - CLOSE)
    lengths = [len(_way(dynamics, policies[ORACLE], int(state))) for state in most]
    return int(most[int(np.argmax([n if n <= STEPS else 0 for n in lengths]))])


def _way(dynamics: Any, policy: NDArray[np.int64], state: int) -> list[int]:
    way = [state]
    while len(way) <= STEPS:
        after = int(dynamics[way[-1], policy[way[-1]]])
        if after == way[-1] or after >= len(policy):
            break
        way.append(after)
    return way


def _entered(dynamics: Any, reward: Any, states: int) -> list[float]:
    """Return the reward for entering each state (S,): of any step into it."""
    rewards = np.zeros(max(len(reward), states))
    rewards[np.asarray(dynamics)] = reward
    return [round(float(value), 6) for value in rewards[:states]]


def picture(records: Iterable[Mapping[str, Any]]) -> str:
    """Return the ways as an SVG: green cells are rewarded, brown ones punished."""
    records = list(records)
    columns = list(records[0]["ways"])
    wide = max(len(record["rows"][0]) for record in records) * CELL + EDGE
    shapes, top = [], LABEL
    for record in records:
        shapes.append(_label(EDGE, top - 4, f"{record['world']}: {record['kind']}"))
        top += LABEL // 2
        for place, column in enumerate(columns):
            shapes += _panel(record, column, EDGE + place * wide, top)
        top += len(record["rows"]) * CELL + LABEL
    width = EDGE + wide * len(columns)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" width="{width}" '
        f'height="{top}" font-family="sans-serif" font-size="11">'
    )
    ground = f'<rect width="{width}" height="{top}" fill="white"/>'
    return "\n".join([head, ground, *shapes, "</svg>"]) + "\n"


def _panel(record: Mapping[str, Any], column: str, left: int, top: int) -> list[str]:
    high, wide = len(record["rows"]) * CELL, len(record["rows"][0]) * CELL
    shapes = [
        _label(left, top + 8, column),
        f'<rect x="{left}" y="{top + 12}" width="{wide}" height="{high}" fill="{WALL}"/>',
    ]
    top += 12
    for (row, place), reward in zip(record["cells"], record["rewards"], strict=True):
        colour = GOOD if reward > 0 else BAD if reward < 0 else FLOOR
        shapes.append(
            f'<rect x="{left + place * CELL}" y="{top + row * CELL}" width="{CELL}" '
            f'height="{CELL}" fill="{colour}" stroke="#e4e1db" stroke-width="0.5"/>'
        )
    middle = [
        (left + place * CELL + CELL // 2, top + row * CELL + CELL // 2)
        for row, place in record["ways"][column]
    ]
    points = " ".join(f"{x},{y}" for x, y in middle)
    x, y = middle[0]
    return [
        *shapes,
        f'<polyline points="{points}" fill="none" stroke="{WAY}" stroke-width="2.5"/>',
        f'<circle cx="{x}" cy="{y}" r="4" fill="{WAY}"/>',
    ]


def _label(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}" fill="#1c2024">{escape(text)}</text>'
