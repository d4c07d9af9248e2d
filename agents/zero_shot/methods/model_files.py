"""The files of a zero-shot agent: settings, tensors, and transitions for its inference."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from torch import Tensor

from zerogym.agents.atomic_files import (
    NotAModel,
    read_json,
    read_tensors,
    write_tensors,
    write_text,
)
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.parts import recorded_part
from zerogym.agents.zero_shot.agents import AGENTS, Agent

CONFIG_FILE, TENSORS_FILE, SAMPLES_FILE = "config.json", "model.safetensors", "samples.npz"

Model = TypeVar("Model")


class SavedModel(NamedTuple):
    """The content of a model directory.

    Attributes:
        settings: A part of the table of agents.
        samples: Transitions.
        tensors: By name.
        facts: The settings file as it is, with the numbers of `write_model`.
    """

    settings: Any
    samples: Dataset
    tensors: dict[str, Tensor]
    facts: Mapping[str, Any]


def write_model(
    path: Path | str,
    form: str,
    settings: Agent,
    samples: Dataset,
    tensors: Mapping[str, Tensor],
    **facts: int | bool,
) -> None:
    """Write a model directory; the settings last, so that a directory with them is whole.

    Args:
        path: Of the directory.
        form: Name and version of the format, which `read_model` compares.
        settings: Of the agent.
        samples: Transitions to keep.
        tensors: By name.
        **facts: Numbers that stand beside the settings.
    """
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    samples.save(folder / SAMPLES_FILE)
    write_tensors(folder / TENSORS_FILE, dict(tensors))
    record = {"format": form, "agent": settings.record(), **facts}
    write_text(folder / CONFIG_FILE, json.dumps(record, indent=2))


def read_model(path: Path | str, form: str, make: Callable[[SavedModel], Model]) -> Model:
    """Read what `write_model` wrote.

    Args:
        path: Of the directory.
        form: Of the format.
        make: Returns the model of the content; its errors count as damage of the directory.

    Raises:
        NotAModel: If the directory is none of this format, or damaged.
    """
    folder = Path(path)
    facts = read_json(folder / CONFIG_FILE)
    try:
        if facts["format"] != form:
            raise ValueError(f"its format is {facts['format']!r}, not {form!r}")
        settings = AGENTS.make(recorded_part(facts["agent"], folder / CONFIG_FILE))
        samples = Dataset.load(folder / SAMPLES_FILE)
        return make(SavedModel(settings, samples, read_tensors(folder / TENSORS_FILE), facts))
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise NotAModel(f"{folder} is no model of this agent: {error}") from None
