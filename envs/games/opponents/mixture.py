"""Several opponents of which one is drawn for each episode."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from zerogym.envs.games.core.game import draw


@dataclass(frozen=True, eq=False)
class Mixture:
    """Opponents, and how often each is met.

    Attributes:
        members: Players or policies; a mixture among them gives its members its share.
        weights: Positive; they need not sum to 1.

    Raises:
        ValueError: If the weights are no such numbers, or too few or too many.
    """

    members: tuple[Any, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.members or len(self.members) != len(self.weights):
            raise ValueError(f"{len(self.members)} opponents have {len(self.weights)} weights")
        for weight in self.weights:
            number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
            if not number or not isfinite(weight) or weight <= 0:
                raise ValueError(f"weights of opponents must be positive numbers, got {weight!r}")

    @classmethod
    def flat(cls, members: Sequence[Any], weights: Sequence[float]) -> "Mixture":
        """A mixture whose members are no mixtures."""
        parts = cls(tuple(members), tuple(weights))
        flat: list[tuple[Any, float]] = []
        for member, weight in zip(parts.members, parts.weights, strict=True):
            if isinstance(member, Mixture):
                share = weight / sum(member.weights)
                flat += zip(member.members, (share * w for w in member.weights), strict=True)
            else:
                flat.append((member, weight))
        return cls(tuple(m for m, _ in flat), tuple(w for _, w in flat))

    def draw(self, rng: np.random.Generator) -> int:
        """The index of a member, from one number of the generator."""
        return draw(self.weights, rng)
