"""Low-rank adapters, in place of the weights."""

from dataclasses import dataclass

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import Group, check_above, check_at_least


@describe_fields
@dataclass(frozen=True)
class AdaptersSettings(Group):
    """Low-rank adapters that are trained in place of the weights."""

    lora_rank: int = 0  # of adapters, which are then all that is trained; 0: the weights are
    lora_alpha: float = 32.0  # an adapter is scaled by lora_alpha / lora_rank
    lora_targets: tuple[str, ...] = ()  # names of layers with one; none: linear ones but the output
    lora_per_seat: bool = False  # each seat of a game trains an adapter of its own

    def _check(self) -> None:
        """Refuse numbers out of range, and adapters of seats without adapters."""
        check_at_least(self, lora_rank=0)
        check_above(self, lora_alpha=0)
        if self.lora_per_seat and not self.lora_rank:
            raise ValueError("lora_per_seat needs adapters: set lora_rank, say 8")
