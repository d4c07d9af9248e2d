"""Write the README.md of every folder from the docstrings and the registry.

    python tools/catalog.py            (or: make docs)

Nothing in those files is written by hand, so nothing in them can be out of date for long:
tests/tools/test_catalog.py fails while a page differs from what this script makes.
"""

import ast
import inspect
import re
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any

import episodes
from episodes import fenced, make, views

from zerogym.benchmarks.auditing.runner import read_json
from zerogym.benchmarks.auditing.tables import markdown_table, worst_floor
from zerogym.benchmarks.league.game_table import section
from zerogym.envs.control.tabular.base import TabularEnv
from zerogym.envs.control.tabular.effective_horizon import effective_horizon_of
from zerogym.envs.pages import sections
from zerogym.envs.registry import FAMILIES, GAMES, TASKS, Task

ROOT = Path(__file__).resolve().parent.parent
AUDITS = ROOT / "docs/audits"  # made by the commands that about.md names
AUDIT = AUDITS / "reasoning.json"
GAME_VALUES = ROOT / "docs/games.json"  # made by tools/game_values.py
NOTICE = "<!-- Made by `make docs` from the docstrings: change those, not this file. -->"
FOLDERS = ("wrappers", "agents", "benchmarks")
GROUPED = ("reasoning", "games", "control")  # families with a page for each folder of tasks
PICTURES = "docs/worlds"  # of the control worlds, made by tools/pictures.py
IN_A_ROW, PICTURE_WIDTH = 4, 180  # of the table of pictures; pixels on the page


def pages() -> dict[Path, str]:
    """Every generated page: path and text."""
    found = {ROOT / "envs/README.md": envs_page()}
    for family in FAMILIES:
        found[ROOT / f"envs/{family}/README.md"] = family_page(family)
    for family in GROUPED:
        for group, tasks in groups(family).items():
            found[ROOT / f"envs/{family}/{group}/README.md"] = group_page(family, group, tasks)
    for folder in FOLDERS:
        found[ROOT / f"{folder}/README.md"] = folder_page(folder)
    found[ROOT / "docs/audits.md"] = audits_page()
    return found


# The pages.


def envs_page() -> str:
    """All ids, and the files that the families share."""
    parts = [f"# envs\n\n{docstring(ROOT / 'envs/__init__.py')}"]
    for family in FAMILIES:
        tasks = [task for task in TASKS if task.family == family]
        summary = docstring(ROOT / f"envs/{family}/__init__.py")
        parts.append(f"## [{family}]({family}/README.md)\n\n{summary}\n\n{id_table(tasks)}")
    parts.append(f"## Shared by all\n\n{module_table(ROOT / 'envs')}")
    return page(parts)


def family_page(family: str) -> str:
    """One family: its ids with links to their pages, or the tasks themselves; its files."""
    if family == "reasoning":
        return reasoning_page()
    folder = ROOT / "envs" / family
    tasks = [task for task in TASKS if task.family == family]
    parts = [f"# {family}\n\n{docstring(folder / '__init__.py')}"]
    if family == "games":
        ids = ", ".join(f"`{game.id}`" for game in GAMES)
        parts.append(f'With every seat open, `pettingzoo.make("aec", id)`: {ids}.')
        parts.append(section(GAME_VALUES))
    if family == "control":
        drawn = [task for task in tasks if "bridge" not in task.tags]
        parts.append(f"{ABOUT_PICTURES}\n\n{picture_table(drawn)}")
    inside = groups(family) if family in GROUPED else {}
    for group, members in inside.items():
        about = docstring(folder / group / "__init__.py")
        parts.append(f"## [{group}]({group}/README.md)\n\n{about}\n\n{id_table(members, group)}")
    if not inside:
        parts += [id_table(tasks), *task_pages(tasks)]
    parts.append(f"## Files\n\n{module_table(folder)}")
    parts += inner_tables(folder, without=inside)
    return page(parts)


ABOUT_PICTURES = """\
A name leads to the world's page. A picture is one moment of an episode in which the oracle
acts (bodies that have none just swing their joints); earlier moments are fainter. Green is the
goal, where there is one place to go to."""


def picture_table(tasks: list[Task]) -> str:
    """The pictures of worlds, each above its name."""
    shown = []
    for task in tasks:
        source = f'src="../../{PICTURES}/{task.name}.png" width="{PICTURE_WIDTH}"'
        address = f"{group_of(task)}/README.md#{anchor(task.id)}"
        shown.append(f'<img {source} alt="{task.name}"><br>[{task.name}]({address})')
    rows = [shown[at : at + IN_A_ROW] for at in range(0, len(shown), IN_A_ROW)]
    rows[-1] += [""] * (IN_A_ROW - len(rows[-1]))
    head = ["| " * IN_A_ROW + "|", "|" + ":-:|" * IN_A_ROW]
    return "\n".join([*head, *(f"| {' | '.join(row)} |" for row in rows)])


