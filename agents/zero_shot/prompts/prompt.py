"""Prompt files: the z of a task, with hashes of its model and samples.

A z is valid for one model only, and one inferred from rewards depends on the samples on which they
were evaluated. Hashes of both are saved with it and checked when it is read.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from zerogym.agents.atomic_files import NotAModel, read_json, write_text
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.settings import check_types
from zerogym.agents.zero_shot.models.inference import of_mixture
from zerogym.agents.zero_shot.models.model import FBModel

FORMAT = "zerogym prompt 1"
FLOAT32 = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Prompt:
    """The z of a task and its origin.

    Attributes:
        z: (d,) numbers.
        task: The task in words.
        model: Hash of the model's weights.
        samples: Hash of the transitions on which a reward was evaluated.
        asked: The task in its environment: the name of a task, a reward over features, or, in
            brackets, the numbers of a goal; empty if unknown.
    """

    z: tuple[float, ...]
    task: str
    model: str
    samples: str
    asked: str = ""

    @classmethod
    def of(
        cls,
        model: FBModel,
        z: NDArray[np.float32],
        task: str,
        samples: Dataset | None = None,
        asked: str = "",
    ) -> "Prompt":
        """Return the prompt of a z of `model.infer`.

        Args:
            model: The model of the z.
            z: (d,).
            task: In words.
            samples: Those given to `infer`; None for the model's own.
            asked: The task in its environment.
        """
        samples = model.samples if samples is None else samples
        hashes = hash_of_model(model), hash_of_samples(samples)
        return cls(tuple(map(float, z)), task, *hashes, asked)

    @classmethod
    def mixed(cls, prompts: Sequence["Prompt"], weights: Sequence[float]) -> "Prompt":
        """Return the prompt of several tasks at once; see `inference.of_mixture`.

        Where all are rewards, an expression keeps their true sizes: `0.5 * goal_1_1 - smooth_3`.

        Args:
            prompts: Of one model and its samples, at least one.
            weights: A finite number for each; below 0 for what is to be avoided.

        Raises:
            ValueError: If they are of several models or samples, their weights do not fit, or
                they cancel out.
        """
        if not prompts or len(prompts) != len(weights) or not np.isfinite(weights).all():
            raise ValueError(
                f"mixed takes a finite weight for each of one prompt or more, got {len(prompts)} "
                f"prompts and weights {list(weights)}"
            )
        first = prompts[0]
        if any((one.model, one.samples) != (first.model, first.samples) for one in prompts):
            raise ValueError("the prompts are of different models or samples: their z do not add")
        z = of_mixture(
            torch.tensor([one.z for one in prompts]), torch.tensor(weights, dtype=torch.float32)
        )
        parts = (f"{weight:g} x ({one.task})" for weight, one in zip(weights, prompts, strict=True))
        return cls(tuple(z.tolist()), " + ".join(parts), first.model, first.samples)

    def save(self, path: Path | str) -> None:
        """Write a JSON file, atomically."""
        write_text(Path(path), json.dumps({"format": FORMAT, **asdict(self)}, indent=2) + "\n")

    @classmethod
    def load(cls, path: Path | str, model: FBModel) -> "Prompt":
        """Read what `save` wrote.

        Raises:
            NotAModel: If it is not a prompt, or was made for another model.
        """
        found = read_json(Path(path))
        try:
            if found.pop("format", None) != FORMAT:
                raise ValueError(f"its format is not {FORMAT!r}")
            z = found.get("z")  # JSON numbers, finite also as float32
            if not isinstance(z, list) or not all(
                type(one) in (int, float) and abs(one) <= FLOAT32 for one in z
            ):
                raise ValueError(f"its z must be finite numbers, got {z!r:.60}")
            prompt = cls(**{**found, "z": tuple(map(float, z))})
            check_types(prompt)
        except (ValueError, TypeError) as error:
            raise NotAModel(f"{path} is not a prompt: {error}") from None
        if prompt.model != hash_of_model(model):
            raise NotAModel(f"{path} was made for another model: its z is not valid for this one")
        if len(prompt.z) != model.shape.dim:
            raise NotAModel(
                f"{path} is not a prompt: its z has {len(prompt.z)} numbers, not {model.shape.dim}"
            )
        return prompt


def hash_of_model(model: FBModel) -> str:
    """Return the SHA-256 of the weights, by name."""
    digest = hashlib.sha256()
    for name, value in sorted(model.state_dict().items()):
        digest.update(name.encode() + value.cpu().numpy().tobytes())
    return digest.hexdigest()


def hash_of_samples(samples: Dataset) -> str:
    """Return the SHA-256 of the transitions."""
    digest = hashlib.sha256()
    for array in samples.columns().values():
        digest.update(
            f"{array.dtype}{array.shape}".encode() + np.ascontiguousarray(array).tobytes()
        )
    return digest.hexdigest()
