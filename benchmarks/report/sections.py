"""The section of each task in a report: settings, numbers of every agent, and episodes to read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from zerogym.benchmarks.report.transcripts import (
    Conversations,
    Episodes,
    episodes_of,
    example_episodes,
    paths,
    same_episode,
)
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.results.schema import EXACT, Agent, World
from zerogym.benchmarks.suites.scores import Score, Table
from zerogym.envs.lookup import find_task
from zerogym.errors import UnknownName


@dataclass(frozen=True)
class Section:
    """The section of one task in a report.

    Attributes:
        world: The row of the table.
        anchor: Its place in the page, which the row links to.
        settings: Names and values.
        scores: Of each agent.
        same: One episode, played by each agent.
        examples: The best, worst and typical episode of each agent, by its title.
        paths: Title, task and picture of each agent's paths.
    """

    world: World
    anchor: str
    settings: list[tuple[str, str]]
    scores: list[tuple[Agent, Score]]
    same: Conversations
    examples: list[tuple[str, Conversations]]
    paths: list[tuple[str, str, Markup]]


def sections(table: Table, records: Sequence[Record]) -> list[Section]:
    """Return the sections of a run, in the order of the table's rows."""
    cells, taken, found = episodes_of(records), set[str](), []
    for world in table.suite.worlds:
        anchor = _anchor(world.name, taken)
        scores = {agent: table.cells.get((world.name, agent.name)) for agent in table.shown}
        examples = {
            agent.title: example_episodes(cells.get((world.name, agent.name), ()))
            for agent in table.suite.agents
        }
        found.append(
            Section(
                world, anchor, _settings(world, cells),
                [(agent, score) for agent, score in scores.items() if score is not None],
                same_episode(table.suite, world, cells),
                [(title, episodes) for title, episodes in examples.items() if episodes],
                paths(table.suite, world, cells),
            )
        )  # fmt: skip
    return found


def _anchor(name: str, taken: set[str]) -> str:
    """Return a place in the page that no other section has."""
    plain = "task-" + re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    anchor, number = plain, 1
    while anchor in taken:
        number += 1
        anchor = f"{plain}-{number}"
    taken.add(anchor)
    return anchor


def _settings(world: World, cells: Episodes) -> list[tuple[str, str]]:
    """Return what decides the episodes of a world."""
    arguments = ", ".join(f"{k}={v!r}" for k, v in sorted(world.kwargs.items()))
    tasks = ", ".join(variant.name for variant in world.variants)
    limits = [f"{count} for {agent}" for agent, count in world.limits.items()]
    each = " for each task" if len(world.variants) > 1 else ""
    exact = "exact value of the whole game tree"
    episodes = "; ".join([f"{world.episodes}{each}", *limits])
    seeds = [
        episode["seed"]
        for (name, _), recorded in cells.items()
        for episode in recorded
        if name == world.name and episode["seed"] != EXACT
    ]
    found = [
        ("Environment", world.env_id),
        ("Its page", _page(world.env_id)),
        ("Arguments", arguments),
        ("Tasks", tasks if len(world.variants) > 1 else ""),
        ("Training task", world.training_task.name if world.training_task else ""),
        ("Episodes", exact if world.measure == "game_tree" else episodes),
        ("Seeds", f"{min(seeds)} to {max(seeds)}" if seeds else ""),
        ("Reply", f"at most {world.reply_tokens} tokens, ends at {' or '.join(world.stop)}"),
    ]
    writes = any(e["transcript"] for (name, _), r in cells.items() if name == world.name for e in r)
    return [(name, text) for name, text in found if text and (name != "Reply" or writes)]


def _page(env_id: str) -> str:
    """Return where an environment is described; empty if it is not one of ours."""
    try:
        task = find_task(env_id.rpartition("/")[2].partition("-v")[0])
    except UnknownName:
        return ""
    return f"zerogym info {task.name}" if task.id == env_id else ""
