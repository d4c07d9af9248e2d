"""Mixtures of several tasks in one run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zerogym.agents.llm.algorithms.rollout_tables import Draw, Prompts, prompts
from zerogym.agents.llm.rollout.prompt import Prompt, TaskSpec
from zerogym.agents.llm.rollout.wrapping import check_task


@prompts("mixture")
@dataclass(frozen=True)
class Mixture(Prompts):
    """Draw the task of each prompt with fixed probabilities, then a fresh problem of it.

    `tasks` is `{NAME: {"env": ID, "kwargs": {...}, "wrappers": {...}, "weight": NUMBER}}`; all but
    the id may be missing, a weight is then 1. Without any, the run's own task is the only one.
    Left out: the fit of the weights to scores of runs with other mixtures (MoDoMoDo), and the
    templates of answers (Nemotron-CrossThink).
    """

    source = (
        '"MoDoMoDo: Multi-Domain Data Mixtures for Multimodal LLM Reinforcement Learning" (2025, '
        "arXiv 2505.24871)"
    )
    tasks: Mapping[str, Any] = field(default_factory=dict)  # {NAME: {"env": ID, ...}}
    own: float = 0.0  # weight of the run's own task

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, given in self.tasks.items():
            check_task(f"task {name!r} of a mixture", given, "weight")
            weight = given.get("weight", 1.0)
            if isinstance(weight, bool) or not isinstance(weight, int | float) or not weight > 0:
                raise ValueError(f"the weight of task {name!r} must be above 0, got {weight!r}")
            if given.get("kwargs", {}).get("split") == "test":
                raise ValueError(f"task {name!r}: training on split='test' spoils its evaluation")
        if self.own < 0:
            raise ValueError(f"own must be at least 0, got {self.own!r}")

    def task_specs(self, task: TaskSpec) -> dict[str, TaskSpec]:
        """Return the tasks by name; the run's own is the one without a name."""
        named = {
            name: TaskSpec(given["env"], given.get("kwargs", {}), given.get("wrappers", {}))
            for name, given in self.tasks.items()
        }
        return named | ({"": task} if self.own or not named else {})

    def __call__(self, draw: Draw) -> list[Prompt]:
        tasks = list(self.task_specs(draw.task).items())
        weights = [self._weight(name) for name, _ in tasks]
        shares = [weight / sum(weights) for weight in weights]
        places = draw.rng.choice(len(tasks), size=draw.count, p=shares).tolist()
        return [
            Prompt(tasks[place][1], seed) for place, seed in zip(places, draw.seeds(), strict=True)
        ]

    def _weight(self, name: str) -> float:
        if not name:
            return self.own or 1.0
        return float(self.tasks[name].get("weight", 1.0))
