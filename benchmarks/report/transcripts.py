"""Episodes to look at: conversations of a world's agents, and paths through the maze."""

import statistics
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from zerogym.benchmarks.report.charts import maze
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.results.schema import EXACT, Suite, World
from zerogym.benchmarks.suites.episodes import examples
from zerogym.envs.control.mazes.layouts import LAYOUTS
from zerogym.envs.control.mazes.tasks import maze_tasks

SHOWN_MAZES = 1  # tasks of each world whose paths are drawn
MAX_TEXT = 1_200  # characters of one turn
MAZE = LAYOUTS["s"].maze  # the one of zerogym/PointMaze-v0

Episode = dict[str, Any]
Episodes = dict[tuple[str, str], list[Episode]]  # by world and agent
Conversations = list[tuple[str, Episode]]  # what to write above each, and the record


def episodes_of(records: Sequence[Record]) -> Episodes:
    """Return the episodes of each world and agent; the last record of a cell counts."""
    return {(r["world"], r["contender"]): r["episodes"] for r in records if r.get("kind") == "cell"}


def same_episode(suite: Suite, world: World, cells: Episodes) -> Conversations:
    """Return one episode, played by each agent; empty if fewer than two have texts of it."""
    found = [
        (agent.title, _cut(recorded[0]))
        for agent in suite.agents
        if (recorded := _with_texts(cells.get((world.name, agent.name), ())))
    ]
    return found if len(found) > 1 else []


def example_episodes(episodes: Sequence[Episode]) -> Conversations:
    """Return the best, the worst and a typical one of an agent's episodes in a world.

    Runs of older versions kept the first transcripts only: their best is called the best kept.
    """
    kept = _with_texts(episodes)
    if not kept:
        return []
    every = [e["value"] for e in episodes if e["seed"] != EXACT]
    chosen = examples([e["value"] for e in kept], statistics.median_low(every))
    of_all = {"best": max(every), "worst": min(every)}
    return [
        (name if kept[n]["value"] == of_all.get(name, kept[n]["value"]) else f"{name} kept",
         _cut(kept[n]))
        for name, n in chosen.items()
    ]  # fmt: skip


def paths(suite: Suite, world: World, cells: Episodes) -> list[tuple[str, str, Markup]]:
    """Return the paths of each agent through the point maze: title, task and picture."""
    if world.env_id != "zerogym/PointMaze-v0" or len(world.variants) < 2:
        return []
    side = MAZE.high
    walls = [
        (max(x0, 0.0), max(y0, 0.0), min(x1, side), min(y1, side)) for x0, x1, y0, y1 in MAZE.walls
    ]
    pictures = []
    for variant in world.variants[:SHOWN_MAZES]:
        task = maze_tasks(MAZE.name).get(str(variant.kwargs.get("task")))
        goal = None if task is None or task.goal is None else tuple(map(float, task.goal))
        for agent in suite.agents:
            walked = [
                [(float(x), float(y)) for x, y in episode["path"]]
                for episode in cells.get((world.name, agent.name), ())
                if episode["variant"] == variant.name and episode["path"]
            ]
            if walked:
                pictures.append((agent.title, variant.name, maze(walked, walls, side, goal)))
    return pictures


def _with_texts(episodes: Sequence[Episode]) -> list[Episode]:
    return [episode for episode in episodes if episode["transcript"]]


def _cut(episode: Episode) -> Episode:
    turns = [
        turn if len(turn["text"]) <= MAX_TEXT else turn | {"text": turn["text"][:MAX_TEXT] + " …"}
        for turn in episode["transcript"]
    ]
    return episode | {"transcript": turns}
