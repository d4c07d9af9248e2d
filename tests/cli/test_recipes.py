"""Recipes: the shipped settings of whole runs."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.recipes import recipe_names, settings_file
from zerogym.cli import app
from zerogym.cli.settings import build, read_config
from zerogym.errors import UnknownName


@pytest.mark.parametrize("name", recipe_names())
def test_a_recipe_is_a_valid_run_with_a_folder_of_its_own(name: str) -> None:
    config = build(GRPOConfig, read_config(GRPOConfig, settings_file(name), {}))
    assert Path(config.out) == Path("runs") / name
    typed = {"steps": 7, "model": "elsewhere"}
    over = build(GRPOConfig, read_config(GRPOConfig, settings_file(name), typed))
    assert (over.steps, over.model, over.env) == (7, "elsewhere", config.env)


def test_a_file_of_the_same_name_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert settings_file("r1_zero").suffix == ".toml"
    Path("r1_zero").write_text("steps = 2")
    assert settings_file("r1_zero") == Path("r1_zero")
    assert settings_file("folder/r1_zero") == Path("folder/r1_zero")
    with pytest.raises(UnknownName, match="'r1_zero'"):
        settings_file("r1-zro")


@pytest.mark.proof
@pytest.mark.parametrize("name", recipe_names())
def test_a_recipe_trains(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    run = ["train", "llm", "--config", name, "--out", str(tmp_path), "--device", "cpu"]
    few = ["--steps", "2", "--prompts-per-step", "4", "--eval-episodes", "4"]
    result = CliRunner().invoke(app, [*run, *few])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "model" / "model.safetensors").exists()
    assert len((tmp_path / "metrics.jsonl").read_text().splitlines()) >= 2
