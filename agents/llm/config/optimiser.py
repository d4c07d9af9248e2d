"""The optimiser of a run."""

from dataclasses import dataclass

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import Group, check_above, check_at_least


@describe_fields
@dataclass(frozen=True)
class OptimiserSettings(Group):
    """The steps of the weights, and the pieces in which their gradient is computed."""

    lr: float | None = None  # learning rate; None: 1e-4 if under 10 million weights learn, or 1e-5
    passes: int = 1  # optimiser steps on each batch
    max_grad_norm: float = 1.0  # longer gradients are scaled down
    skip_grad_norm: float = 0.0  # steps with a longer gradient are not taken; 0: all are
    micro_batch: int = 32  # episodes in one forward pass of the update
    micro_tokens: int = 0  # tokens in one, whatever the number of episodes; 0: micro_batch decides
    gradient_checkpointing: bool = False  # layers are computed twice, for less memory
    packing: bool | None = None  # episodes in one row without padding; None: if the model can

    def _check(self) -> None:
        """Refuse numbers out of range."""
        check_at_least(self, passes=1, skip_grad_norm=0, micro_batch=1, micro_tokens=0)
        check_above(self, max_grad_norm=0)
        if self.lr is not None:
            check_above(self, lr=0)
