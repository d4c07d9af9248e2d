"""A reference model that follows the trained one, as a part of the table `reference` says."""

from typing import Any

import torch

from zerogym.agents.llm.algorithms.loss_tables import Reference
from zerogym.agents.llm.learner.optimizer import in_float32
from zerogym.agents.parts import errors_of

_NAME = "reference."  # its tensors' names in the learner's state begin so
_UPDATES = f"{_NAME}updates"


class MovingReference:
    """The weights of a reference model, changed after each update.

    Weights of lower precision have copies in float32, in which small changes add up.

    Args:
        model: The reference model, changed in place.
        part: What becomes of a weight.
    """

    def __init__(self, model: Any, part: Reference) -> None:
        self.part, self.updates = part, 0
        self.weights = dict(model.named_parameters())
        self.exact = {name: in_float32(weight) for name, weight in self.weights.items()}

    @torch.no_grad()
    def follow(self, policy: Any) -> None:
        """Count an update of the policy, and change the weights."""
        self.updates += 1
        for name, new in policy.named_parameters():
            exact = self.exact[name]
            with errors_of(self.part):
                exact.copy_(self.part(exact, new.to(exact.dtype), self.updates))
            self.weights[name].copy_(exact)

    def state(self) -> dict[str, torch.Tensor]:
        """Return weights and count as named tensors."""
        weights = {f"{_NAME}{name}": weight.detach() for name, weight in self.exact.items()}
        return {**weights, _UPDATES: torch.tensor(self.updates)}

    @torch.no_grad()
    def take_state(self, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Load what `state` returned, and return the tensors that are not its own."""
        self.updates = int(tensors[_UPDATES])
        for name, exact in self.exact.items():
            exact.copy_(tensors[f"{_NAME}{name}"])
            self.weights[name].copy_(exact)
        return {name: own for name, own in tensors.items() if not name.startswith(_NAME)}
