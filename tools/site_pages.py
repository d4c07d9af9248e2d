"""Generated pages of the site: one for each task, and copies of files of the repository.

mkdocs calls the functions (`hooks` in mkdocs.yml). The page of a task has its docstring, spaces,
an example episode and, in the control family, a picture. Links from `docs` to files of the
repository become plain text, since the code is not part of the site.
"""

import re
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))
import catalog

import zerogym
from zerogym.envs.registry import FAMILIES, Task

ROOT = catalog.ROOT
COPIES = {
    "security.md": ROOT / "envs/tools/SECURITY.md",
    "contributing.md": ROOT / "CONTRIBUTING.md",
    "changelog.md": ROOT / "CHANGELOG.md",
}
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?://|#)([^)\s]+)\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the navigation with the pages of all tasks."""
    pages: list[dict[str, Any]] = []
    for family in FAMILIES:
        names = [{task.name: address(task)} for task in zerogym.tasks(family) if leads(task)]
        pages.append({family.capitalize(): [f"tasks/{family}/index.md", *names]})
    for entry in config.nav or []:
        if isinstance(entry, dict) and "Tasks" in entry:
            entry["Tasks"] = pages
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    for address_, path in COPIES.items():
        text = path.read_text("utf-8")
        files.append(File.generated(config, address_, content=text))
    for family in FAMILIES:
        index = family_index(family)
        files.append(File.generated(config, f"tasks/{family}/index.md", content=index))
        for _, group in groupby(zerogym.tasks(family), key=lambda task: task.target):
            same = list(group)
            files.append(File.generated(config, address(same[0]), content=task_page(same)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Keep the text of links to files that the site does not have."""
    folder = Path(page.file.src_uri).parent

    def shown(link: re.Match[str]) -> str:
        target = link[2].partition("#")[0]
        parts: list[str] = []
        for part in (folder / target).parts:
            parts = parts[:-1] if part == ".." and parts else [*parts, part]
        return link[0] if files.get_file_from_path("/".join(parts)) else link[1]

    return _LINK.sub(shown, markdown)


def leads(task: Task) -> bool:
    """Return True for the first of the tasks that share a class, which has their page."""
    return next(other for other in zerogym.tasks() if other.target == task.target) == task


def address(task: Task) -> str:
    """Return the page of a task: that of the first task with the same class."""
    first = next(other for other in zerogym.tasks() if other.target == task.target)
    return f"tasks/{first.family}/{first.name}.md"


def family_index(family: str) -> str:
    """The tasks of a family in a table, with pictures where there are any."""
    about = catalog.docstring(ROOT / f"envs/{family}/__init__.py")
    rows = [
        f"| [{task.name}]({Path(address(task)).name}) | {catalog.cell(task.summary)} |"
        for task in zerogym.tasks(family)
    ]
    table = "\n".join(["| task | what it is |", "|---|---|", *rows])
    return f"# {family.capitalize()}\n\n{about.partition('Read ')[0].strip()}\n\n{table}\n"


def task_page(tasks: list[Task]) -> str:
    """The page of a class: how to make it, picture, documentation, spaces, an episode."""
    first, *others = tasks
    text = catalog.task_page(tasks).partition("\n\n")[2]
    head = f'# {first.name}\n\n```python\nenv = zerogym.make("{first.name}")\n```'
    if others:
        head += "\n\nAlso: " + ", ".join(f"`{task.id}`" for task in others) + "."
    if (picture := ROOT / catalog.PICTURES / f"{first.name}.png").exists():
        head += f"\n\n![{first.name}](../../worlds/{picture.name}){{ width=260 }}"
    return f"{head}\n\n{re.sub(r'^### ', '## ', text, flags=re.M)}\n"
