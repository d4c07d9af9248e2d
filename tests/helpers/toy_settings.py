"""Settings with a group and parts, for the tests of options and files."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True)
class Part:
    """Base of the parts."""


@dataclass(frozen=True)
class Plain(Part):
    """A part without settings."""


@dataclass(frozen=True)
class Tempo(Part):
    """A part with settings."""

    alpha: float = 0.3  # strength of the tempo
    bound: int | None = None  # largest tempo


@dataclass(frozen=True)
class Steady(Part):
    """A part that shares the name of a setting, with another type."""

    alpha: tuple[int, ...] = (1, 2)  # beats


@dataclass(frozen=True)
class Own(Part):
    """A part that is in no table."""

    depth: int = 1  # of the thought


class Table(dict[str, type[Part]]):
    """A table that imports `module:Class`."""

    def __missing__(self, name: str) -> type[Part]:
        module, _, attribute = name.partition(":")
        found: type[Part] = getattr(importlib.import_module(module), attribute)
        return found


TABLE = Table(plain=Plain, tempo=Tempo, steady=Steady)


@dataclass(frozen=True)
class Momentum:
    """Settings of the momentum."""

    first: float = 0.9  # decay of the mean


@dataclass(frozen=True)
class Optimizer:
    """Settings of the optimiser."""

    lr: float = 1e-3  # learning rate
    momentum: Momentum = field(default_factory=Momentum)


@dataclass(frozen=True)
class Toy:
    """All kinds of settings."""

    env: str = "zerogym/Countdown-v0"  # the task
    steps: int = 5  # of training
    # -- Details
    exact: bool = False  # or not
    names: tuple[str, ...] = ()  # of files
    mode: Literal["fast", "slow"] = "fast"  # of the run
    place: Path | None = None  # of the results
    extra: Mapping[str, Any] = field(default_factory=dict)  # arguments
    optimizer: Optimizer = field(default_factory=Optimizer)
    advantage: str | Part = field(default="plain", metadata={"parts": TABLE})  # the estimator
    second: str | Part | None = field(default=None, metadata={"parts": TABLE})  # another

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise ValueError(f"steps must be at least 1, got {self.steps}")
