"""A list of stages: each for a number of steps, or until metrics are in an interval."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zerogym.agents.llm.algorithms.stage_table import Stages, StageStep, moving_average, stages

_OWN = ("steps", "until", "least")  # keys of a stage that are no settings


@stages("sequence")
@dataclass(frozen=True)
class Sequence(Stages):
    """Take stages one after another, each for its steps, or until its metrics are in intervals.

    `list` is `{NAME: {"steps": N, "until": {METRIC: [LOW, HIGH]}, "least": N, SETTING: VALUE}}`. A
    stage ends after `steps`, or when it has had `least` steps (by default 1) and the moving average
    of each metric since it began is in its closed interval; with neither it never does. Where
    two stages that repeat have intervals of one metric that do not touch, the switch has a
    hysteresis. MART's rounds, in which adversary and target learn by turns, are two stages of equal
    steps with `learns`. Left out: stages with other learning rates.
    """

    source = (
        "MART: Improving LLM Safety with Multi-round Automatic Red-Teaming (2023, arXiv 2311.07689)"
    )

    list: Mapping[str, Any] = field(default_factory=dict)  # {NAME: {"steps": N, SETTING: VALUE}}
    repeat: bool = False  # whether the first stage follows the last, which else goes on
    decay: float = 0.9  # share of a metric's old average that stays after a step, in [0, 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.decay < 1:
            raise ValueError(f"decay must be in [0, 1), got {self.decay!r}")
        for name, stage in self.list.items():
            if not isinstance(stage, Mapping):
                raise TypeError(f"stage {name!r} must be settings by name, got {stage!r:.60}")
            for key in ("steps", "least"):
                number = stage.get(key, 1)
                if isinstance(number, bool) or not isinstance(number, int) or number < 1:
                    raise ValueError(f"stage {name!r}: {key} must be at least 1, got {number!r}")
            for metric, interval in dict(stage.get("until", {})).items():
                if len(interval) != 2 or not interval[0] <= interval[1]:
                    raise ValueError(
                        f"stage {name!r}: {metric} needs an interval [LOW, HIGH], got {interval!r}"
                    )

    def plan(self) -> dict[str, dict[str, Any]]:
        """Return the settings of each stage; without any the run has one that changes nothing."""
        settings = {
            name: {key: value for key, value in stage.items() if key not in _OWN}
            for name, stage in self.list.items()
        }
        return settings or {"all": {}}

    def __call__(self, step: StageStep) -> str:
        """Return the next stage of the list where this one has ended."""
        stage, until = self.list.get(step.stage, {}), self.list.get(step.stage, {}).get("until", {})
        means = step.state.setdefault("means", {})
        for metric in until:
            if metric in step.metrics:  # a metric may be missing in a step
                means[metric] = moving_average(means.get(metric), step.metrics[metric], self.decay)
        reached = bool(until) and all(
            metric in means and low <= means[metric] <= high
            for metric, (low, high) in until.items()
        )
        over = step.steps >= stage.get("steps", float("inf"))
        if not over and not (reached and step.steps >= stage.get("least", 1)):
            return step.stage
        names = [*self.list]
        place = names.index(step.stage) + 1
        if place == len(names) and not self.repeat:
            return step.stage
        step.state["means"] = {}
        return names[place % len(names)]

    def measures(self, state: Mapping[str, Any]) -> dict[str, float]:
        """Return the moving averages that the present stage looks at."""
        return dict(state.get("means", {}))
