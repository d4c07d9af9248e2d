"""Policies of a collection as parts: settings, a reward of one's own, and what is refused."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import zerogym  # noqa: F401  (registers the ids)
from zerogym.agents.datasets.stored import load_dataset
from zerogym.agents.explore.collection import collect
from zerogym.agents.explore.config import LEARNED, CollectConfig
from zerogym.agents.explore.policies import (
    POLICIES,
    CollectingPolicy,
    DisagreementReward,
    ICMReward,
    IntrinsicReward,
    MaxInfoReward,
    RNDReward,
)
from zerogym.agents.explore.rewards.base import Batch, Shape
from zerogym.cli import app
from zerogym.errors import ImportRefused, NotAPart, PartFailed

torch = pytest.importorskip("torch")

SMALL: dict[str, Any] = {"steps": 160, "shard_steps": 80, "warmup": 60, "hidden": 16, "waves": 4}
OWN = '''
from dataclasses import dataclass

import torch
from zerogym.agents.explore.policies import IntrinsicReward
from zerogym.agents.explore.rewards.base import Intrinsic


class Far(Intrinsic):
    def __init__(self, shape, scale):
        super().__init__(shape)
        self.scale, self.bias = scale, torch.nn.Parameter(torch.zeros(()))

    def reward(self, batch):
        return self.scale * batch.next_observations.norm(dim=1)

    def loss(self, batch):
        return self.bias.square(), {}


@dataclass(frozen=True)
class Distance(IntrinsicReward):
    """Reward the distance from the mean state."""

    scale: float = 1.0  # of the reward

    def __call__(self, shape):
        return Far(shape, self.scale)
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "own_reward_of_a_test.py").write_text(OWN, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield "own_reward_of_a_test"
    sys.modules.pop("own_reward_of_a_test", None)


@dataclass(frozen=True)
class Nothing(IntrinsicReward):
    """Make something that is no reward."""

    def __call__(self, shape: Shape) -> Any:
        return shape.hidden


def test_settings_reach_the_networks() -> None:
    shape = Shape(observations=3, actions=2, discrete=False, hidden=8)
    state = torch.zeros(4, 3)
    batch = Batch(state, torch.zeros(4, 2), state + 1, torch.zeros(4, 0))
    assert POLICIES["rnd"]()(shape).predictor(state).shape == (4, 64)
    assert RNDReward(features=5)(shape).predictor(state).shape == (4, 5)
    assert ICMReward(features=7)(shape).encoder(state).shape == (4, 7)
    model = ICMReward(beta=1.0)(shape)
    assert torch.equal(model.loss(batch)[0], model.reward(batch).mean())
    assert DisagreementReward(models=2)(shape).predictions(batch).shape[0] == 2
    wide, narrow = MaxInfoReward(noise=1.0)(shape), MaxInfoReward(noise=0.1)(shape)
    narrow.load_state_dict(wide.state_dict())
    variance = wide.predictions(batch).var(dim=0, correction=0)
    expected = (100 * variance).log1p().sum(dim=1) / 2
    assert torch.allclose(narrow.reward(batch), expected) and (wide.reward(batch) > 0).all()


@pytest.mark.parametrize("name", POLICIES.names())
def test_settings_go_through_json(name: str) -> None:
    part = POLICIES.make(name)
    assert POLICIES.make(json.loads(json.dumps(part.record()))) == part
    assert isinstance(part, IntrinsicReward) == (name in LEARNED)
    config = CollectConfig(policy=part)
    assert CollectConfig(**config.to_dict()) == config
    assert CollectConfig(policy=name).to_dict()["policy"] == name


def test_a_reward_of_ones_own_collects_and_resumes(module: str, tmp_path: Path) -> None:
    command = ["collect", "zerogym/PointMaze-v0", "--policy", f"{module}:Distance"]
    sizes = [word for key, value in SMALL.items() for word in (f"--{key}", str(value))]
    sizes = [word.replace("_", "-") for word in sizes]
    shown = CliRunner().invoke(
        app, [*command, "--policy.scale", "2", *sizes, "--out", str(tmp_path / "own")]
    )
    assert shown.exit_code == 0, shown.output
    manifest = json.loads((tmp_path / "own" / "dataset.json").read_text("utf-8"))
    recorded = {"part": f"{module}:Distance", "scale": 2.0, "version": 1}
    assert manifest["config"]["policy"] == recorded
    config = CollectConfig(**manifest["config"])
    whole = load_dataset(collect(config, tmp_path / "again"))
    own = load_dataset(tmp_path / "own")
    np.testing.assert_array_equal(whole.column("actions"), own.column("actions"))
    del sys.modules[module]
    with pytest.raises(ImportRefused, match=f"--import {module}"):
        CollectConfig(**manifest["config"])
    assert module not in sys.modules


def test_parts_that_are_no_rewards_are_refused(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Idle(CollectingPolicy):
        pass

    with pytest.raises(NotAPart, match="Idle must be a subclass of IntrinsicReward"):
        CollectConfig(policy=Idle())
    with pytest.raises(PartFailed, match="Nothing must make an Intrinsic, got 16"):
        collect(CollectConfig(policy=Nothing(), **SMALL), tmp_path / "a")
    with pytest.raises(ValueError, match="mix must be of"):
        CollectConfig(policy="mixed", mix=("random", "elsewhere:Mine"))
    for part, settings in ((ICMReward, {"beta": 2.0}), (MaxInfoReward, {"noise": 0.0})):
        with pytest.raises(ValueError, match=next(iter(settings))):
            part(**settings)


def test_no_torch_at_registration() -> None:
    code = (
        "import sys; from zerogym.agents.explore.policies import POLICIES;"
        "POLICIES.names(); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
