"""One training run of a proof, of which only the model is kept."""

import tempfile
from pathlib import Path

from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.dataset import Dataset
from zerogym.agents.zero_shot.model import FBModel
from zerogym.agents.zero_shot.run import DATA_FILE
from zerogym.agents.zero_shot.train import train


def trained(config: FBConfig, data: Dataset | None = None) -> FBModel:
    """The model of a training run.

    Args:
        config: Settings.
        data: What it learns from; None collects as the settings say.
    """
    with tempfile.TemporaryDirectory() as folder:
        if data is not None:
            data.save(Path(folder) / DATA_FILE)
        return FBModel.load(train(config, folder).path)
