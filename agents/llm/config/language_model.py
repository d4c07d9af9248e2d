"""The model of a run, and the form of its conversations."""

from dataclasses import dataclass

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.llm.rollout.chat_template import ChatKind
from zerogym.agents.settings import Group, check_at_least


@describe_fields
@dataclass(frozen=True)
class LanguageModelSettings(Group):
    """The model that a run starts from, and the text around its conversations."""

    model: str = "tiny"  # of `load_model`: a name, a directory, a hub id
    imitation: int = 0  # steps that imitate random legal replies, before all others
    chat: ChatKind = "auto"  # template, plain, or auto
    system: str | None = None  # system text

    def _check(self) -> None:
        """Refuse numbers out of range."""
        check_at_least(self, imitation=0)
