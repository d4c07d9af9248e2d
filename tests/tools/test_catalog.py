"""The generated README.md of every folder is complete and up to date."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from zerogym.envs.registry import GAMES, TASKS


@pytest.fixture(scope="module")
def catalog(load_tool: Callable[[str], ModuleType]) -> ModuleType:
    """The generator."""
    return load_tool("catalog")


EPISODE = re.compile(  # and the actions of all turns
    r"^`[^\n]+`, `reset\(seed=0\)`, and the actions of [^\n]+:\n\n(```+)text\n.*?\n\1$", re.M | re.S
)


@pytest.fixture(scope="module")
def pages(catalog: ModuleType) -> dict[Path, str]:
    """All pages, but the episodes on them are left out: playing them takes a minute."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalog, "episode", lambda task: "EPISODE")
        made: dict[Path, str] = catalog.pages()
    return made


def stale(pages: dict[Path, str], root: Path, text_of: Callable[[str], str]) -> list[str]:
    """Return the files that differ from the pages made now."""
    return [
        str(path.relative_to(root))
        for path, text in pages.items()
        if not path.exists() or text_of(path.read_text("utf-8")) != text
    ]


def test_every_page_is_up_to_date_but_for_its_episodes(pages: dict[Path, str], root: Path) -> None:
    assert sum(text.count("EPISODE") for text in pages.values()) > 50
    found = stale(pages, root, lambda text: EPISODE.sub("EPISODE", text))
    assert not found, f"run `make docs` and commit: {', '.join(found)}"


@pytest.mark.proof
def test_every_page_is_up_to_date(catalog: ModuleType, root: Path) -> None:
    found = stale(catalog.pages(), root, str)
    assert not found, f"run `make docs` and commit: {', '.join(found)}"


def test_every_id_and_every_file_is_on_a_page(
    catalog: ModuleType, pages: dict[Path, str], root: Path
) -> None:
    text = "\n".join(pages.values())
    assert [task.id for task in TASKS if f"`{task.id}`" not in text] == []
    assert [game.id for game in GAMES if f"`{game.id}`" not in text] == []
    files = {
        path
        for folder in ("envs", "wrappers", "agents", "benchmarks")
        for path in (root / folder).glob("**/*.py")
        if path.name != "__init__.py"
    }
    linked = {
        (page.parent / link).resolve()
        for page, text in pages.items()
        for link in re.findall(r"\]\(([\w/]+\.py)\)", text)
    }
    assert linked == files
    assert [str(path) for path in files if not catalog.docstring(path)] == []


def test_markdown_of_a_docstring(catalog: ModuleType) -> None:
    class Page:
        """One line.

        Description:
            Words.

        Arguments:
            size: How large;
                very.
            More words.

        Example:
            >>> 1
            1
        """

    assert catalog.class_page(Page) == (
        "One line.\n\n### Description\n\nWords."
        "\n\n### Arguments\n\n- `size`: How large;\n    very.\n\nMore words."
        "\n\n### Example\n\n```python\n>>> 1\n1\n```"
    )


def test_the_first_sentence(catalog: ModuleType) -> None:
    assert catalog.summary_of("One line.\n\nMore.") == "One line."
    assert catalog.summary_of("Two\nlines. More.") == "Two lines."
    assert catalog.summary_of("As in 1.5 cases, e.g. this.") == "As in 1.5 cases, e.g. this."
    assert catalog.summary_of("") == ""


def test_links_to_headings_are_named_as_on_github(
    catalog: ModuleType, pages: dict[Path, str], root: Path
) -> None:
    assert catalog.anchor("zerogym/UMap-v0") == "zerogymumap-v0"
    folder = root / "envs/control"
    page = pages[folder / "README.md"]
    worlds = {task.id for task in TASKS if task.family == "control"}
    linked = set(re.findall(r"\]\((\w+/README\.md)#([\w-]+)\)", page))
    assert {heading for _, heading in linked} == {catalog.anchor(id_) for id_ in worlds}
    for target, heading in linked:
        lines = [line for line in pages[folder / target].splitlines() if line.startswith("#")]
        assert heading in {catalog.anchor(line.lstrip("# ")) for line in lines}
    shown = re.findall(r'src="([^"]+)"', page)
    assert shown and all((folder / source).resolve().exists() for source in shown)


def test_the_page_of_a_large_family_is_short(pages: dict[Path, str], root: Path) -> None:
    for family in ("games", "control"):
        assert len(pages[root / f"envs/{family}/README.md"]) < 30_000
