"""Episodes to look at: conversations side by side, and paths through the maze."""

from collections.abc import Iterator, Sequence
from typing import Any

from zerogym.benchmarks.report.markup import clean
from zerogym.benchmarks.report.svg import maze
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.results.schema import Suite, World
from zerogym.envs.control.mazes.layouts import LAYOUTS
from zerogym.envs.control.mazes.tasks import maze_tasks

SHOWN_EPISODES = 2  # of each world, all contenders on the same seed
SHOWN_MAZES = 1  # tasks of each world whose paths are drawn
MAX_TEXT = 1_200  # characters of one turn
MAZE = LAYOUTS["s"].maze  # the one of zerogym/PointMaze-v0


def transcripts(suite: Suite, records: Sequence[Record]) -> str:
    """For each text world the same episodes as every contender lived them."""
    cells = _cells(records)
    blocks: list[str] = []
    for world in suite.worlds:
        episodes = [
            "".join(_same_episode(suite, world, cells, number)) for number in range(SHOWN_EPISODES)
        ]
        shown = [e for e in episodes if e]
        if shown:
            opened = " open" if not blocks else ""
            body = "".join(f'<div class="columns">{e}</div>' for e in shown)
            blocks.append(
                f"<details{opened}><summary>{clean(world.name)}</summary>{body}</details>"
            )
    return "".join(blocks) or '<p class="quiet">No text episodes in this run.</p>'


def mazes(suite: Suite, records: Sequence[Record]) -> str:
    """Paths of each contender that walked the point maze."""
    cells = _cells(records)
    figures = []
    for world in suite.worlds:
        if world.env_id != "zerogym/PointMaze-v0" or len(world.variants) < 2:
            continue
        for variant in world.variants[:SHOWN_MAZES]:
            for contender in suite.contenders:
                paths = [
                    [(float(x), float(y)) for x, y in episode["path"]]
                    for episode in _episodes(cells.get((world.name, contender.name)))
                    if episode["variant"] == variant.name and episode["path"]
                ]
                if paths:
                    caption = f"<b>{clean(contender.title)}</b><br>{clean(variant.name)}"
                    picture = maze(paths, _walls(), MAZE.high, _goal(variant.kwargs.get("task")))
                    figures.append(f"<figure><figcaption>{caption}</figcaption>{picture}</figure>")
    return "".join(figures)


def _cells(records: Sequence[Record]) -> dict[tuple[str, str], Record]:
    return {(r["world"], r["contender"]): r for r in records if r.get("kind") == "cell"}


def _episodes(record: Record | None) -> list[dict[str, Any]]:
    return [] if record is None else record["episodes"]


def _same_episode(
    suite: Suite, world: World, cells: dict[tuple[str, str], Record], number: int
) -> Iterator[str]:
    for contender in suite.contenders:
        record = cells.get((world.name, contender.name))
        told = [e for e in _episodes(record) if e["transcript"]]
        if number < len(told):
            yield _conversation(contender.title, told[number])


def _conversation(title: str, episode: dict[str, Any]) -> str:
    turns = "".join(
        f'<p class="{"me" if turn["role"] == "policy" else "it"}">{_short(turn["text"])}</p>'
        for turn in episode["transcript"]
    )
    facts = f"return {episode['value']:g} · {episode['variant']} · seed {episode['seed']}"
    return f"<article><h4>{clean(title)} <small>{clean(facts)}</small></h4>{turns}</article>"


def _short(text: str) -> str:
    if not text.strip():
        return "<i>(nothing)</i>"
    return clean(text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + " …")


def _walls() -> list[tuple[float, float, float, float]]:
    """Corners of the walls inside the square."""
    side = MAZE.high
    return [
        (max(x0, 0.0), max(y0, 0.0), min(x1, side), min(y1, side)) for x0, x1, y0, y1 in MAZE.walls
    ]


def _goal(task: object) -> tuple[float, float] | None:
    known = maze_tasks(MAZE.name)
    goal = known[str(task)].goal if str(task) in known else None
    return None if goal is None else (float(goal[0]), float(goal[1]))
