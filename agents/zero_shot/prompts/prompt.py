"""A task as an agent understood it: z, and what it was inferred from.

A z means something for one model only, and one inferred from rewards depends on the samples on
which they were evaluated. Both are therefore kept with it, as hashes, and checked when it is read.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

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
    """What `FixedTask` needs to act.

    Attributes:
        z: (d,) numbers.
        task: The task in words.
        model: Hash of the model's weights.
        samples: Hash of the transitions on which a reward was evaluated.
        asked: What it is in its world: the name of a task, a reward over features, or, in
            brackets, the numbers of a goal; empty where nobody said.
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
        """The prompt of a z that `model.infer` has just given.

        Args:
            model: Which gave it.
            z: (d,).
            task: In words.
            samples: Those given to `infer`; None for the model's own.
            asked: What the world calls it.
        """
        seen = model.samples if samples is None else samples
        hashes = hash_of_model(model), hash_of_samples(seen)
        return cls(tuple(map(float, z)), task, *hashes, asked)

    @classmethod
    def mixed(cls, prompts: Sequence["Prompt"], weights: Sequence[float]) -> "Prompt":
        """Several tasks at once, however each was told; see `inference.of_mixture`.

        Where all are rewards, an expression says it with their true sizes:
        `0.5 * goal_1_1 - smooth_3`.

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
        told = (f"{weight:g} x ({one.task})" for weight, one in zip(weights, prompts, strict=True))
        return cls(tuple(z.tolist()), " + ".join(told), first.model, first.samples)

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
            prompt = cls(**{**found, "z": _finite(found.get("z"))})
            check_types(prompt)
        except (ValueError, TypeError) as error:
            raise NotAModel(f"{path} is not a prompt: {error}") from None
        if prompt.model != hash_of_model(model):
            raise NotAModel(f"{path} was made for another model: its z means nothing to this one")
        if len(prompt.z) != model.shape.dim:
            raise NotAModel(
                f"{path} is not a prompt: its z has {len(prompt.z)} numbers, not {model.shape.dim}"
            )
        return prompt


def _finite(numbers: Any) -> tuple[float, ...]:
    """A list of JSON numbers, finite also as float32."""
    if not isinstance(numbers, list) or not all(
        type(one) in (int, float) and abs(one) <= FLOAT32 for one in numbers
    ):
        raise ValueError(f"its z must be finite numbers, got {numbers!r:.60}")
    return tuple(map(float, numbers))


def hash_of_model(model: FBModel) -> str:
    """SHA-256 of the weights, by name."""
    digest = hashlib.sha256()
    for name, value in sorted(model.state_dict().items()):
        digest.update(name.encode() + value.cpu().numpy().tobytes())
    return digest.hexdigest()


def hash_of_samples(samples: Dataset) -> str:
    """SHA-256 of the transitions."""
    digest = hashlib.sha256()
    for array in samples.columns().values():
        digest.update(
            f"{array.dtype}{array.shape}".encode() + np.ascontiguousarray(array).tobytes()
        )
    return digest.hexdigest()
