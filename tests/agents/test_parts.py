"""Tables of parts: how a part is found, recorded and refused; a user's own in a run."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.llm.samples import group_of
from zerogym.agents import parts
from zerogym.agents.llm.algorithms.advantage_tables import ADVANTAGES, Advantage, advantage, weigh
from zerogym.agents.llm.algorithms.advantages.group_relative import GroupRelative, Grpo
from zerogym.agents.llm.algorithms.batch import Batch, Weights
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.parts import Part, Table, recorded_part
from zerogym.envs import extensions
from zerogym.envs.references import CannotImport
from zerogym.errors import ImportRefused, PartFailed, UnknownArgument, UnknownName

OWN = '''
from dataclasses import dataclass

import numpy as np

from zerogym.agents.llm import Advantage, Batch


@dataclass(frozen=True)
class Mine(Advantage):
    """Compare with the group's median."""

    alpha: float = 1.0  # factor of the weights

    def __call__(self, batch: Batch):
        return [
            [self.alpha * (s.total - np.median([t.total for t in group])) for s in group]
            for group in batch.groups
        ]
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module with a part, which is not imported yet."""
    (tmp_path / "own_parts_of_a_test.py").write_text(OWN, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield "own_parts_of_a_test"
    sys.modules.pop("own_parts_of_a_test", None)


@dataclass(frozen=True)
class Shifted(Advantage):
    """A part with settings of several types."""

    by: float = 1.0  # what is added
    names: tuple[str, ...] = ("a",)  # unused

    def __call__(self, batch: Batch) -> Weights:
        return [[sample.total + self.by for sample in group] for group in batch.groups]


def test_a_part_is_found_by_name_object_record_and_module(module: str) -> None:
    assert ADVANTAGES.make("grpo") == Grpo() == ADVANTAGES.make(Grpo())
    assert ADVANTAGES.make({"part": "grpo"}) == Grpo()
    name = f"{module}:Mine"
    with pytest.raises(ImportRefused, match=f"--import {module}"):
        ADVANTAGES.make({"part": name, "alpha": 2.0})
    with pytest.raises(ImportRefused, match="nothing that a file names is imported"):
        recorded_part(name, Path("run.json"))
    assert module not in sys.modules
    mine = ADVANTAGES.make(name)
    assert weigh(mine, group_of([0.0, 1.0, 5.0]))[2].tolist() == [4.0, 4.0]
    assert mine.record() == {"part": name, "alpha": 1.0, "version": 1}
    assert ADVANTAGES.make({"part": name, "alpha": 2.0}) == replace(mine, alpha=2.0)
    assert recorded_part(name, Path("run.json")) == name  # imported by now, by the user
    with pytest.raises(UnknownName, match="Did you mean 'Mine'"):
        ADVANTAGES.make(f"{module}:Mime")
    with pytest.raises(CannotImport, match="nowhere_at_all"):
        ADVANTAGES.make("nowhere_at_all:Mine")


def test_a_part_that_extends_another_has_a_name_of_its_own() -> None:
    @dataclass(frozen=True)
    class Extended(Grpo):
        pass

    assert Extended.title().endswith("Extended") and Grpo.title() == "grpo"


def test_wrong_settings_name_those_that_there_are() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'dr_grpo'"):
        ADVANTAGES.make("drgrpo")
    with pytest.raises(UnknownArgument, match=r"advantage 'gae'.*known: gamma, gae_lambda"):
        ADVANTAGES.make({"part": "gae", "lam": 0.9})
    with pytest.raises(TypeError, match=r"Gae\.gamma must be float, got 'high'"):
        ADVANTAGES.make({"part": "gae", "gamma": "high"})
    with pytest.raises(ValueError, match="version 1 here, and 2 in the record"):
        ADVANTAGES.make({"part": "gae", "version": 2})
    with pytest.raises(TypeError, match="has no 'part'"):
        ADVANTAGES.make({"name": "gae"})
    with pytest.raises(TypeError, match="must be a name, Advantage or a record"):
        ADVANTAGES.make(3)  # type: ignore[arg-type]


def test_records_go_through_settings_of_a_run() -> None:
    config = GRPOConfig(advantage=Shifted(by=0.5, names=("b", "c")))
    record = config.record()["advantage"]
    assert record == {
        "part": f"{__name__}:Shifted", "by": 0.5, "names": ["b", "c"], "version": 1,
    }  # fmt: skip
    again = GRPOConfig(**(config.record() | {"advantage": record}))
    assert again == config and again.algorithm.estimator == Shifted(0.5, ("b", "c"))


def test_only_frozen_dataclasses_with_defaults_are_parts() -> None:
    class Plain(Advantage):
        pass

    @dataclass(frozen=True)
    class Open(Advantage):
        alpha: float

    @dataclass(frozen=True)
    class Foreign(Part):
        pass

    @dataclass(frozen=True)
    class Reserved(Advantage):
        version: int = 3  # type: ignore[misc]

    @dataclass(frozen=True)
    class Unfinished(GroupRelative):
        pass

    @dataclass(frozen=True)
    class Attentive(Shifted):
        signals = ("attention",)

    @dataclass(frozen=True)
    class Valued(Shifted):
        signals = ("values",)

    for part, message in (
        (Attentive, "signal 'attention', which no learner computes: there are entropy, reference"),
        (Valued, "values without a critic: it must be a subclass of ValueAdvantage"),
        (Plain, "frozen dataclass"), (Unfinished, "Unfinished must define of_group"),
        (Open, "alpha needs a default"), (Foreign, "subclass of Advantage"),
        (Reserved, "cannot have this name"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=message):
            advantage("tests_own")(part)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="zerogym's: choose another name"):
        advantage("grpo")(Shifted)
    assert "tests_own" not in ADVANTAGES.names()


def test_installed_packages_bring_parts(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    points = [
        EntryPoint(name, f"{module}:Mine", parts.GROUP)
        for name in ("advantage.installed", "other.kind")
    ]
    monkeypatch.setattr(extensions, "entries", lambda group: points)
    table = Table("advantage", Advantage, "zerogym.agents.llm.algorithms.advantages")
    assert table.names() == ["installed"]
    part = table.make({"part": "installed", "alpha": 3.0})
    assert part.record() == {"part": "installed", "alpha": 3.0, "version": 1}


@dataclass(frozen=True)
class Broken(Advantage):
    """A part that fails in a way of its choice."""

    way: str = "raises"  # how

    def __call__(self, batch: Batch) -> Any:
        if self.way == "raises":
            raise KeyError("score")
        if self.way == "is not finite":
            return [[float("nan") for _ in group] for group in batch.groups]
        if self.way == "one too many":
            return [[np.zeros(sample.tokens + 1) for sample in group] for group in batch.groups]
        if self.way == "keeps an array":
            batch.state["mean"] = np.zeros(3)
        return [[0.0] for _ in batch.groups]


@pytest.mark.parametrize(
    ("way", "message"),
    [
        ("raises", r"raised KeyError: 'score' \(test_parts.py, line \d+\)"),
        ("is not finite", "returned weights that are not finite"),
        ("one too many", r"returned weights of shape \(3,\) for an episode of 2 tokens"),
        ("forgets episodes", r"weighed \[1\] episodes of \[3\]"),
    ],
)
def test_a_failing_part_is_named(way: str, message: str) -> None:
    with pytest.raises(PartFailed, match=f"{__name__}:Broken {message}"):
        weigh(Broken(way), group_of([0.0, 1.0, 2.0]))


def test_rewards_that_are_no_numbers_are_not_the_parts_fault() -> None:
    assert np.isnan(np.concatenate(weigh(Grpo(), group_of([float("nan"), 1.0])))).all()
