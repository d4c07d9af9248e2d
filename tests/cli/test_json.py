"""`--json`: one JSON document on stdout, and everything else on stderr."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.training.train import train
from zerogym.cli import app

VERBS = {
    "list poker": ("id", "summary"),
    "info Countdown": ("id", "page", "observation_space", "example"),
    "doctor": ("zerogym", "packages", "missing", "sandbox", "models"),
    "audit --quick --check wrong\xa0answers ChainSum": ("provenance", "reports"),
    "league kuhn_poker --players random,cfr --pairs 2 --out DIR/a.jsonl": ("standings", "exploit"),
    "exploit kuhn_poker --player random --steps 50 --rounds 2": ("bound", "seats", "player"),
    "bench quick --only countdown --only random --no-processes --out DIR/b": ("rows", "report"),
    "infer RUN --task goal_7_7 --episodes 1": ("env", "tasks", "notes"),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a trained agent."""
    folder = tmp_path_factory.mktemp("fb")
    small = {"data_steps": 400, "batch_size": 8, "dim": 4, "hidden": 8, "updates": 1}
    train(FBConfig("zerogym/UMap-v0", **small), folder)  # type: ignore[arg-type]
    return folder


@pytest.mark.parametrize("line", VERBS)
def test_a_verb_prints_one_document(line: str, run: Path, tmp_path: Path) -> None:
    places = {"RUN": str(run), "DIR": str(tmp_path)}
    words = [word.replace("\xa0", " ") for word in line.split(" ")]
    for name, place in places.items():
        words = [word.replace(name, place) for word in words]
    result = CliRunner().invoke(app, [*words, "--json"])
    assert result.exit_code == 0, result.output
    document: Any = json.loads(result.stdout, parse_constant=lambda text: pytest.fail(text))
    first = document[0] if isinstance(document, list) else document
    assert set(VERBS[line]) <= set(first), list(first)


def test_without_it_the_next_verb_prints_to_stdout() -> None:
    assert CliRunner().invoke(app, ["list", "poker", "--json"]).stdout.startswith("[")
    assert "KuhnPoker" in CliRunner().invoke(app, ["list", "poker"]).stdout
