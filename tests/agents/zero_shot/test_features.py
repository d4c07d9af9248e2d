"""Features of a zero-shot agent as parts: settings, one's own in a run, and what is refused."""

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
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.features import FEATURES, ContrastiveFeatures, Features, Sizes, made
from zerogym.cli import app
from zerogym.errors import ImportRefused, PartFailed, UnknownName

torch = pytest.importorskip("torch")

from zerogym.agents.zero_shot.models.architecture import Shape  # noqa: E402
from zerogym.agents.zero_shot.models.model import FBModel  # noqa: E402
from zerogym.agents.zero_shot.representations.feature_losses import Contrastive  # noqa: E402
from zerogym.agents.zero_shot.representations.representations import FeatureLoss  # noqa: E402
from zerogym.agents.zero_shot.training.train import train  # noqa: E402

SIZES = Sizes(inputs=5, dim=3, actions=2, hidden=8, discrete=True)
SMALL: dict[str, Any] = {
    "data_steps": 400, "batch_size": 32, "dim": 4, "hidden": 8, "hidden_backward": 8, "updates": 3,
}  # fmt: skip
OWN = '''
from dataclasses import dataclass

from zerogym.agents.zero_shot import FeatureLoss, Features


class Near(FeatureLoss):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def loss(self, step):
        apart = step.backward(step.here) - step.backward(step.there)
        return self.scale * apart.square().mean(), {}


@dataclass(frozen=True)
class Slow(Features):
    """Take features that hardly change in a step."""

    scale: float = 1.0  # of the loss

    def __call__(self, sizes):
        return Near(self.scale)
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "own_features_of_a_test.py").write_text(OWN, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield "own_features_of_a_test"
    sys.modules.pop("own_features_of_a_test", None)


@dataclass(frozen=True)
class Nothing(Features):
    """Make something that is no loss."""

    def __call__(self, sizes: Sizes) -> Any:
        return sizes.dim


@pytest.mark.parametrize("name", FEATURES.names())
def test_what_a_part_declares_is_what_it_makes(name: str) -> None:
    part = FEATURES.make(name)
    assert FEATURES.make(json.loads(json.dumps(part.record()))) == part
    config = FBConfig(features=part)
    assert FBConfig.from_json(config.to_json()) == config
    assert json.loads(FBConfig(features=name).to_json())["features"] == name
    if name != "fb":
        loss = made(part, SIZES, FeatureLoss)
        assert loss.looks_ahead == part.looks_ahead


def test_the_temperature_of_contrastive_features() -> None:
    loss = made(ContrastiveFeatures(temperature=0.5), SIZES, FeatureLoss)
    assert isinstance(loss, Contrastive) and loss.temperature == 0.5
    with pytest.raises(ValueError, match="temperature must be above 0"):
        ContrastiveFeatures(temperature=0.0)


def test_features_of_ones_own_train_and_load_without_their_module(
    module: str, tmp_path: Path
) -> None:
    words = [word for k, v in SMALL.items() for word in (f"--{k.replace('_', '-')}", str(v))]
    command = ["train", "fb", "--env", "UMap", "--out", str(tmp_path / "run"), *words]
    own = ["--features", f"{module}:Slow", "--features.scale", "0.5"]
    shown = CliRunner().invoke(app, [*command, *own])
    assert shown.exit_code == 0, shown.output
    recorded = json.loads((tmp_path / "run" / "config.json").read_text("utf-8"))
    assert recorded["features"] == {"part": f"{module}:Slow", "scale": 0.5, "version": 1}
    first = train(FBConfig(**recorded), tmp_path / "again")
    del sys.modules[module]
    with pytest.raises(ImportRefused, match=f"--import {module}"):
        FBConfig(**recorded)
    model = FBModel.load(first.path)
    assert model.shape.kind == f"{module}:Slow" and module not in sys.modules
    typed = FBModel.load(tmp_path / "run" / first.path.relative_to(tmp_path / "again"))
    weights = (typed.backward_net, model.backward_net)
    for a, b in zip(*(net.parameters() for net in weights), strict=True):
        np.testing.assert_array_equal(a.detach().numpy(), b.detach().numpy())


def test_features_that_cannot_be() -> None:
    with pytest.raises(PartFailed, match="Nothing must make a FeatureLoss, got 3"):
        made(Nothing(), SIZES, FeatureLoss)
    with pytest.raises(ValueError, match="contrastive features look ahead"):
        FBConfig(features=ContrastiveFeatures(0.5), gamma=0.0)
    with pytest.raises(UnknownName, match=r"no features 'laplacean'.* mean 'laplacian'"):
        FBConfig(features="laplacean")
    with pytest.raises(UnknownName, match="no features 'laplacean'"):
        Shape(3, 2, True, 4, 8, 2, kind="laplacean")


def test_no_torch_at_registration() -> None:
    code = (
        "import sys; from zerogym.agents.zero_shot.features import FEATURES;"
        "from zerogym.agents.zero_shot.agents import AGENTS; AGENTS.names();"
        "FEATURES.names(); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
