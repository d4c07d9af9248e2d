"""Environments that installed packages bring: listed, made by name, and never in the way."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import gymnasium as gym
import pytest
from typer.testing import CliRunner

import zerogym
from helpers.plugin_folder import forgotten_afterwards
from zerogym.agents.datasets.environments import make_env
from zerogym.benchmarks.auditing.subject import Subject
from zerogym.cli import app
from zerogym.envs.lookup import find_task, full_id, reward_free
from zerogym.envs.plugins import BrokenPlugin
from zerogym.errors import UnknownName

SUMS = '''
import gymnasium as gym
from zerogym.envs.control.gridworlds.chain import ChainEnv
from zerogym.envs.reasoning.arithmetic.chain_sum import ChainSumEnv

class SumsEnv(ChainSumEnv):
    """Add what stands in a row."""

class RowEnv(ChainEnv):
    """Walk along a row."""

def register():
    gym.register("mine/Sums-v0", "mine_tasks:SumsEnv", kwargs={"difficulty": 1})
    gym.register("Row-v0", RowEnv)
'''
NO_CLASS = "import gymnasium\ngymnasium.register('mine/Gone-v0', 'gone_tasks:GoneEnv')\n"
PACKAGES = {  # the name of a package: its module, that module's code, and its entry point
    "mine-tasks": ("mine_tasks", SUMS, "mine_tasks:register"),
    "raises": ("raising_tasks", "1 / 0", "raising_tasks"),
    "gone": ("gone_tasks", NO_CLASS, "gone_tasks"),
    "absent": ("", "", "absent_tasks:register"),
}


def installed(folder: Path, *packages: str) -> None:
    for package in packages:
        module, code, value = PACKAGES[package]
        info = folder / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[zerogym.envs]\n{package} = {value}\n")
        if module:
            (folder / f"{module}.py").write_text(code)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages; afterwards nothing of them is left."""
    monkeypatch.syspath_prepend(tmp_path)
    with forgotten_afterwards(monkeypatch, tmp_path):
        yield tmp_path


def test_tasks_of_packages_are_listed_and_made(folder: Path) -> None:
    installed(folder, "mine-tasks")
    assert "mine/Sums-v0" not in gym.registry
    assert [task.id for task in zerogym.tasks("reasoning", "stands in a row")] == ["mine/Sums-v0"]
    task = find_task("sums")
    assert (task.family, task.summary) == ("reasoning", "Add what stands in a row.")
    assert dict(task.kwargs) == {"difficulty": 1} and task.tags == ("mine-tasks",)
    assert zerogym.make("Sums", difficulty=0).spec == gym.make("mine/Sums-v0", difficulty=0).spec
    shown = json.loads(CliRunner().invoke(app, ["list", "--json"]).output)
    assert [each["id"] for each in shown[-2:]] == ["Row-v0", "mine/Sums-v0"]
    found = CliRunner().invoke(app, ["info", "mine/Sums-v0"])
    assert found.exit_code == 0 and "Add what stands in a row." in found.output
    with pytest.raises(UnknownName, match="mean 'mine/Sums-v0'"):
        find_task("mine/Smus-v0")


def test_an_unknown_id_loads_the_packages_wherever_it_is_made(folder: Path) -> None:
    installed(folder, "mine-tasks")
    assert full_id("zerogym/Countdown-v0") and "mine_tasks" not in sys.modules
    make_env("Row-v0", {}).close()
    assert reward_free("Row-v0") == {"task": None}  # as our own
    assert Subject("mine/Sums-v0").make()


def test_broken_packages_warn_once_and_hide_nothing(folder: Path) -> None:
    installed(folder, *PACKAGES)
    with pytest.warns(BrokenPlugin) as caught:
        found = zerogym.tasks()
    assert found[-1].id == "mine/Sums-v0"
    for warning, says in zip(
        caught,
        (
            "'absent' .*there is no module 'absent_tasks'",
            "'gone' are missing: .*GoneEnv",
            r"'raises' .*raising_tasks\.py, line 1\): ZeroDivisionError",
        ),
        strict=True,
    ):
        assert re.search(says, str(warning.message)), warning.message
    assert zerogym.tasks() == found  # no second warning, which would be an error here
