"""The states of the prompts part of a run: after each step from which later ones still draw.

With a staleness of eta the episodes of step t are played with the weights after max(0, t - eta)
steps, and their prompts are drawn from the state of then: so they are the same whenever they are
drawn, and a resumed run draws them again.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from zerogym.agents.llm.algorithms.rollout_tables import Outcome, Prompts
from zerogym.agents.parts import errors_of

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
        with errors_of(self._part):
            state = json.loads(json.dumps(before))
            self._part.learn(outcomes, state)
            self._states[step + 1] = json.loads(json.dumps(state, allow_nan=False))
            measures = self._part.measures(self._states[step + 1])
        return {f"prompts/{name}": float(value) for name, value in measures.items()}

    def record(self, step: int) -> dict[str, State]:
        """Return the states that steps from this one on draw from, as JSON values."""
        oldest = max(0, step - self._staleness)
        return {str(v): state for v, state in self._states.items() if oldest <= v <= step}

    def load(self, record: Mapping[str, State]) -> None:
        """Load what `record` returned."""
        self._states = {int(version): state for version, state in record.items()}
