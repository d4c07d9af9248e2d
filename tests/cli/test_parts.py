"""`zerogym parts`: the tables, the page of a part, and names that do not exist."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from zerogym.agents.llm.algorithms.advantages.tempo import Tempo
from zerogym.agents.llm.algorithms.tables import TABLES
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.cli import app
from zerogym.cli.settings import build


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["parts", *words], env={"COLUMNS": "300"})


def test_all_parts_are_listed_with_their_source() -> None:
    shown = run().output
    for kind, table in TABLES.items():
        assert kind in shown
        for name in table:
            assert name in shown
    assert "2509.18314" in shown
    records = json.loads(run("advantage", "--json").output)
    assert [each["name"] for each in records] == TABLES["advantage"].names()
    (tempo,) = [each for each in records if each["name"] == "tempo"]
    assert tempo["settings"] == {"part": "tempo", "alpha": 1.0, "version": 1}


def test_a_part_has_a_page() -> None:
    shown = run("rl_zvp").output
    for text in (
        "rl_zvp", "alpha (max H - H)", "2509.21880", "--advantage.alpha [default: 0.1]",
        "weight of the entropy", "the signal 'entropy'", "rl_zvp.py",
    ):  # fmt: skip
        assert text in shown


def test_a_part_of_ones_own_has_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "part_with_a_page.py").write_text(
        "from dataclasses import dataclass\nfrom zerogym.agents.llm import Advantage\n\n"
        '@dataclass(frozen=True)\nclass Mine(Advantage):\n    """Weigh all alike."""\n',
        "utf-8",
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert "Weigh all alike." in run("part_with_a_page:Mine").output


def test_settings_of_a_part_are_options() -> None:
    values = {"advantage": "tempo", "advantage.alpha": "0.5"}
    assert build(GRPOConfig, values).algorithm.estimator == Tempo(alpha=0.5)
    shown = CliRunner().invoke(app, ["train", "llm", "--advantage", "tempo", "--advantage.k", "3"])
    assert shown.exit_code == 2 and "advantage 'tempo' has no setting 'k'" in shown.stderr


def test_unknown_parts_name_the_nearest() -> None:
    shown = run("tmpo")
    assert shown.exit_code == 2 and "Did you mean 'tempo'" in shown.stderr
