"""The data of a forward-backward run."""

from dataclasses import dataclass

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import Group
from zerogym.agents.zero_shot.settings.checks import check_least


@describe_fields
@dataclass(frozen=True)
class DatasetSettings(Group):
    """The transitions to learn from: stored ones, or those of a random policy."""

    data: str | None = None  # a folder of `zerogym collect` to learn from, instead of collecting
    data_steps: int = 20_000  # transitions collected by a random policy before training
    hold: int = 1  # steps for which a random action is repeated while collecting

    def _check(self) -> None:
        """Refuse lengths below one."""
        check_least(self, data_steps=1, hold=1)
