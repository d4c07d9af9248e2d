"""The episodes of a step."""

from dataclasses import dataclass

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.llm.rollout.context_window import CONTEXTS, ContextKind
from zerogym.agents.settings import Group, check_at_least
from zerogym.errors import UnknownName


@describe_fields
@dataclass(frozen=True)
class EpisodesSettings(Group):
    """The number and the length of the episodes of a step."""

    prompts_per_step: int = 16  # problems in a batch
    group_size: int = 8  # episodes of each problem, >= 2; of ppo >= 1
    context: ContextKind = "stop"  # where it overflows: stop, truncate, summarise, markovian
    budget: int = 0  # tokens of one episode, over all its turns; 0: any number

    def _check(self) -> None:
        """Refuse numbers out of range and an unknown context."""
        check_at_least(self, prompts_per_step=1, budget=0)
        if self.context not in CONTEXTS:
            raise UnknownName("context", self.context, list(CONTEXTS))