def anchor(heading: str) -> str:
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def group_of(task: Task) -> str:
    """The folder of a task inside of its family."""
    return task.target.split(".")[1]


def groups(family: str) -> dict[str, list[Task]]:
    """The folders of a family, each with its tasks."""
    found: dict[str, list[Task]] = {}
    for task in TASKS:
        if task.family == family:
            found.setdefault(group_of(task), []).append(task)
    return found


def reasoning_page() -> str:
    """All reasoning tasks: score of a constant answer, meaning of difficulty, an example."""
    inside = groups("reasoning")
    folder = ROOT / "envs/reasoning"
    parts = [f"# reasoning\n\n{docstring(folder / '__init__.py')}", FLOORS]
    for group, tasks in inside.items():
        summary = docstring(folder / group / "__init__.py")
        parts.append(f"## [{group}]({group}/README.md)\n\n{summary}\n\n{floor_table(tasks)}")
    parts.append(f"## Shared by all\n\n{module_table(folder)}")
    parts += inner_tables(folder, without=inside)
    for task in (task for tasks in inside.values() for task in tasks):
        found = sections(type(make(task)))
        about = found.get("Difficulty", "The other suite's own.")
        parts.append(f"## {task.id}\n\n{found['']}\n\n**Difficulty.** {about}")
        if "bridge" not in task.tags:
            parts.append(episode(task))
    return page(parts)


def audits_page() -> str:
    """The audit of our own tasks and of other suites, from the files that the command wrote."""
    text = (AUDITS / "about.md").read_text("utf-8")
    verifiers = "vf_reasoning:zerogym/Verifiers-v0?env=vf_reasoning&settings="
    for name, strip in (("reasoning", ""), ("reasoning_texts", ""),
                        ("reasoning_changed", ""), ("tools", ""), ("talk", ""),
                        ("reasoning_gym", "ReasoningGym-v0?dataset="),
                        ("reasoning_gym_texts", "ReasoningGym-v0?dataset="),
                        ("reasoning_core", "ReasoningCore-v0?task="),
                        ("text_arena", "TextArena-v0?game="),
                        ("verifiers", verifiers), ("open_env", "OpenEnv-v0?url=")):  # fmt: skip
        path = AUDITS / f"{name}.json"
        text = text.replace(
            f"<<{name}>>", markdown_table(path, strip) if path.exists() else "Not yet run."
        )
    return page([text])


FLOORS = """\
**Floor** is the mean score of the best constant answer: an answer that ignores the question,
chosen on some problems and measured on fresh ones, in the category where it is highest. It is
measured by `zerogym audit --family reasoning` at the default difficulty; where only two answers
are possible (marked *binary*) a half is the least a floor can be. **Full pages** are in the
folders."""


def floor_table(tasks: list[Task]) -> str:
    """Ids with summary and floor."""
    audited = read_json(AUDIT) if AUDIT.exists() else {}
    rows = []
    for task in tasks:
        found = audited.get(task.id, {}).get("constant answer")
        floor = "" if found is None else f"{worst_floor(found):.2f}"
        if found is not None and any(c["binary"] for c in found.measured["categories"].values()):
            floor += " *binary*"
        summary = summary_of(inspect.getdoc(make(task)) or "")
        rows.append(f"| `{task.id}` | {cell(summary)} | {floor} |")
    return "\n".join(["| id | what it is | floor |", "|---|---|---|", *rows])


def group_page(family: str, group: str, tasks: list[Task]) -> str:
    """A folder of a family: every task in full."""
    folder = ROOT / "envs" / family / group
    parts = [f"# {group}\n\n{docstring(folder / '__init__.py')}\n\n{id_table(tasks)}"]
    parts += task_pages(tasks)
    parts.append(f"## Files\n\n{module_table(folder)}")
    return page(parts + inner_tables(folder))


def task_pages(tasks: list[Task]) -> list[str]:
    """The pages of the classes of these tasks."""
    return [task_page(list(same)) for _, same in groupby(tasks, key=lambda task: task.target)]


def folder_page(folder: str) -> str:
    """A folder and its sub-folders: a table of files each."""
    parts = [f"# {folder}\n\n{docstring(ROOT / folder / '__init__.py')}"]
    parts.append(module_table(ROOT / folder))
    return page(parts + inner_tables(ROOT / folder))


def task_page(tasks: list[Task]) -> str:
    """The page of an environment class, for all ids that share it."""
    first, *others = tasks
    parts = [f"## {first.id}", class_page(type(make(first)))]
    for other in others:
        arguments = ", ".join(f"`{name}={value!r}`" for name, value in other.kwargs.items())
        parts.append(f"### {other.id}\n\nThe same with {arguments}.")
    parts.append(f"### Spaces\n\n{space_table(first)}")
    if isinstance(make(first), TabularEnv):
        parts.append(f"### Effective horizon\n\n{HORIZONS}\n\n{horizon_table(tasks)}")
    if "bridge" not in first.tags:  # texts of other suites are not reprinted
        parts.append(f"### An episode\n\n{episode(first)}")
    return "\n\n".join(parts)


