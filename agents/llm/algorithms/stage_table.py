"""The table of stages: which settings of a run hold now, and when others follow; no torch."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from zerogym.agents.parts import Part, Table
from zerogym.agents.trajectory import Trajectory

_HERE = "zerogym.agents.llm.algorithms"


@dataclass(frozen=True)
class StageStep:
    """A step that was taken, as a stages part sees it.

    Attributes:
        stage: The name of the stage in which it was taken.
        steps: Steps since that stage began, this one included.
        metrics: Metrics of the step, those of the rollouts and of the update.
        episodes: All episodes of its rollouts that count, of every seat, with their infos.
        state: JSON values that the part keeps, under its own keys; it changes them in place, and
            checkpoints have them. Empty at first.
    """

    stage: str
    steps: int
    metrics: Mapping[str, float]
    episodes: Sequence[Trajectory]
    state: dict[str, Any]


class Stages(Part):
    """Settings of a run that hold by turns: one trainer, one model, one optimiser.

    A stage changes settings of the task, the episodes, the algorithm and the objective, `kl`,
    `temperature` and `max_new_tokens`; its `env_kwargs` are added to the run's. Each stage keeps
    its own states of the parts of prompts, rollouts, advantage and shaping.
    """

    @abstractmethod
    def plan(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the settings that each stage changes, by its name; the run begins with the first.

        There is at least one. Parts are given by their names or records.
        """

    @abstractmethod
    def __call__(self, step: StageStep) -> str:
        """Return the name of the stage of the next step."""

    def measures(self, state: Mapping[str, Any]) -> dict[str, float]:
        """Return numbers of a state for the log, by name."""
        return {}


STAGES: Table[Stages] = Table("stages", Stages, f"{_HERE}.stages")
stages = STAGES.register


def moving_average(before: float | None, value: float, decay: float) -> float:
    """Return an exponential moving average, which begins with its first value.

    Example:
        >>> moving_average(None, 0.5, 0.9), moving_average(0.5, 1.0, 0.75)
        (0.5, 0.625)
    """
    return value if before is None else decay * before + (1 - decay) * value
