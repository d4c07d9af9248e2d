"""Groups of the settings of `train fb`: in Python, in files, in help texts, and in older runs."""

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from zerogym.agents.settings import group_title, groups_of
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.training.run import lock_settings
from zerogym.cli import app
from zerogym.cli.console import UsageError
from zerogym.cli.settings import build, from_file, read_config

GROUPS = groups_of(FBConfig)
NAMES = [field.name for field in fields(FBConfig)]
# What a run with defaults wrote before there were groups, in the order of that time.
FLAT: dict[str, Any] = {
    "env": "zerogym/UMap-v0", "env_kwargs": {}, "wrappers": {}, "seed": 0, "seeds": 1,
    "data": None, "data_steps": 20_000, "hold": 1, "features": "fb", "samples": 10_000,
    "updates": 3_000, "batch_size": 128, "dim": 48, "net": "product", "hidden": 128,
    "hidden_backward": 256, "heads": 2, "temperature": 10.0, "pessimism": 0.0, "anchors": 0,
    "encoder": "auto", "encoded": 128, "encoder_layers": 4, "history": 1, "gamma": 0.95,
    "tau": 0.05, "peak_updates": 4_000, "lr_forward": 4e-3, "lr_backward": 1e-2,
    "lr_actor": 1e-3, "final_lr": 0.02, "orthonormality": 1.0, "q_loss": 0.0,
    "conservative": "none", "alpha": 1.0, "penalty_target": 50.0, "lr_alpha": 1e-4, "bc": 0.0,
    "flow_bc": 0.0, "goal_share": 0.5, "exact": True, "noise": 0.2, "noise_clip": 0.3,
    "evaluate_every": 0, "checkpoint_every": 1_000, "stop_diverged": True, "device": "cpu",
    "precision": "fp32", "compile": "none", "cuda_graph": False, "threads": 1,
}  # fmt: skip
LATER = ("standardise", "later_share", "reward_share")  # settings that came since
# One setting of each group, none of them the default.
GIVEN: dict[str, dict[str, Any]] = {
    "world": {"env": "zerogym/FourRooms-v0"},
    "dataset": {"data_steps": 400},
    "representation": {"dim": 8},
    "networks": {"hidden": 16},
    "critic": {"gamma": 0.9},
    "actor": {"temperature": 5.0},
    "prompt": {"goal_share": 0.25},
    "training": {"updates": 5},
    "computing": {"threads": 2},
}
CHANGED = {name: value for own in GIVEN.values() for name, value in own.items()}


def lines(settings: dict[str, Any]) -> str:
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items())


def config_of(text: str, folder: Path) -> FBConfig:
    file = folder / "run.toml"
    file.write_text(text, "utf-8")
    return build(FBConfig, read_config(FBConfig, file, {}))


def test_each_setting_is_in_one_group_of_at_most_twelve() -> None:
    of = {name: [field.name for field in fields(each)] for name, each in GROUPS.items()}  # type: ignore[arg-type]
    assert sorted(name for own in of.values() for name in own) == sorted([*FLAT, *LATER])
    assert list(of) == list(GIVEN) and NAMES[0] == "env"
    assert max(map(len, of.values())) <= 12
    assert not set(of) & set(NAMES)  # a file has the one or the other under a name


def test_keys_of_a_file_stand_alone_or_in_their_groups(tmp_path: Path) -> None:
    grouped = "".join(f"[{name}]\n" + lines(own) for name, own in GIVEN.items())
    assert (
        config_of(grouped, tmp_path) == FBConfig(**CHANGED) == config_of(lines(CHANGED), tmp_path)
    )
    part = config_of('[representation.features]\npart = "contrastive"\n', tmp_path)
    assert part.phi == FBConfig(features="contrastive").phi


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[actor]\ndim = 8", "dim is a setting of [representation], not of [actor]"),
        ("[representation]\ndimm = 8", "there is no setting 'dimm'; did you mean dim"),
        ("[represent]\ndim = 8", "there is no setting 'represent'; did you mean representation"),
        ("dim = 8\n[representation]\ndim = 8", "dim is set twice: once in [representation]"),
        ("critic = 2", "critic is a group: [critic], and below it its settings"),
    ],
)
def test_a_key_that_is_elsewhere_or_nowhere_is_one_line(
    text: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError) as error:
        config_of(text, tmp_path)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_groups_are_sections_of_help_texts() -> None:
    shown = CliRunner().invoke(app, ["train", "fb", "--help"], env={"COLUMNS": "200"}).output
    panels, sections = shown.split("╭─ "), (FBConfig.__doc__ or "").split("\n\n")
    for group in GROUPS.values():
        [panel] = [each for each in panels if each.startswith(f"{group_title(group)} ─")]
        [section] = [each for each in sections if each.startswith(f"{group_title(group)}:\n")]
        for field in fields(group):  # type: ignore[arg-type]
            assert f"--{field.name.replace('_', '-')} " in panel
            assert f"    {field.name}: " in section


def test_a_run_from_before_the_groups_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(FLAT, indent=2), "utf-8")
    assert build(FBConfig, from_file(FLAT, {}, file)) == FBConfig()
    assert FBConfig.from_json(file.read_text("utf-8")) == FBConfig()
    lock_settings(tmp_path, FBConfig())
    with pytest.raises(ValueError, match="holds a run with other settings"):
        lock_settings(tmp_path, replace(FBConfig(), gamma=0.9))
