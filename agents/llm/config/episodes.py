"""The episodes of a step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.llm.rollout.context_window import CONTEXTS, Context
from zerogym.agents.settings import Group, check_at_least


@describe_fields
@dataclass(frozen=True)
class EpisodesSettings(Group):
    """The number and the length of the episodes of a step."""

    prompts_per_step: int = 16  # problems in a batch
    group_size: int = 8  # episodes of each problem, >= 2; of ppo >= 1
    context: str | Context | Mapping[str, Any] = field(
        default="stop", metadata={"parts": CONTEXTS}
    )  # policy for a conversation that outgrows the model's context
    budget: int = 0  # tokens of one episode, over all its turns; 0: any number

    def _check(self) -> None:
        """Refuse numbers out of range and an unknown context."""
        check_at_least(self, prompts_per_step=1, budget=0)
        CONTEXTS.make(self.context)
