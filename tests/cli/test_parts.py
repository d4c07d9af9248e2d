"""`zerogym parts`: the tables, the page of a part, and names that do not exist."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from zerogym.agents.llm.algorithms.advantages.tempo import Tempo
from zerogym.agents.llm.algorithms.presets import PRESETS
from zerogym.agents.llm.algorithms.tables import TABLES
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.cli import app
from zerogym.cli.settings import build
from zerogym.cli.settings.files import read_config
from zerogym.errors import ImportRefused


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


def test_presets_are_listed_and_explained() -> None:
    shown = run("preset").output
    for name, preset in PRESETS.items():
        assert name in shown and preset.source[-11:-1] in shown  # its arXiv id
    records = {each["name"]: each for each in json.loads(run("preset", "--json").output)}
    assert records["simple_rl_zoo"]["settings"] == {
        "aggregation": "token_mean", "kl": 1e-4, "entropy": 1e-3,
    }  # fmt: skip
    page = run("t1").output
    assert "our choice" in page and "--reference ema" in page and "2501.11651" in page
    assert "Subtract the group's mean" in run("dr_grpo").output  # the part comes first


def test_rewards_of_collections_are_parts() -> None:
    shown = run("max_info").output
    assert "--policy.noise [default: 0.01]" in shown and "2412.12098" in shown
    assert "rnd" in run("policy").output


def test_a_part_of_ones_own_has_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "part_with_a_page.py").write_text(
        "from dataclasses import dataclass\nfrom zerogym.agents.llm import Advantage\n\n"
        '@dataclass(frozen=True)\nclass Mine(Advantage):\n    """Weigh all alike."""\n'
        "    def __call__(self, batch):\n        return [[1.0] * len(g) for g in batch.groups]\n",
        "utf-8",
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert "Weigh all alike." in run("part_with_a_page:Mine").output


@pytest.mark.parametrize(
    ("name", "lacks"),
    [("Unfinished", "must define __call__"), ("Warm", "must be a frozen dataclass"),
     ("Foreign", "must be a subclass of")],
)  # fmt: skip
def test_a_class_that_is_no_part_is_one_line(
    name: str, lacks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no_parts.py").write_text(
        "from dataclasses import dataclass\nfrom zerogym.agents.llm import Advantage\n\n"
        "@dataclass(frozen=True)\nclass Unfinished(Advantage):\n    k: int = 1\n"
        "class Warm(Advantage):\n    def __call__(self, batch):\n        return []\n"
        "class Foreign:\n    pass\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    part = f"no_parts:{name}"
    training = ("train", "llm", "--env", "Countdown", "--advantage", part)
    for command in (("parts", part), training):
        found = CliRunner().invoke(app, command, env={"COLUMNS": "300"})
        assert found.exit_code == 2 and lacks in found.stderr, found
        assert len(found.stderr.splitlines()) == 1


def test_settings_of_a_part_are_options() -> None:
    values = {"advantage": "tempo", "advantage.alpha": "0.5"}
    assert build(GRPOConfig, values).algorithm.estimator == Tempo(alpha=0.5)
    shown = CliRunner().invoke(app, ["train", "llm", "--advantage", "tempo", "--advantage.k", "3"])
    assert shown.exit_code == 2 and "advantage 'tempo' has no setting 'k'" in shown.stderr


def test_unknown_parts_name_the_nearest() -> None:
    shown = run("tmpo")
    assert shown.exit_code == 2 and "Did you mean 'tempo'" in shown.stderr


def test_prompts_and_rollouts_have_options_and_tables_of_files(tmp_path: Path) -> None:
    typed = {"prompts": "pool", "prompts.size": "1", "rollouts": "dars", "rollouts.most": "16"}
    config = build(GRPOConfig, typed)
    assert (config.source.record()["size"], config.algorithm.rolling.record()["most"]) == (1, 16)
    path = tmp_path / "run.toml"
    tasks = '[prompts.tasks.sums]\nenv = "{}"\nweight = 2\n[eval_tasks.plain]\nenv = "{}"\n'
    head = '[prompts]\npart = "mixture"\nown = 1.0\n'
    path.write_text(head + tasks.format("zerogym/Counting-v0", "zerogym/Counting-v0"))
    config = build(GRPOConfig, read_config(GRPOConfig, path, {}))
    assert [task.env for task in config.source.task_specs(config.task).values()] == [
        "zerogym/Counting-v0", config.env,
    ]  # fmt: skip
    assert config.eval_tasks == {"plain": {"env": "zerogym/Counting-v0"}}
    for wrong in (("mine:A-v0", "zerogym/Counting-v0"), ("zerogym/Counting-v0", "mine:A-v0")):
        path.write_text(head + tasks.format(*wrong))
        with pytest.raises(ImportRefused, match=r"run.toml names the environment 'mine:A-v0'"):
            read_config(GRPOConfig, path, {})
