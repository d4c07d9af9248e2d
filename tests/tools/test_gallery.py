"""The README's pictures are there, and are those that the command draws."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree


def test_the_readme_shows_pictures_that_exist_and_is_short(root: Path) -> None:
    text = (root / "README.md").read_text("utf-8")
    local = [path for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text) if "://" not in path]
    assert local and all((root / path).exists() for path in local)
    links = [path for path in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in path]
    assert [path for path in links if not (root / path).exists()] == []
    assert len(text.splitlines()) <= 150


def test_the_gallery_is_of_today(load_tool: Callable[[str], ModuleType], root: Path) -> None:
    gallery = load_tool("gallery")
    for family, name in gallery.CARDS.items():
        stored = (root / f"docs/gallery/{family}.svg").read_text("utf-8")
        assert stored == gallery.card(name), "run `make docs`"
        ElementTree.fromstring(stored)
    assert {path.name for path in gallery.FOLDER.iterdir()} == {
        *(f"{family}.svg" for family in gallery.CARDS),
        "games.gif",
    }
