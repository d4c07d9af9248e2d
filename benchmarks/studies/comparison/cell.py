"""One training run of a study, and that of the rival; both go on where they were stopped."""

import hashlib
import json
import shutil
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.evaluation import Evaluation
from zerogym.agents.llm.supervised.rejection_sampling import RejectionConfig, rejection_sampling
from zerogym.agents.llm.training.grpo import Result, train
from zerogym.agents.trajectory import read_jsonl
from zerogym.benchmarks.studies.comparison.study import RIVAL, Cell
from zerogym.errors import ZerogymError

Row = dict[str, Any]
DIGITS = 4
NO_STEP = 1e-30  # a learning rate that changes no weight: float32 ends 1e-7 below it


def measure(cell: Cell, config: GRPOConfig, folder: Path) -> Row:
    """Train, evaluate before and after, and return the row of the cell.

    Args:
        cell: Which.
        config: Its settings.
        folder: Holds the run until it is whole; a run that is there goes on.

    Returns:
        The cell with `before` and `after` (an `Evaluation` each) and `seconds` of the CPU since its
        last start; or with `error`, a line, if training raised an error on purpose.

    Raises:
        KeyboardInterrupt: On Ctrl-C, after the run was saved.
    """
    begun, row = time.process_time(), asdict(cell)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        played = _rival if cell.variant == RIVAL else _variant
        before, after = played(config, folder)
    except ZerogymError as error:
        return row | {"error": str(error)}
    removed = folder.with_name(f".{folder.name}")
    folder.rename(removed)  # at once: half a run could not go on
    shutil.rmtree(removed)
    scores = {"before": _shown(before), "after": _shown(after)}
    return row | scores | {"seconds": round(time.process_time() - begun, 1)}


def folder_of(cell: Cell, settings: Mapping[str, Any]) -> str:
    """Return the name of the folder of a run; with other settings it is another one."""
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
    return f"{cell.task}-{cell.variant}-{cell.seed}-{digest[:8]}"


def _variant(config: GRPOConfig, folder: Path) -> tuple[Evaluation, Evaluation]:
    result = _finished(replace(config, out=str(folder / "run")))
    assert result.before is not None and result.after is not None
    return result.before, result.after


def _rival(config: GRPOConfig, folder: Path) -> tuple[Evaluation, Evaluation]:
    """Fine-tune on the best reply to each problem of as many episodes as a run plays.

    Only replies count that are at least as good as the mean of all. The problems are those of the
    runs, and there are as many optimiser steps.
    """
    playing = replace(config, out=str(folder / "play"), keep_rollouts=True, lr=NO_STEP, passes=1)
    before = _finished(playing).before
    rollouts = folder / "play" / "rollouts"
    returns = [item.reward for file in sorted(rollouts.iterdir()) for item in read_jsonl(file)]
    shutil.rmtree(folder / "best", ignore_errors=True)
    best = RejectionConfig(
        rollouts=(str(rollouts),), model=config.model, out=str(folder / "best"),
        least_reward=fmean(returns), steps=config.steps * config.passes, seed=config.seed,
        device=config.device, lr=config.lr or RejectionConfig.lr,
    )  # fmt: skip
    tuned = str(rejection_sampling(best).model)
    shutil.rmtree(folder / "score", ignore_errors=True)
    score = replace(config, model=tuned, steps=0, lora_rank=0, out=str(folder / "score"))
    after = _finished(score).before
    assert before is not None and after is not None
    return before, after


def _finished(config: GRPOConfig) -> Result:
    result = train(config, resume=True)
    if result.status == "interrupted":
        raise KeyboardInterrupt
    return result


def _shown(evaluation: Evaluation) -> dict[str, Any]:
    return {
        name: round(value, DIGITS) if isinstance(value, float) else value
        for name, value in asdict(evaluation).items()
    }
