"""Groups of settings: their size, their order, and runs that are older than they are."""

from dataclasses import fields
from pathlib import Path

import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.flat_record import FLAT_RECORD
from zerogym.agents.llm.algorithms.advantages.tempo import Tempo
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.training.resume import check_same_settings
from zerogym.agents.settings import groups_of
from zerogym.cli.settings import build, from_file

GROUPS = groups_of(GRPOConfig)
NAMES = [field.name for field in fields(GRPOConfig)]


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_has_at_most_twelve_settings_and_says_what_it_is_about(name: str) -> None:
    group = GROUPS[name]
    assert 1 <= len(fields(group)) <= 12  # type: ignore[arg-type]
    assert (group.__doc__ or "").partition("\n")[0].endswith(".")
    assert name not in NAMES  # a file has the one or the other under a name


def test_each_setting_is_in_one_group() -> None:
    grouped = [field.name for group in GROUPS.values() for field in fields(group)]  # type: ignore[arg-type]
    assert grouped == NAMES
    assert next(iter(GROUPS)) == "task" and NAMES[0] == "env"


def test_help_has_a_section_for_each_group() -> None:
    text = GRPOConfig.__doc__ or ""
    sections = text.split("\n\n")
    [optimiser] = [each for each in sections if each.startswith("Optimiser:")]
    assert "    lr: learning rate" in optimiser and "lora_rank" not in optimiser
    assert all(f"    {name}: " in text for name in NAMES)


def test_a_run_from_before_the_groups_goes_on(tmp_path: Path) -> None:
    now = GRPOConfig(
        preset="dapo", advantage=Tempo(alpha=0.5), env="zerogym/Countdown-v0",
        env_kwargs={"difficulty": 1}, steps=2, lr=1e-3, stop=("###",), eval_episodes=0,
        correction="token_mask", out="runs/mine",
    )  # fmt: skip
    assert set(NAMES) >= set(FLAT_RECORD)
    assert build(GRPOConfig, from_file(FLAT_RECORD, {}, tmp_path / "run.json")) == now
    check_same_settings(now, FLAT_RECORD, tmp_path)
    with pytest.raises(ValueError, match="had other settings: lr"):
        check_same_settings(now, FLAT_RECORD | {"lr": 1e-4}, tmp_path)
