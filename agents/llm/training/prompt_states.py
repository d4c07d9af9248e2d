"""The states of the prompts and rollouts parts of a run: those from which later steps go on.

With a staleness of eta the episodes of step t are played with the weights after max(0, t - eta)
steps, and their prompts are drawn from the state of then: so they are the same whenever they are
drawn, and a resumed run draws them again. What a rollouts part keeps depends on the rollouts before
alone, which are played in order: each step finds what the one before left, and a resumed run has
the state before the first batch that is not yet trained on.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from zerogym.agents.llm.algorithms.rollout_tables import Outcome, Prompts
from zerogym.agents.parts import Part, errors_of

State = dict[str, Any]


class PromptStates:
    """The states of a prompts part.

    Args:
        part: The part.
        staleness: Steps by which the state of a draw is older than the step.
    """

    def __init__(self, part: Prompts, staleness: int) -> None:
        self._part, self._staleness = part, staleness
        self._states: dict[int, State] = {0: {}}  # by steps

    def before(self, step: int) -> State:
        """Return the state from which the prompts of a step are drawn; not to be changed."""
        return self._states.get(max(0, step - self._staleness), {})

    def learn(self, step: int, outcomes: Sequence[Outcome]) -> dict[str, float]:
        """Learn from the outcomes of a step, and return the metrics of the new state.

        Raises:
            PartFailed: If the part raises, or its state is not JSON; the state is then that before.
        """
        before = self._states.get(step, {})
        self._states[step + 1] = before
        oldest = step + 1 - self._staleness
        self._states = {v: state for v, state in self._states.items() if v >= oldest}
        state = json_copy(self._part, before)
        with errors_of(self._part):
            self._part.learn(outcomes, state)
            self._states[step + 1] = json_copy(self._part, state)
            measures = self._part.measures(self._states[step + 1])
        return {f"prompts/{name}": float(value) for name, value in measures.items()}

    def record(self, step: int) -> dict[str, State]:
        """Return the states that steps from this one on draw from, as JSON values."""
        oldest = max(0, step - self._staleness)
        return {str(v): state for v, state in self._states.items() if oldest <= v <= step}

    def load(self, record: Mapping[str, State]) -> None:
        """Load what `record` returned."""
        self._states = {int(version): state for version, state in record.items()}


class RolloutStates:
    """State of a rollouts part: the state before each step that is not yet trained on."""

    def __init__(self) -> None:
        self._states: dict[int, Mapping[str, Any]] = {0: {}}  # by steps

    def before(self, step: int) -> Mapping[str, Any]:
        """Return what the rollouts of a step find; not to be changed."""
        return self._states.get(step, {})

    def keep(self, step: int, state: Mapping[str, Any]) -> None:
        """Keep what the rollouts of a step left."""
        self._states[step + 1] = state

    def drop_before(self, step: int) -> None:
        """Drop the states before a step, which has been reached."""
        for version in list(self._states):  # another thread may be adding one
            if version < step:
                del self._states[version]

    def record(self, step: int) -> dict[str, Mapping[str, Any]]:
        """Return the state before a step, as JSON values."""
        return {str(step): self.before(step)}

    def load(self, record: Mapping[str, State]) -> None:
        """Load what `record` returned."""
        self._states = {int(version): state for version, state in record.items()}


def json_copy(part: Part, state: Mapping[str, Any]) -> State:
    """Return a copy of a part's state.

    Raises:
        PartFailed: If it is not JSON.
    """
    with errors_of(part):
        copied: State = json.loads(json.dumps(state, allow_nan=False))
    return copied
