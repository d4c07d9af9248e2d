"""A comparison of algorithms as data: tasks x variants x seeds, each a training run.

A variant is a preset or parts, with any other settings of `GRPOConfig`. Beside the variants stands
their simplest rival: the start model, fine-tuned once on the best replies that it gives itself.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any

from zerogym.agents.llm.algorithms.presets import Algorithm
from zerogym.agents.llm.algorithms.tables import TABLES
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.benchmarks.studies.zero_shot.record import FIRST_SEED
from zerogym.errors import UnknownName

START = "start"  # the row of the model before training
RIVAL = "best_of_start"  # that of the rival
LEAST_SEEDS = 2  # for an interval over runs
_NAME = re.compile(r"\w[\w.+-]*")  # of a task or variant: it names a folder, too
_PLACES = ("out", "seed")  # settings by which the runs of one cell differ


@dataclass(frozen=True)
class Cell:
    """One training run: a task, a variant (or `RIVAL`) and a seed."""

    task: str
    variant: str
    seed: int


@dataclass(frozen=True)
class Study:
    """A comparison of variants.

    Attributes:
        name: Of its files.
        configs: By task and variant the settings of its runs, whatever their `seed` and `out`.
        baseline: The variant that the differences are from; empty: the first.
        seeds: Number of runs of each variant in each task.
        first_seed: Of the runs; the others follow.
        title: Of the page; empty: the name.
        notes: For the page, Markdown: the choice of settings, remarks on the numbers.
        rival: Whether the rival is measured.

    Raises:
        ValueError: If there is no task or variant, a name is reserved or no name of a folder, there
            are too few seeds, or a setting has no meaning in a study.
        UnknownName: If the baseline is no variant.
    """

    name: str
    configs: Mapping[str, Mapping[str, GRPOConfig]]
    baseline: str = ""
    seeds: int = 5
    first_seed: int = FIRST_SEED
    title: str = ""
    notes: str = ""
    rival: bool = True

    def __post_init__(self) -> None:
        if not self.configs:
            raise ValueError("a study needs a task: a table [tasks.NAME]")
        if not self.variants:
            raise ValueError("a study needs a variant: a table [variants.NAME]")
        for name in (self.name, *self.tasks, *self.variants):
            if not _NAME.fullmatch(name) or name in (START, RIVAL):
                raise ValueError(f"{name!r:.80} cannot be a name in a study")
        if not self.baseline:
            object.__setattr__(self, "baseline", self.variants[0])
        if self.baseline not in self.variants:
            raise UnknownName("variant", self.baseline, self.variants)
        if self.seeds < LEAST_SEEDS:
            raise ValueError(f"seeds must be at least {LEAST_SEEDS}, got {self.seeds!r}")
        if self.first_seed < 0:
            raise ValueError(f"first_seed must be at least 0, got {self.first_seed!r}")
        for config in (each for own in self.configs.values() for each in own.values()):
            if not config.steps or not config.eval_episodes:
                raise ValueError("runs of a study need steps and eval_episodes above 0")
            if config.lora_per_seat and self.rival:
                raise ValueError("lora_per_seat needs rival = false: the rival has no adapters")
        for task in self.tasks if self.rival else ():
            self.config(Cell(task, RIVAL, self.first_seed))  # raises if it cannot be without parts

    @property
    def tasks(self) -> list[str]:
        """The names of the tasks."""
        return list(self.configs)

    @property
    def variants(self) -> list[str]:
        """The names of the variants, which every task has."""
        return list(next(iter(self.configs.values())))

    @property
    def cells(self) -> list[Cell]:
        """All training runs: seed by seed, so that a study that is stopped has whole rounds."""
        seeds = range(self.first_seed, self.first_seed + self.seeds)
        rows = [*self.variants, *([RIVAL] if self.rival else [])]
        return [Cell(task, row, seed) for seed, task, row in product(seeds, self.tasks, rows)]

    def config(self, cell: Cell) -> GRPOConfig:
        """Return the settings of a run; those of the rival are the baseline's, without parts."""
        own = self.configs[cell.task]
        if cell.variant != RIVAL:
            return replace(own[cell.variant], seed=cell.seed)
        plain: dict[str, Any] = {field.name: None for field in fields(Algorithm)}
        return replace(own[self.baseline], preset="grpo", seed=cell.seed, **plain)

    def settings(self, cell: Cell) -> dict[str, Any]:
        """Return the settings of a run that differ from the defaults, parts whole, JSON values."""
        config, default = self.config(cell), GRPOConfig().record()
        record = {k: v for k, v in config.record().items() if k not in _PLACES and v != default[k]}
        parts = {k: TABLES[k].record(getattr(config, k)) for k in record.keys() & TABLES.keys()}
        found: dict[str, Any] = json.loads(json.dumps(record | parts))
        return found
