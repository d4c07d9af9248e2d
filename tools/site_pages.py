"""Generated pages of the site: one for each task, papers, parts, and copies of files.

mkdocs calls the functions (`hooks` in mkdocs.yml). Links from `docs` to files of the repository
become plain text, since the code is not part of the site.
"""

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))
import papers
import parts_page
import site_tasks

from zerogym.envs.registry import FAMILIES, TASKS, Task

ROOT = Path(__file__).resolve().parent.parent
COPIES = {
    "security.md": ROOT / "SECURITY.md",
    "contributing.md": ROOT / "CONTRIBUTING.md",
    "changelog.md": ROOT / "CHANGELOG.md",
}
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?://|#)([^)\s]+)\)")


def own_tasks(family: str) -> list[Task]:
    """Return our tasks of a family, without those of other packages that are installed."""
    return [task for task in TASKS if task.family == family]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the navigation with the pages of all tasks, by family and folder."""
    pages: list[dict[str, Any]] = []
    for family in FAMILIES:
        entries: list[Any] = [f"tasks/{family}/index.md"]
        for title, tasks in site_tasks.groups(own_tasks(family)).items():
            inside = [{task.name: site_tasks.address(task)} for task in tasks]
            entries += [{title: inside}] if len(inside) > 1 else inside
        pages.append({family.capitalize(): entries})
    for entry in config.nav or []:
        if isinstance(entry, dict) and "Tasks" in entry:
            entry["Tasks"] = pages
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages: dict[str, str | bytes] = {name: path.read_text("utf-8") for name, path in COPIES.items()}
    pages["papers.md"] = papers.page()
    pages["parts.md"] = parts_page.page()
    for family in FAMILIES:
        pages[f"tasks/{family}/index.md"] = site_tasks.family_index(family, own_tasks(family))
        for task in own_tasks(family):
            text, moves = site_tasks.task_page(task)
            pages[site_tasks.address(task)] = text
            if moves:
                pages[f"tasks/{family}/{task.name}.gif"] = moves
    for name, content in pages.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Keep the text of links to files that the site does not have."""
    folder = Path(page.file.src_uri).parent

    def shown(link: re.Match[str]) -> str:
        target = link[2].partition("#")[0]
        parts: list[str] = []
        for part in (folder / target).parts:
            parts = parts[:-1] if part == ".." and parts else [*parts, part]
        file = files.get_file_from_path("/".join(parts))
        return link[0] if file and file.inclusion.is_included() else link[1]

    return _LINK.sub(shown, markdown)
