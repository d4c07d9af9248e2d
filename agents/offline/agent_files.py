"""Folders of offline agents: settings, sizes, weights; and the state of training as tensors."""

import dataclasses
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor, nn

from zerogym.agents.atomic_files import (
    NotAModel,
    read_json,
    read_tensors,
    write_tensors,
    write_text,
)
from zerogym.agents.parts import recorded_part
from zerogym.errors import ImportRefused

CONFIG_FILE, WEIGHTS_FILE = "config.json", "model.safetensors"
_PARTS = ("method", "draw")  # settings that name parts

Agent = TypeVar("Agent")


class SavedAgent(NamedTuple):
    """The content of a folder.

    Attributes:
        config: The settings, JSON values.
        shape: The sizes of the networks.
        weights: By name, for `load_state_dict`.
        record: All that stands in the file of settings.
    """

    config: dict[str, Any]
    shape: dict[str, Any]
    weights: dict[str, Tensor]
    record: Mapping[str, Any]


def write_agent(
    path: Path | str, form: str, config: Mapping[str, Any], net: nn.Module, **facts: Any
) -> None:
    """Write a folder; the settings last, so that an incomplete one is no agent.

    Optimisers are left out: what is loaded acts, and learns on as if it began.

    Args:
        path: Of the folder.
        form: Name and version of the format, which `read_agent` compares.
        config: The settings, JSON values.
        net: The networks, whose `shape` is a dataclass.
        **facts: JSON values that stand beside the settings.
    """
    folder, shape = Path(path), dataclasses.asdict(net.shape)  # type: ignore[call-overload]
    folder.mkdir(parents=True, exist_ok=True)
    write_tensors(folder / WEIGHTS_FILE, net.state_dict())
    record = {"format": form, "config": dict(config), "shape": shape, **facts}
    write_text(folder / CONFIG_FILE, json.dumps(record, indent=2))


def read_agent(
    path: Path | str, form: str, kind: str, make: Callable[[SavedAgent], Agent]
) -> Agent:
    """Read what `write_agent` wrote; nothing is unpickled or imported.

    Args:
        path: Of the folder.
        form: Of the format.
        kind: The agent in messages, with its article.
        make: Returns the agent of the content; its errors count as damage of the folder.

    Raises:
        NotAModel: If the folder is none of this format, or damaged.
        ImportRefused: If the settings name a part of a module that is not imported.
    """
    folder = Path(path)
    record = read_json(folder / CONFIG_FILE)
    try:
        if record["format"] != form:
            raise ValueError(f"its format is {record['format']!r}, not {form!r}")
        config = dict(record["config"])
        for name in _PARTS:
            recorded_part(config.get(name), folder / CONFIG_FILE)
        weights = read_tensors(folder / WEIGHTS_FILE)
        return make(SavedAgent(config, dict(record["shape"]), weights, record))
    except (NotAModel, ImportRefused):
        raise
    except (ValueError, KeyError, TypeError, RuntimeError) as error:
        raise NotAModel(f"{folder} is not {kind}: {error}") from None


class Learning(NamedTuple):
    """All that training changes, beside the number of updates.

    Attributes:
        net: The networks.
        optimisers: By name.
        generator: Of batches and noise.
    """

    net: nn.Module
    optimisers: Mapping[str, torch.optim.Optimizer]
    generator: torch.Generator

    def tensors(self, updates: int) -> dict[str, Tensor]:
        """Return weights, moments, the generator's state and the number of updates by name."""
        found = {"updates": torch.tensor(updates), "generator": self.generator.get_state()}
        found |= {f"net.{name}": value for name, value in self.net.state_dict().items()}
        return found | {
            f"optimiser.{name}.{row}.{key}": value
            for name, one in self.optimisers.items()
            for row, moments in one.state_dict()["state"].items()
            for key, value in moments.items()
        }

    def load_tensors(self, found: Mapping[str, Tensor]) -> int:
        """Restore what `tensors` returned, and return the number of updates.

        Raises:
            KeyError: If a tensor is missing.
            RuntimeError: If one does not fit.
        """
        self.net.load_state_dict(_below("net.", found))
        for name, one in self.optimisers.items():
            state: dict[int, dict[str, Tensor]] = {}
            for key, value in _below(f"optimiser.{name}.", found).items():
                row, _, moment = key.partition(".")
                state.setdefault(int(row), {})[moment] = value
            one.load_state_dict({"state": state, "param_groups": one.state_dict()["param_groups"]})
        self.generator.set_state(found["generator"])
        return int(found["updates"])


class Resumable(ABC):
    """An agent whose training can be kept and continued exactly.

    Attributes:
        updates: Gradient steps so far.
    """

    updates: int

    @property
    @abstractmethod
    def _learning(self) -> Learning: ...

    def tensors(self) -> dict[str, Tensor]:
        """Return the whole state of training by name, for `load_tensors`."""
        return self._learning.tensors(self.updates)

    def load_tensors(self, found: Mapping[str, Tensor]) -> None:
        """Restore what `tensors` returned: training goes on as if it had never stopped.

        Raises:
            KeyError: If a tensor is missing.
            RuntimeError: If one does not fit.
        """
        self.updates = self._learning.load_tensors(found)


def _below(prefix: str, found: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {k.removeprefix(prefix): v for k, v in found.items() if k.startswith(prefix)}
