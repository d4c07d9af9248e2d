"""Episodes to look at: conversations side by side, and paths through the maze."""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from zerogym.benchmarks.report.charts import maze
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.results.schema import Suite
from zerogym.envs.control.mazes.layouts import LAYOUTS
from zerogym.envs.control.mazes.tasks import maze_tasks

SHOWN_EPISODES = 2  # of each world, all agents on the same seed
SHOWN_MAZES = 1  # tasks of each world whose paths are drawn
MAX_TEXT = 1_200  # characters of one turn
MAZE = LAYOUTS["s"].maze  # the one of zerogym/PointMaze-v0

Conversations = list[tuple[str, dict[str, Any]]]  # of one episode: title of the agent, its record


def transcripts(suite: Suite, records: Sequence[Record]) -> list[tuple[str, list[Conversations]]]:
    """Return for each text world the same episodes of every agent, texts cut to `MAX_TEXT`."""
    cells = _cells(records)
    shown = []
    for world in suite.worlds:
        recorded = [
            (agent.title, [e for e in cells.get((world.name, agent.name), ()) if e["transcript"]])
            for agent in suite.agents
        ]
        episodes = [
            [(title, _cut(found[n])) for title, found in recorded if n < len(found)]
            for n in range(SHOWN_EPISODES)
        ]
        if any(episodes):
            shown.append(
                (world.name, [conversations for conversations in episodes if conversations])
            )
    return shown


def mazes(suite: Suite, records: Sequence[Record]) -> list[tuple[str, str, Markup]]:
    """Return the paths of each agent through the point maze: title, task and picture."""
    cells = _cells(records)
    side = MAZE.high
    walls = [
        (max(x0, 0.0), max(y0, 0.0), min(x1, side), min(y1, side)) for x0, x1, y0, y1 in MAZE.walls
    ]
    pictures = []
    for world in suite.worlds:
        if world.env_id != "zerogym/PointMaze-v0" or len(world.variants) < 2:
            continue
        for variant in world.variants[:SHOWN_MAZES]:
            task = maze_tasks(MAZE.name).get(str(variant.kwargs.get("task")))
            goal = None if task is None or task.goal is None else tuple(map(float, task.goal))
            for agent in suite.agents:
                paths = [
                    [(float(x), float(y)) for x, y in episode["path"]]
                    for episode in cells.get((world.name, agent.name), ())
                    if episode["variant"] == variant.name and episode["path"]
                ]
                if paths:
                    pictures.append((agent.title, variant.name, maze(paths, walls, side, goal)))
    return pictures


def _cells(records: Sequence[Record]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return the episodes of each world and agent."""
    return {(r["world"], r["contender"]): r["episodes"] for r in records if r.get("kind") == "cell"}


def _cut(episode: dict[str, Any]) -> dict[str, Any]:
    turns = [
        turn if len(turn["text"]) <= MAX_TEXT else turn | {"text": turn["text"][:MAX_TEXT] + " …"}
        for turn in episode["transcript"]
    ]
    return episode | {"transcript": turns}