def page(parts: list[str]) -> str:
    """A whole file."""
    return "\n\n".join([NOTICE, *(part.strip() for part in parts if part.strip())]) + "\n"


# From docstrings to Markdown.


def docstring(path: Path) -> str:
    """The docstring of a file, without importing it."""
    return ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""


def summary_of(text: str) -> str:
    """The first sentence of a docstring, on one line."""
    paragraph = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=\.) (?=[A-Z`])", paragraph)[0]


def module_table(folder: Path, prefix: str = "") -> str:
    """The Python files of a folder, each with the first sentence of its docstring."""
    files = [path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]
    rows = [f"| [{p.name}]({prefix}{p.name}) | {cell(summary_of(docstring(p)))} |" for p in files]
    return "\n".join(["| file | what it is |", "|---|---|", *rows]) if rows else ""


def inner_tables(folder: Path, without: Iterable[str] = ()) -> list[str]:
    """A section with the files of each folder below, except those that have a page of their own."""
    parts = []
    for init in sorted(folder.glob("*/**/__init__.py")):
        name = init.parent.relative_to(folder).as_posix()
        if name.partition("/")[0] not in without:
            table = module_table(init.parent, f"{name}/")
            parts.append(f"## {name}\n\n{docstring(init)}\n\n{table}")
    return parts


def id_table(tasks: list[Task], folder: str = "") -> str:
    """Ids, each with the first sentence of its class; with links if they have pages in a folder."""
    rows = []
    for task in tasks:
        extra = "".join(f" `{name}={value!r}`" for name, value in task.kwargs.items())
        summary = summary_of(inspect.getdoc(make(task)) or "")
        link = f"({folder}/README.md#{anchor(task.id)})" if folder else ""
        name = f"[`{task.id}`]{link}" if folder else f"`{task.id}`"
        rows.append(f"| {name} | {cell(summary)}{extra} |")
    return "\n".join(["| id | what it is |", "|---|---|", *rows]) if rows else ""


def cell(text: str) -> str:
    """Text that does not end a table cell."""
    return text.replace("|", "\\|")


def class_page(cls: type) -> str:
    """The page of a class with its headings, arguments and example as Markdown."""
    found = sections(cls)
    parts = [found.pop("")]
    for heading, text in found.items():
        if heading == "Example":
            text = fenced(text, "python")
        elif heading == "Arguments":
            text = re.sub(r"^(\w+): ", r"- `\1`: ", text, flags=re.M)
            text = re.sub(r"^((?:- |    ).*\n)(?=[^- \n])", r"\1\n", text, flags=re.M)
        parts.append(f"### {heading}\n\n{text}")
    return "\n\n".join(parts)


# From the environments themselves.


def space_table(task: Task) -> str:
    """Observation and action space of each view, read from instances."""
    rows = []
    for view in views(task) or [""]:
        env = make(task, **({"view": view} if view else {}))
        label = f'`view="{view}"`' if view else "the only one"
        rows.append(f"| {label} | `{env.observation_space}` | `{env.action_space}` |")
    return "\n".join(["| view | observations | actions |", "|---|---|---|", *rows])


HORIZONS = """\
The least k for which k steps of lookahead over the Q of random actions end in optimal actions
(`envs/control/tabular/effective_horizon.py`; discount 0.95). Where k is 1, one step of improvement
over random actions solves the task: no planning is needed. Names are without their numbers."""


def horizon_table(tasks: list[Task]) -> str:
    """Effective horizons of the named tasks of each id, by kind."""
    rows = [
        "| id | tasks | number | with k = 1 | median k | largest k |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for task in tasks:
        world: Any = make(task)
        kinds: dict[str, list[int]] = {}
        for name, posed in world.tasks.items():
            kind = re.sub(r"(_\d+)+$", "", name)
            kinds.setdefault(kind, []).append(effective_horizon_of(world, posed))
        for kind, found in kinds.items():
            numbers = f"{len(found)} | {found.count(1)} | {median(found):g} | {max(found)}"
            rows.append(f"| `{task.id}` | {kind} | {numbers} |")
    return "\n".join(rows)


def episode(task: Task) -> str:
    """A real episode from seed 0 of the oracle or of random actions, its middle left out."""
    played = episodes.play(task)
    line = f"`{played.call}`, `reset(seed=0)`, and the actions of {played.who}:"
    return line + "\n\n" + fenced(episodes.columns(played), "text")


def main() -> None:
    """Write every page that has changed."""
    for path, text in pages().items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
