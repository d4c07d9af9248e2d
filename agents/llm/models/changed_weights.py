"""The share of weights that training has changed.

"Reinforcement Learning Finetunes Small Subnetworks in Large Language Models" (2025, arXiv
2505.11711) finds that a few per cent up to a third of the weights of published models have changed,
by comparing bfloat16 files with a tolerance of 1e-5. How much of that is the rounding of small
steps, the share of changed numbers in bfloat16 tells beside that of the weights as they are stored.
Left out: the rank of the change, training of the subnetwork alone.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open

from zerogym.agents.atomic_files import NotAModel
from zerogym.agents.llm.models.directories import ADAPTER, model_directory


@dataclass(frozen=True)
class ChangedWeights:
    """Weights of two models with the same tensors.

    Attributes:
        name: Name of the tensor; empty for the whole model.
        weights: Their number.
        changed: How many differ by more than the tolerance.
        rounded: How many differ after rounding to bfloat16.
    """

    name: str
    weights: int
    changed: int
    rounded: int

    @property
    def share(self) -> float:
        """The share that differs by more than the tolerance."""
        return self.changed / self.weights

    @property
    def rounded_share(self) -> float:
        """The share that differs in bfloat16."""
        return self.rounded / self.weights


def changed_weights(
    start: str | os.PathLike[str], trained: str | os.PathLike[str], tolerance: float = 1e-5
) -> tuple[ChangedWeights, list[ChangedWeights]]:
    """Return the changed weights of a model, and of each of its tensors.

    Files are read tensor by tensor, so that two models need not fit into memory.

    Args:
        start: The model before, by name or folder.
        trained: The model after.
        tolerance: Largest difference that counts as none, at least 0.

    Raises:
        ModelNotFound, UnknownName: If there is no such model.
        NotAModel: If a file is damaged.
        ValueError: If one is an adapter, their tensors differ in name or shape, or the tolerance is
            negative.
    """
    if not tolerance >= 0:
        raise ValueError(f"tolerance must be at least 0, got {tolerance!r}")
    folders = [model_directory(name) for name in (start, trained)]
    for folder in folders:
        if (folder / ADAPTER).is_file():
            raise ValueError(f"{folder} is an adapter: compare whole models, such as RUN/model")
    with ExitStack() as files:
        before, after = (_tensors(folder, files) for folder in folders)
        if before.keys() != after.keys():
            different = sorted(before.keys() ^ after.keys())
            raise ValueError(
                f"{folders[0]} and {folders[1]} differ in tensors: {different[0]}, ..."
            )
        found = [
            _compared(name, _read(before, name), _read(after, name), tolerance) for name in before
        ]
    sums = (
        sum(getattr(each, name) for each in found) for name in ("weights", "changed", "rounded")
    )
    return ChangedWeights("", *sums), found


def _tensors(folder: Path, files: ExitStack) -> dict[str, tuple[Path, Any]]:
    """Return the open file of each tensor of a model, by the tensor's name."""
    return dict(_opened(folder, files))


def _opened(folder: Path, files: ExitStack) -> Iterator[tuple[str, tuple[Path, Any]]]:
    for path in sorted(folder.glob("*.safetensors")):
        try:
            file = files.enter_context(safe_open(path, framework="pt"))
        except (SafetensorError, OSError) as error:
            raise NotAModel(f"{path} cannot be read as safetensors: {error}") from None
        for name in file.keys():  # noqa: SIM118 (no mapping)
            yield name, (path, file)


def _read(tensors: dict[str, tuple[Path, Any]], name: str) -> torch.Tensor:
    path, file = tensors[name]
    try:
        tensor: torch.Tensor = file.get_tensor(name)
    except (SafetensorError, OSError) as error:
        raise NotAModel(f"{path} cannot be read as safetensors: {error}") from None
    return tensor


def _compared(
    name: str, before: torch.Tensor, after: torch.Tensor, tolerance: float
) -> ChangedWeights:
    if before.shape != after.shape:
        shapes = f"{tuple(before.shape)} and {tuple(after.shape)}"
        raise ValueError(f"the tensor {name} has two shapes, {shapes}")
    difference = (after.double() - before.double()).abs()
    rounded = before.bfloat16() != after.bfloat16()
    return ChangedWeights(
        name, before.numel(), int((difference > tolerance).sum()), int(rounded.sum())
    )
