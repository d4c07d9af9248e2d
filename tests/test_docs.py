"""The Python blocks of the README and of the site's hand-written pages run, in order."""

import re
from pathlib import Path

import pytest

BLOCK = re.compile(r"^```python(?: title=\"([^\"\n]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OWN = ("task", "game", "reward", "tool", "tool_world", "advantage")
PAGES = ("docs/index", "docs/start/first_task", *(f"docs/tutorials/own_{name}" for name in OWN))
SLOW = (
    "README",
    "docs/start/language_model",
    "docs/start/zero_shot",
    "docs/tutorials/rl_library",
)


@pytest.mark.parametrize(
    "page", [*PAGES, *(pytest.param(page, marks=pytest.mark.proof) for page in SLOW)]
)
def test_the_code_of_a_page_runs(
    page: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    blocks = BLOCK.findall((root / f"{page}.md").read_text("utf-8"))
    assert blocks
    names: dict[str, object] = {"__name__": "page"}
    for title, code in blocks:
        if title:  # a file that the reader saves
            (tmp_path / title).write_text(code, "utf-8")
        else:
            exec(compile(code, f"{page}.md", "exec"), names)
