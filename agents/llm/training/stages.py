"""The stages of a run: the settings that hold now, and what each stage keeps for its next turn.

A run without stages has one of its own settings. The weights, the optimiser and the reference go
through all stages; the states of the parts of prompts, rollouts, advantage and shaping belong to a
stage, so that two of them may have other parts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zerogym.agents.llm.algorithms.stage_table import StageStep
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.learner.learner import Learner
from zerogym.agents.llm.training.batch import Batch
from zerogym.agents.llm.training.prompt_states import PromptStates, RolloutStates, json_copy
from zerogym.agents.llm.training.seat_adapters import SeatLearner
from zerogym.agents.parts import errors_of
from zerogym.errors import PartFailed


@dataclass
class RunStage:
    """A stage of a run.

    Attributes:
        config: Its settings.
        prompts: States of its prompts part, by steps of this stage.
        kept: States of its rollouts part, by steps of this stage.
        parts: States of its other parts while another stage holds.
        taken: Steps of this stage so far.
    """

    config: GRPOConfig
    prompts: PromptStates
    kept: RolloutStates = field(default_factory=RolloutStates)
    parts: dict[str, Any] = field(default_factory=dict)
    taken: int = 0


class RunStages:
    """The stages of a run, of which one holds.

    Args:
        config: The settings of the run.

    Attributes:
        name: The name of the stage that holds; empty where the run has no stages.
    """

    def __init__(self, config: GRPOConfig) -> None:
        self._part = config.staging
        self.all = {
            name: RunStage(own, PromptStates(own.source, config.staleness))
            for name, own in config.staged.items()
        }
        self.name = next(iter(self.all))
        self._steps = 0  # since this stage began
        self._state: dict[str, Any] = {}  # of the part

    @property
    def now(self) -> RunStage:
        """The stage that holds."""
        return self.all[self.name]

    def place(self, step: int) -> int:
        """Return which step of the stage that holds a step of the run is, both from 0."""
        return step - sum(stage.taken for name, stage in self.all.items() if name != self.name)

    def end_step(
        self, batch: Batch, metrics: Mapping[str, float], learner: Learner | SeatLearner
    ) -> dict[str, float]:
        """Let the parts of the stage learn from a step, and switch the stage; return their metrics.

        Raises:
            PartFailed: If a part raises, or names no stage.
        """
        stage = self.now
        found = stage.prompts.learn(stage.taken, batch.outcomes(learner.strengths))
        stage.taken += 1
        stage.kept.drop_before(stage.taken)
        if self._part is None:
            return found
        self._steps += 1
        number = float([*self.all].index(self.name))
        episodes = [each for group in batch.rolled_out for each in group if each.counts]
        state = json_copy(self._part, self._state)
        with errors_of(self._part):
            following = self._part(
                StageStep(self.name, self._steps, {**metrics, **found}, episodes, state)
            )
            measures = self._part.measures(state)
        if following not in self.all:
            raise PartFailed(
                f"{self._part.title()} chose the stage {following!r:.60}, there are "
                f"{', '.join(self.all)}"
            )
        self._state = json_copy(self._part, state)
        if following != self.name:
            self._switch(following, learner)
        shown = {f"stages/{name}": float(value) for name, value in measures.items()}
        return {**found, "stages/stage": number, **shown}

    def _switch(self, name: str, learner: Learner | SeatLearner) -> None:
        """Let another stage hold."""
        self.now.parts = learner.part_state()
        self.name, self._steps = name, 0
        learner.change_settings(self.now.config)
        learner.set_part_state(self.now.parts)

    def record(self, step: int) -> dict[str, Any]:
        """Return the states of all stages before a step, as JSON values for a checkpoint."""
        if self._part is None:
            now = self.now
            return {"prompts": now.prompts.record(step), "rollouts": now.kept.record(step)}
        stages = {
            name: {
                "prompts": stage.prompts.record(stage.taken),
                "rollouts": stage.kept.record(stage.taken),
                "parts": stage.parts,
                "taken": stage.taken,
            }
            for name, stage in self.all.items()
        }
        place = {"name": self.name, "steps": self._steps, "state": self._state}
        return {"stages": {**place, "all": stages}}

    def load(self, record: Mapping[str, Any], learner: Learner | SeatLearner) -> None:
        """Load what `record` returned, and the learner's states of parts with it."""
        if self._part is None:
            self.now.prompts.load(record.get("prompts", {}))
            self.now.kept.load(record.get("rollouts", {}))
            self.now.taken = int(record["step"])
        else:
            saved = record["stages"]
            self.name, self._steps, self._state = saved["name"], saved["steps"], saved["state"]
            for name, stage in self.all.items():
                own = saved["all"][name]
                stage.prompts.load(own["prompts"])
                stage.kept.load(own["rollouts"])
                stage.parts, stage.taken = own["parts"], own["taken"]
            learner.change_settings(self.now.config)
        learner.set_part_state(record.get("parts", {}))
