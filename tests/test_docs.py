"""The Python blocks of the site's hand-written pages run, in the order of each page."""

import re
from pathlib import Path

import pytest

BLOCK = re.compile(r"^```python(?: title=\"([^\"\n]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = ("index", "start/first_task", *(f"tutorials/own_{n}" for n in ("task", "game", "reward")))
PAGES += ("tutorials/own_tool",)
SLOW = ("start/language_model", "start/zero_shot", "tutorials/rl_library")


@pytest.mark.parametrize(
    "page", [*PAGES, *(pytest.param(page, marks=pytest.mark.proof) for page in SLOW)]
)
def test_the_code_of_a_page_runs(
    page: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    blocks = BLOCK.findall((root / f"docs/{page}.md").read_text("utf-8"))
    assert blocks
    names: dict[str, object] = {"__name__": "page"}
    for title, code in blocks:
        if title:  # a file that the reader saves
            (tmp_path / title).write_text(code, "utf-8")
        else:
            exec(compile(code, f"docs/{page}.md", "exec"), names)
