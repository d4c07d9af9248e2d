"""Checkpoints of a run: weights, optimiser state and progress; nothing is unpickled.

A checkpoint is a directory `checkpoint-<step>` that appears whole (written under another name, then
renamed). Inside: `model/` in Hugging Face format, `optimizer.safetensors` (with the older weights
of a run with `staleness`), `run.json`, which has the checksums of the other files. No random state
is kept, because each step's randomness is drawn from the run's seed and the step's number.
"""

import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from zerogym.agents.atomic_files import NotAModel, read_json, read_tensors
from zerogym.agents.checksums import check_file, checksum
from zerogym.agents.llm.distributed import parallel
from zerogym.agents.llm.models.loading import save_model
from zerogym.errors import writing

RECORD, FILES = "run.json", "sha256"  # FILES: its key with the checksum of each other file
_NAME = re.compile(r"checkpoint-(\d+)")


def save_checkpoint(
    out: Path,
    step: int,
    model: Any,
    tokenizer: Any,
    optimizer: dict[str, torch.Tensor],
    run: dict[str, Any],
    keep: int = 1,
) -> Path:
    """Write the state after `step` steps, and delete all but the latest `keep` checkpoints.

    Of several processes of a run the first does so; the others return its path.
    """
    target = out / f"checkpoint-{step:06d}"
    if parallel.rank():
        return target
    out.mkdir(parents=True, exist_ok=True)
    with writing(target), tempfile.TemporaryDirectory(dir=out, prefix=".saving-") as scratch:
        fresh = Path(scratch) / "checkpoint"
        save_model(model, tokenizer, fresh / "model")
        save_file(
            {name: value.contiguous() for name, value in optimizer.items()},
            fresh / "optimizer.safetensors",
        )
        files = [path for path in sorted(fresh.rglob("*")) if path.is_file()]
        sums = {path.relative_to(fresh).as_posix(): checksum(path) for path in files}
        record = json.dumps(run | {FILES: sums}, indent=2)
        (fresh / RECORD).write_text(record, encoding="utf-8")
        if target.exists():
            target.rename(Path(scratch) / "old")
        fresh.rename(target)
    for other in checkpoints(out)[:-keep]:
        shutil.rmtree(other)
    return target


def checkpoints(out: Path) -> list[Path]:
    """Return the complete checkpoints of a run, the latest last."""
    found = [path for path in out.glob("checkpoint-*") if _NAME.fullmatch(path.name)]
    return sorted(found, key=lambda path: int(path.name.partition("-")[2]))


def read_checkpoint(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """Return optimiser tensors and the run's record.

    Raises:
        NotAModel: If a file is missing, damaged, or not as it was written.
    """
    run = read_json(path / RECORD)
    if missing := [name for name in ("step", "config", "evaluations") if name not in run]:
        raise NotAModel(f"{path / RECORD} is no record of a run: it has no {missing[0]}")
    try:
        for name, recorded in dict(run.get(FILES, {})).items():
            check_file(path / name, recorded)
    except (OSError, ValueError, TypeError) as error:
        raise NotAModel(f"{path} is damaged: {error}") from None
    return read_tensors(path / "optimizer.safetensors"), run
