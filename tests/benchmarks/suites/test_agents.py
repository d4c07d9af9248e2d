"""The learners of a suite keep what was measured while they learned."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from zerogym.agents.zero_shot.config import FBConfig, preset
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.training import train as training
from zerogym.agents.zero_shot.training.run import lock_settings
from zerogym.benchmarks.results.schema import Curve, ModelCache, World
from zerogym.benchmarks.suites import agents as build

ROWS = (
    '{"update": 50, "forward/loss": 3.0}\n'
    '{"update": 375, "forward/loss": 2.0, "evaluation/score": 0.25}\n'
    '{"update": 750, "forward/loss": 1.0, "evaluation/score": 0.5}\n'
)


@pytest.mark.parametrize(("rows", "points"), [(ROWS, ((375, 0.25), (750, 0.5))), (ROWS[:36], ())])
def test_fb_keeps_the_scores_in_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: str, points: tuple[object, ...]
) -> None:
    configs: list[FBConfig] = []

    def train(config: FBConfig, folder: Path) -> SimpleNamespace:
        configs.append(config)
        folder.mkdir(parents=True)
        (folder / "log.jsonl").write_text(rows)
        return SimpleNamespace(path=folder)

    monkeypatch.setattr(training, "train", train)
    monkeypatch.setattr(FBModel, "load", lambda path: None)
    found: list[Curve] = []
    cache = ModelCache(tmp_path, 3, lambda text: None, found.append)
    build.zero_shot(World("U-map", "zerogym/UMap-v0", "", ("fb",)), cache)
    (curve,), (config,) = found, configs
    assert (curve.name, curve.points) == ("FB, UMap", points)
    assert curve.y.startswith("mean score of its tasks")
    assert config.evaluate_every * build.FB_SCORES == config.updates and config.seed == 3


def test_a_run_continues_with_other_evaluations(tmp_path: Path) -> None:
    config = preset("zerogym/UMap-v0")
    lock_settings(tmp_path, config)
    lock_settings(tmp_path, replace(config, evaluate_every=100))
    with pytest.raises(ValueError, match="other settings"):
        lock_settings(tmp_path, replace(config, updates=100))
