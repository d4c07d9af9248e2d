"""A run that diverges ends with an error, and what it leaves is its last good state."""

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.atomic_files import read_tensors
from zerogym.agents.zero_shot.algorithms import optimisers
from zerogym.agents.zero_shot.algorithms.optimisers import below
from zerogym.agents.zero_shot.config import FBConfig, preset
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.training import train as train_module
from zerogym.agents.zero_shot.training.divergence import FEW, is_good, sign_of_divergence
from zerogym.agents.zero_shot.training.train import Progress, train, train_seeds
from zerogym.errors import TrainingDiverged

SMALL = FBConfig(
    data_steps=200,
    batch_size=16,
    dim=4,
    hidden=8,
    updates=200,
    checkpoint_every=20,
    lr_forward=1e-3,
)
SOUND, WRONG = 80, 1e4  # updates with the rates of the settings, and the factor of those after


@pytest.fixture
def diverging(monkeypatch: pytest.MonkeyPatch) -> None:
    """Multiply all learning rates by `WRONG` from update `SOUND` on."""
    monkeypatch.setattr(train_module, "REPORT_EVERY", 2)
    monkeypatch.setattr(
        optimisers, "learning_rate_scale", lambda update, config: 1.0 if update < SOUND else WRONG
    )


def _rows(folder: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("config", [SMALL, dataclasses.replace(SMALL, features="laplacian")])
def test_the_model_kept_is_the_last_good_one(
    config: FBConfig, diverging: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TrainingDiverged, match=r"times its running level.*after 80 updates, is in"):
        train(config, tmp_path)
    found = read_tensors(tmp_path / "checkpoint.safetensors")
    assert int(found["updates"]) == SOUND
    kept = FBModel.load(tmp_path / "model").state_dict()
    sound = below("model.", found)
    assert all(torch.equal(kept[name], tensor) for name, tensor in sound.items())
    # The same as of a run that ends there.
    monkeypatch.undo()
    monkeypatch.setattr(optimisers, "learning_rate_scale", lambda update, config: 1.0)
    train(dataclasses.replace(config, updates=SOUND), tmp_path / "short")
    short = FBModel.load(tmp_path / "short" / "model").state_dict()
    assert all(torch.equal(kept[name], tensor) for name, tensor in short.items())


def test_a_diverged_run_is_not_continued(diverging: None, tmp_path: Path) -> None:
    with pytest.raises(TrainingDiverged):
        train(SMALL, tmp_path)
    last = _rows(tmp_path)[-1]
    assert last["diverged"] == 1.0
    assert SOUND < last["update"] < SMALL.updates
    model = (tmp_path / "model" / "model.safetensors").read_bytes()
    with pytest.raises(TrainingDiverged, match=r"holds a run that diverged.*another directory"):
        train(SMALL, tmp_path)
    assert (tmp_path / "model" / "model.safetensors").read_bytes() == model


def test_a_run_to_study_divergence_ends_as_it_is(diverging: None, tmp_path: Path) -> None:
    trained = train(dataclasses.replace(SMALL, stop_diverged=False), tmp_path)
    rows = _rows(tmp_path)
    assert rows[-1]["update"] == SMALL.updates and "diverged" not in rows[-1]
    assert rows[-1]["forward/bellman"] > 20 * rows[SOUND // 2 - 1]["forward/bellman"]
    last = read_tensors(tmp_path / "checkpoint.safetensors")
    model = FBModel.load(trained.path).state_dict()
    assert all(torch.equal(model[name], tensor) for name, tensor in below("model.", last).items())
    with pytest.raises(TrainingDiverged, match=r"nan|inf|not finite"):
        train(dataclasses.replace(SMALL, lr_forward=1e30, stop_diverged=False), tmp_path / "nan")


def test_a_run_without_a_good_state_keeps_no_model(tmp_path: Path) -> None:
    config = dataclasses.replace(SMALL, lr_forward=1e30, checkpoint_every=3)
    for words in ("has diverged.*no state was kept", "holds a run that diverged"):
        with pytest.raises(TrainingDiverged, match=words):
            train(config, tmp_path)
    assert not (tmp_path / "model").exists()


def test_a_suspect_state_does_not_replace_the_checkpoint(
    diverging: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C during a rise keeps the state before it."""
    from zerogym.agents.zero_shot.training import divergence

    monkeypatch.setattr(divergence, "DIVERGED", math.inf)

    def stop(progress: Progress) -> None:
        if progress.updates == SOUND + 16:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match=f"saved after {SOUND} of"):
        train(SMALL, tmp_path, stop)
    assert int(read_tensors(tmp_path / "checkpoint.safetensors")["updates"]) == SOUND


def test_seeds_trained_at_once_keep_their_common_state(diverging: None, tmp_path: Path) -> None:
    config = dataclasses.replace(SMALL, seeds=2)
    with pytest.raises(TrainingDiverged, match="of seed"):
        train_seeds(config, tmp_path)
    found = read_tensors(tmp_path / "checkpoint.safetensors")
    for number in (0, 1):
        kept = FBModel.load(tmp_path / f"seed_{number}" / "model").state_dict()
        sound = below(f"{number}.model.", found)
        assert all(torch.equal(kept[name], tensor) for name, tensor in sound.items())


LEVEL: list[dict[str, Any]] = [
    {"forward/bellman": 230.0 + 10 * (row % 3), "backward/rank": 57.0} for row in range(30)
] + [{"forward/bellman": 1_200.0, "backward/rank": 56.0}]


@pytest.mark.parametrize(
    ("metrics", "good", "diverged"),
    [
        ({"forward/bellman": 380.0, "backward/rank": 56.0}, True, False),
        ({"forward/bellman": 1_500.0, "backward/rank": 56.0}, False, False),
        ({"forward/bellman": 240.0, "backward/rank": 40.0}, False, False),
        ({"forward/bellman": 11_348.0, "backward/rank": 40.0}, False, True),
        ({"forward/bellman": math.nan, "backward/rank": 57.0}, False, True),
    ],
)
def test_signs(metrics: dict[str, float], good: bool, diverged: bool) -> None:
    assert is_good(metrics, LEVEL) is good
    assert (sign_of_divergence(metrics, LEVEL) is not None) is diverged


def test_a_single_batch_is_no_divergence() -> None:
    high = {"forward/bellman": 11_348.0, "backward/rank": 56.0}
    assert sign_of_divergence(high, LEVEL[:-1]) is None
    assert not is_good(high, LEVEL[:-1])


def test_the_beginning_of_a_run_has_no_level() -> None:
    assert is_good({"forward/bellman": 1e6, "backward/rank": 1.0}, LEVEL[: FEW - 1])


@pytest.mark.proof
def test_long_training_is_stable(tmp_path: Path) -> None:
    """The first 16,000 of ten times the default updates, of a seed that lost B at constant rates.

    With `peak_updates=40_000` the rank of B fell from 56 to 37 within 100 updates, at 15,300.
    """
    env_kwargs = {"layout": "u"}
    config = preset("zerogym/PointMaze-v0", env_kwargs=env_kwargs, seed=10, updates=40_000)

    def stop(progress: Progress) -> None:
        if progress.updates == 16_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="saved after 16000 of"):
        train(config, tmp_path, stop)
    rows = [row for row in _rows(tmp_path) if row["update"] > 4_000]
    assert min(row["backward/rank"] for row in rows) > 0.95 * rows[0]["backward/rank"]
    assert max(row["forward/bellman"] for row in rows) < 3 * rows[0]["forward/bellman"]
