"""Markdown of the site's task pages: one for each id, and an index for each family."""

import re
from typing import Any

import animations
import catalog
import episodes
from pictures import path_of

import zerogym
from zerogym.benchmarks.auditing.runner import read_json
from zerogym.benchmarks.auditing.tables import worst_floor
from zerogym.envs.games.core.render import has_board
from zerogym.envs.references import parameters_of
from zerogym.envs.registry import Task

ABOUT_FAMILY = {
    "reasoning": "Problems with exact verifiers, drawn from a seed; a number sets the difficulty.",
    "tools": "Worlds in which the agent writes calls, queries or programs, and reads the results.",
    "games": "One seat of each game as a Gymnasium task; the opponent is an argument.",
    "control": "Worlds and physics in which the reward is an argument: `task`.",
}
TITLES = {  # of folders, where capitals are not all
    "code_triplet": "Code triplets", "minigrid": "MiniGrid",
    "mujoco": "MuJoCo", "ogbench": "OGBench", "open_spiel": "OpenSpiel", "sql": "SQL",
}  # fmt: skip
ARXIV = re.compile(r"arXiv\s+((?:\d{4}\.\d{4,5})|(?:[a-z-]+/\d{7}))")


def address(task: Task) -> str:
    """The page of a task."""
    return f"tasks/{task.family}/{task.name}.md"


def groups(tasks: list[Task]) -> dict[str, list[Task]]:
    """The tasks of a family by the titles of their folders."""
    found: dict[str, list[Task]] = {}
    for task in tasks:
        folder = catalog.group_of(task)
        found.setdefault(TITLES.get(folder, folder.replace("_", " ").capitalize()), []).append(task)
    return found


def family_index(family: str, tasks: list[Task]) -> str:
    """The tasks of a family by folder, with pictures where there are any."""
    parts = [f"# {family.capitalize()}", ABOUT_FAMILY[family]]
    for title, members in groups(tasks).items():
        folder = catalog.ROOT / f"envs/{family}/{catalog.group_of(members[0])}"
        about = catalog.docstring(folder / "__init__.py").partition("\n\n")[0]
        parts += [f"## {title}", about, _table(members)]
    return "\n\n".join(parts) + "\n"


def _table(tasks: list[Task]) -> str:
    drawn = any(path_of(task).exists() for task in tasks)
    rows = ["| | task | what it is |", "|---|---|---|"] if drawn else ["| task | what it is |"]
    rows += [] if drawn else ["|---|---|"]
    for task in tasks:
        given = "".join(f" `{name}={value!r}`" for name, value in task.kwargs.items())
        row = f"[{task.name}]({task.name}.md) | {catalog.cell(task.summary)}{given} |"
        picture = f"![{task.name}](../../worlds/{path_of(task).name}){{ width=120 }}"
        shown = picture if path_of(task).exists() else ""
        rows.append(f"| {shown} | {row}" if drawn else f"| {row}")
    return "\n".join(rows)


def task_page(task: Task) -> tuple[str, bytes | None]:
    """The page of a task, and the animation beside it where a game has a board."""
    env = episodes.make(task)
    played, moves = None, None
    if "bridge" not in task.tags:  # texts of other suites are not reprinted
        is_board = has_board(getattr(env, "game", None))  # type: ignore[arg-type]
        played = episodes.play(task, rendered=is_board)
        if is_board:
            moves = animations.gif(played.frames, animations.A_MOVE)
    parts = [f"# {task.name}", task.summary, _picture(task, moves)]
    parts += [f'```python\nenv = zerogym.make("{task.name}")\n```', _facts(task, env)]
    if played:
        line = f"`{played.call}`, `reset(seed=0)`, and the actions of {played.who}:"
        parts += ["## An episode", line, episodes.blocks(played)]
    text = catalog.class_page(type(env)).partition("\n\n")[2]
    parts.append(re.sub(r"^### ", "## ", _with_links(text), flags=re.M))
    parts += [_levels(task), f"## Spaces\n\n{catalog.space_table(task)}"]
    return "\n\n".join(part for part in parts if part) + "\n", moves


def _picture(task: Task, moves: bytes | None) -> str:
    if moves:
        return f"![{task.name}: the episode below]({task.name}.gif)"
    if animations.path_of(task).exists():
        return f"![{task.name}](../../worlds/{animations.path_of(task).name})"
    return ""


def _facts(task: Task, env: Any) -> str:
    """A table of what a reader compares between tasks."""
    facts = {"Id": f"`{task.id}`"}
    if task.kwargs:
        same = [other for other in zerogym.tasks() if other.target == task.target]
        given = ", ".join(f"`{name}={value!r}`" for name, value in task.kwargs.items())
        shared = ", ".join(f"`{other.name}`" for other in same if other != task)
        facts["Arguments of this id"] = given + (f"; same class as {shared}" if shared else "")
    facts["Views"] = ", ".join(f"`{view}`" for view in episodes.views(task)) or "text"
    facts["Oracle"] = "yes" if getattr(env, "has_oracle", True) else "none known"
    if floor := _floor(task):
        facts["Best constant answer"] = floor
    module = task.target.partition(":")[0].replace(".", "/")
    facts["File"] = f"`envs/{module}.py`"
    return "\n".join(["| | |", "|---|---|", *(f"| {key} | {is_} |" for key, is_ in facts.items())])


def _floor(task: Task) -> str:
    audited = read_json(catalog.AUDIT) if catalog.AUDIT.exists() else {}
    found = audited.get(task.id, {}).get("constant answer")
    return "" if found is None else f"scores {worst_floor(found):.2f} in its best category"


def _levels(task: Task) -> str:
    """Problems of other difficulties, folded."""
    taken = parameters_of(type(episodes.make(task)))
    if "difficulty" not in taken or "bridge" in task.tags:
        return ""
    parts = ["## Easier and harder"]
    for level in episodes.LEVELS:
        prompt, count = episodes.problem(task, level)
        few = f" (one of {count} train problems)" if count else ""
        shown = episodes.titled(prompt, "Prompt").replace("\n", "\n    ")
        parts.append(f'??? example "`difficulty={level}`{few}"\n    {shown}')
    return "\n\n".join(parts)


def _with_links(text: str) -> str:
    """The text with links from arXiv ids to the papers, outside of code blocks."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    linked = [ARXIV.sub(r"[arXiv \1](https://arxiv.org/abs/\1)", part) for part in parts[::2]]
    parts[::2] = linked
    return "".join(parts)
