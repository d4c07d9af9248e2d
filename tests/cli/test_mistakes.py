"""Mistakes at the command line: each is one line that names what is meant, and exit code 2.

They are those of the site's page `docs/mistakes.md`, which shows what this test has checked.
"""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from zerogym.cli import app

PAGE = Path(__file__).resolve().parents[2] / "docs/mistakes.md"
MISTAKES = re.findall(r"^\| `zerogym (.+?)` \| `(.+)` \|$", PAGE.read_text("utf-8"), re.MULTILINE)


def test_the_page_lists_them() -> None:
    assert len(MISTAKES) == len(set(dict(MISTAKES))) == 42


@pytest.mark.parametrize(("line", "says"), MISTAKES)
def test_a_mistake_is_one_line_with_a_hint(
    line: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, line.split())
    assert result.exit_code == 2, (result.output, result.exception)
    assert result.stdout == "" and not list(tmp_path.iterdir())
    [shown] = result.stderr.splitlines()
    pattern = re.escape(f"error {says}").replace(re.escape("..."), ".*")
    assert re.fullmatch(pattern, shown), shown
