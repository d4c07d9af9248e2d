"""Small datasets and interrupted runs, for tests of zero-shot agents."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.training import train as train_module
from zerogym.agents.zero_shot.training.train import Progress, Trained


def chain(states: int) -> NDArray[np.int64]:
    """Return the next states (S, 3) of staying, a step up and a step down."""
    here = np.arange(states)
    return np.stack([here, np.minimum(here + 1, states - 1), np.maximum(here - 1, 0)], axis=1)


def everywhere(next_state: NDArray[np.int64]) -> Dataset:
    """Return each state and action once, with one-hot observations."""
    s, a = (index.ravel() for index in np.indices(next_state.shape))
    eye = np.eye(len(next_state), dtype=np.float32)
    return Dataset(eye[s], a, eye[next_state[s, a]])


def random_data(discrete: bool, size: int = 80, seed: int = 0) -> Dataset:
    """Return normal observations (N, 3) with 2 actions, or actions (N, 2) in [-1, 1]."""
    rng = np.random.default_rng(seed)
    states = rng.normal(size=(size, 3)).astype(np.float32)
    actions = rng.integers(2, size=size) if discrete else rng.uniform(-1, 1, (size, 2))
    typed = actions.astype(np.int64 if discrete else np.float32)
    return Dataset(states, typed, np.roll(states, -1, 0))


def train_in_parts(
    config: FBConfig,
    folder: Path,
    at: int,
    monkeypatch: pytest.MonkeyPatch,
    continued: FBConfig | None = None,
) -> tuple[list[Trained], list[int]]:
    """Interrupt a run after `at` updates and continue it; return it and the reported updates."""
    monkeypatch.setattr(train_module, "REPORT_EVERY", at)
    reported: list[int] = []

    def stop(progress: Progress) -> None:
        reported.append(progress.updates)
        if progress.updates == at and reported.count(at) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match=f"saved after {at} of {config.updates}"):
        train_module.train_seeds(config, folder, stop)
    return train_module.train_seeds(continued or config, folder, stop), reported
