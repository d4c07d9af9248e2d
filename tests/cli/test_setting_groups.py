"""Groups of settings in TOML files and in the help of `zerogym train llm`."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.settings import group_title, groups_of
from zerogym.cli import app
from zerogym.cli.console import UsageError
from zerogym.cli.settings import build, read_config

GROUPS = groups_of(GRPOConfig)
GIVEN: dict[str, Any] = {
    "env": "zerogym/Countdown-v0", "env_kwargs": {"difficulty": 1, "split": "train"},
    "group_size": 4, "stop": ("a", "b"), "temperature": 0.7, "preset": "rloo", "kl": 0.1,
    "advantage": {"part": "tempo", "alpha": 0.5}, "staleness": 1, "correction": "token_mask",
    "lr": 1e-4, "lora_rank": 2, "eval_episodes": 5, "track": ("wandb",), "device": "cpu",
}  # fmt: skip


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(each)}" for key, each in value.items()) + "}"
    return json.dumps(value)


def lines(settings: dict[str, Any]) -> str:
    return "".join(f"{name} = {toml(value)}\n" for name, value in settings.items())


def config_of(text: str, folder: Path) -> GRPOConfig:
    file = folder / "run.toml"
    file.write_text(text, "utf-8")
    return build(GRPOConfig, read_config(GRPOConfig, file, {}))


def test_keys_may_stand_alone_or_in_their_groups(tmp_path: Path) -> None:
    grouped = ""
    for name, group in GROUPS.items():
        own = {field.name for field in fields(group)} & set(GIVEN)  # type: ignore[arg-type]
        grouped += f"[{name.replace('_', '-')}]\n" + lines({key: GIVEN[key] for key in own})
    config = config_of(grouped, tmp_path)
    assert config == GRPOConfig(**GIVEN) == config_of(lines(GIVEN), tmp_path)
    text = 'steps = 3\n[optimiser]\nlr = 1\n[algorithm.advantage]\npart = "opo"\n'
    assert config_of(text, tmp_path) == config_of("steps = 3\nlr = 1\nadvantage = 'opo'", tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[task]\nlr = 1e-4", "lr is a setting of [optimiser], not of [task]"),
        ("[optimiser]\nlrr = 1", "there is no setting 'lrr'; did you mean lr"),
        ("[optimizer]\nlr = 1", "there is no setting 'optimizer'; did you mean optimiser"),
        ("lr = 1\n[optimiser]\nlr = 2", "lr is set twice: once in [optimiser], once above"),
        ("optimiser = 1e-4", "optimiser is a group: [optimiser], and below it its settings"),
        ("[optimiser]\nlr = 'high'", "lr takes a number, got 'high'"),
        ("[algorithm]\nadvantage = {part = 'opoo'}", "did you mean 'opo'?"),
    ],
)
def test_a_key_that_is_elsewhere_or_nowhere_is_one_line(
    text: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError) as error:
        config_of(text, tmp_path)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_groups_are_panels_of_the_help() -> None:
    shown = CliRunner().invoke(app, ["train", "llm", "--help"], env={"COLUMNS": "200"}).output
    panels = shown.split("╭─ ")
    for group in GROUPS.values():
        [panel] = [each for each in panels if each.startswith(f"{group_title(group)} ─")]
        for field in fields(group):  # type: ignore[arg-type]
            assert f"--{field.name.replace('_', '-')} " in panel
