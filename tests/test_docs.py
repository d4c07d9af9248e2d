"""The blocks of the README and of the site's hand-written pages run, in their order.

`make test` runs all of them with fewer steps: `COMMANDS`, `CODE` and `STUDY` below are the only
changes. The pages that train for longer also run as they are written, as proofs.
"""

import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from helpers.plugin_folder import forgotten_afterwards
from zerogym.cli import app

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = [*(ROOT / "docs/start").iterdir(), *(ROOT / "docs/tutorials").iterdir()]
PAGES = ["README.md", "docs/index.md", *sorted(str(path.relative_to(ROOT)) for path in WRITTEN)]
PAGES.remove("docs/start/install.md")  # it installs
LONG = ("README.md", "docs/start/language_model.md", "docs/start/zero_shot.md")
BLOCK = re.compile(r"^```(\w*)(?: title=\"([^\"\n]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^(?:zerogym|cd) .+$", re.MULTILINE)

# What `make test` adds to a command; the last of two equal options counts.
FEW = "--steps 1 --prompts-per-step 2 --group-size 2 --eval-episodes 2 --max-new-tokens 8"
COMMANDS = {
    "zerogym train llm": FEW,
    "zerogym train fb": "--updates 10 --data-steps 1000",
    "zerogym bench": "--no-processes",
    "zerogym league": "--pairs 4",
    "zerogym audit": "--quick",
}
# What it replaces in Python.
CODE = {
    r"(preset\(\"[^\"]+\")": r"\1, data_steps=1000",
    r"data_steps=1000\)": "data_steps=1000, updates=10)",
    r"\bupdates=\d+": "updates=10",
    r"\bepisodes=\d+": "episodes=1",
    r"\.learn\([\d_]+\)": ".learn(200)",
    r"(run_suite\([^)]+)\)": r"\1, processes=False)",
}
# And in the file of a study.
STUDY = {
    "seeds": "2\nrival = false",
    "steps": 1,
    "prompts_per_step": 1,
    "max_new_tokens": 4,
    "eval_episodes": 2,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty current folder whose modules and ids are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with forgotten_afterwards(monkeypatch, tmp_path):
        yield tmp_path


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run_with_few_steps(page: str, folder: Path) -> None:
    assert run_page(page, folder, few=True) > 0


@pytest.mark.proof
@pytest.mark.parametrize("page", LONG)
def test_the_blocks_of_a_page_run_as_they_are_written(page: str, folder: Path) -> None:
    run_page(page, folder, few=False)


def test_the_readme_imports_nothing_below_the_public_packages() -> None:
    blocks = BLOCK.findall((ROOT / "README.md").read_text("utf-8"))
    code = "\n".join(text for language, _, text in blocks if language == "python")
    imported = re.findall(r"^\s*(?:from|import) (zerogym[\w.]*)", code, re.MULTILINE)
    assert len(imported) > 3 and all(name.count(".") <= 2 for name in imported), imported


def run_page(page: str, folder: Path, few: bool) -> int:
    """Run the Python and the commands of a page in the current folder; return how many there are.

    A block with a title is a file that the reader saves. Of the other blocks without a language,
    the lines that begin with `zerogym` and `cd` are run.
    """
    names: dict[str, object] = {"__name__": "page"}
    count = 0
    for language, title, text in BLOCK.findall((ROOT / page).read_text("utf-8")):
        if title:
            for name, value in STUDY.items() if few and language == "toml" else ():
                text = re.sub(rf"^{name} = \d+", f"{name} = {value}", text, flags=re.MULTILINE)
            (folder / title).write_text(text, "utf-8")
        elif language == "python":
            exec(compile(shortened(text) if few else text, page, "exec"), names)
            count += 1
        elif not language:
            for line in LINE.findall(text.replace("\\\n", " ")):
                run_line(line, few)
                count += 1
    return count


def shortened(code: str) -> str:
    for pattern, replacement in CODE.items():
        code = re.sub(pattern, replacement, code)
    return code


def run_line(line: str, few: bool) -> None:
    """Run a command in this process."""
    if few:
        line += "".join(f" {more}" for start, more in COMMANDS.items() if line.startswith(start))
    command, *arguments = shlex.split(line, comments=True)
    if command == "cd":
        os.chdir(arguments[0])
        return
    found = CliRunner().invoke(app, arguments, env={"COLUMNS": "300"})
    assert found.exit_code == 0, f"{line}\n{found.output}"
