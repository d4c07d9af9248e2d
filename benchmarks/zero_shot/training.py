"""The training runs of a proof, all seeds at once; only their models are kept."""

import dataclasses
import tempfile
from collections.abc import Sequence
from pathlib import Path

from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.dataset import Dataset
from zerogym.agents.zero_shot.model import FBModel
from zerogym.agents.zero_shot.run import DATA_FILE
from zerogym.agents.zero_shot.train import train_seeds


def trained(config: FBConfig, seeds: int, data: Sequence[Dataset] = ()) -> list[FBModel]:
    """The models of the seeds from 0 on.

    Args:
        config: Settings.
        seeds: How many, two or more.
        data: What each learns from, all of one length; none: collected as the settings say.
    """
    with tempfile.TemporaryDirectory() as folder:
        for seed, each in enumerate(data):
            kept = Path(folder) / f"seed_{seed}" / DATA_FILE
            kept.parent.mkdir()
            each.save(kept)
        runs = train_seeds(dataclasses.replace(config, seeds=seeds), folder)
        return [FBModel.load(run.path) for run in runs]
