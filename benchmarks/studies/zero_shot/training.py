"""The training runs of a proof; only their models are kept."""

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.training.run import DATA_FILE
from zerogym.agents.zero_shot.training.train import train


def trained(config: FBConfig, seed: int, data: Dataset | None = None) -> FBModel:
    """Train the model of a seed.

    Args:
        config: Settings.
        seed: Of the run.
        data: Training data; None: collected as in the settings.
    """
    with tempfile.TemporaryDirectory() as folder:
        if data is not None:
            data.save(Path(folder) / DATA_FILE)
        return FBModel.load(train(replace(config, seed=seed), folder).path)


def without_seed(config: FBConfig) -> dict[str, Any]:
    """Return settings as JSON values, without the seed, which a record has itself."""
    values: dict[str, Any] = json.loads(config.to_json())
    return {name: value for name, value in values.items() if name not in ("seed", "seeds")}
