"""The representation of a forward-backward run: its features of states."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import Group
from zerogym.agents.zero_shot.features import FEATURES, Features
from zerogym.agents.zero_shot.settings.checks import check_least


@describe_fields
@dataclass(frozen=True)
class RepresentationSettings(Group):
    """The features B of states: their kind, their length, and how they are learned."""

    features: str | Features | Mapping[str, Any] = field(
        default="fb", metadata={"parts": FEATURES}
    )  # what B is; another than fb makes F the successor features of B
    dim: int = 48  # d, the length of z, F and B
    orthonormality: float = 1.0  # weight of B's orthonormality loss, which carries a factor 1/2
    exact: bool = True  # sum over every distinct state of the data instead of the batch's others
    lr_backward: float = 1e-2  # Adam's rate for B

    @property
    def phi(self) -> Features:
        """The part that `features` names."""
        return FEATURES.make(self.features)

    def _check(self) -> None:
        """Refuse unknown features and numbers out of range; features of a user become a part."""
        check_least(self, dim=1, orthonormality=0, lr_backward=0)
        part = self.phi
        if not isinstance(self.features, str) or ":" in self.features:
            object.__setattr__(self, "features", part)
