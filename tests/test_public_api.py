"""The names that users import: they resolve, and importing zerogym stays light."""

import dataclasses
import importlib
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest

import zerogym
from zerogym.agents.llm.rollout.environments import arguments_of
from zerogym.envs.lookup import find_spec
from zerogym.envs.registry import FAMILIES
from zerogym.errors import UnknownName


def test_tasks_are_found_by_family_and_words() -> None:
    poker = [task.id for task in zerogym.tasks(search="Poker")]
    assert poker == [f"zerogym/{name}-v0" for name in ("KuhnPoker", "KuhnMatch", "LeducPoker")]
    assert {task.family for task in zerogym.tasks("tools")} == {"tools"}
    assert zerogym.tasks("tools", search="poker") == []
    with pytest.raises(UnknownName, match="Did you mean 'games'"):
        zerogym.tasks("gmaes")


def test_a_summary_is_the_first_line_of_the_class_docstring() -> None:
    assert [task.name for task in zerogym.tasks() if not task.summary] == []
    for task in zerogym.tasks("reasoning")[:48:8]:
        module, _, name = task.entry_point.partition(":")
        doc = getattr(importlib.import_module(module), name).__doc__
        assert task.summary == doc.splitlines()[0]


@pytest.mark.parametrize("name", ["KnightsKnaves", "knights_knaves", "zerogym/KnightsKnaves-v0"])
def test_make_takes_any_spelling(name: str) -> None:
    env = zerogym.make(name, difficulty=0)
    assert env.spec is not None and env.spec.id == "zerogym/KnightsKnaves-v0"
    env.reset(seed=0)
    assert env.step(env.unwrapped.oracle_action())[1] == 1.0  # type: ignore[attr-defined]


def test_make_takes_foreign_ids_and_refuses_unknown_names() -> None:
    spec = zerogym.make("gymnasium:CartPole-v1").spec
    assert spec is not None and spec.id == "CartPole-v1"
    for name in ("KnightKnaves", "zerogym/KnightsKnaves-v7"):
        with pytest.raises(UnknownName, match="Did you mean 'KnightsKnaves'"):
            zerogym.make(name)


PACKAGES = (
    "agents.explore",
    "agents.llm",
    "agents.offline",
    "agents.self_play.opponents",
    "agents.zero_shot",
    "benchmarks",
    *(f"envs.{family}" for family in FAMILIES),
)


@pytest.mark.parametrize("package", ["zerogym", *(f"zerogym.{name}" for name in PACKAGES)])
def test_public_names_are_there(package: str) -> None:
    module = importlib.import_module(package)
    assert module.__all__
    for name in module.__all__:
        assert getattr(module, name) is not None
        assert name in dir(module)


def test_no_public_function_shares_its_name_with_a_module() -> None:
    """Otherwise the import of the module would put it in the place of the function."""
    for package in PACKAGES:
        module = importlib.import_module(f"zerogym.{package}")
        inside = {path.stem for path in Path(module.__path__[0]).iterdir() if path.stem[0] != "."}
        assert not inside & set(module.__all__)


SETTINGS = (
    *("llm.GRPOConfig", "llm.SFTConfig", "llm.Sampling", "zero_shot.FBConfig"),
    *("explore.config.CollectConfig", "datasets.subset.SubsetConfig", "baselines.sb3.SB3Config"),
    *("self_play.mirror_descent.MirrorDescentConfig", "zero_shot.adaptation.residual.ReLAConfig"),
    "offline.OfflineConfig",
)


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_show_their_fields_in_help(name: str) -> None:
    module, _, cls = name.rpartition(".")
    settings = getattr(importlib.import_module(f"zerogym.agents.{module}"), cls)
    shown = pydoc.render_doc(settings, renderer=pydoc.plaintext).partition("Methods defined")[0]
    for field in dataclasses.fields(settings):
        assert re.search(rf"^ \|      {field.name}: \S", shown, re.M), f"{name}.{field.name}"


def test_importing_public_packages_loads_no_torch() -> None:
    code = (
        f"import sys, zerogym, {', '.join(f'zerogym.{name}' for name in PACKAGES)};"
        "zerogym.tasks();"
        "print([m for m in ('torch', 'transformers', 'mujoco', 'minigrid', 'pyspiel', 'matplotlib')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_specification_is_found_without_an_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lookup_example.py").write_text(
        "import gymnasium as gym\n"
        "gym.register('mine/Sum-v0', 'zerogym.envs.reasoning.arithmetic.chain_sum:ChainSumEnv')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    typed = "lookup_example:mine/Sum-v0"
    with pytest.raises(gym.error.UnregisteredEnv):
        find_spec(typed)
    assert "lookup_example" not in sys.modules
    with zerogym.make(typed) as env:
        env.reset(seed=0)
    assert find_spec(typed).id == "mine/Sum-v0" and arguments_of(typed)["max_attempts"] == 1
