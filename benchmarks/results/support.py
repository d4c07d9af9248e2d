"""Support of two models: the problems that each solves, and what the later one kept and lost.

"The Invisible Leash: Why RLVR May or May Not Escape Its Origin" (2025, arXiv 2507.14843): a model's
empirical support is what it does correctly with more than a small probability, and training may
preserve, shrink and expand it. Here it is counted in problems, by the share of correct samples.
Left out: several correct solutions of a problem, and the chance that a rare one is sampled by
neither model or only by one, for which both need many samples.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SupportChange:
    """Numbers of problems by the models that solve them.

    Attributes:
        kept: Both do.
        lost: Only the first does.
        gained: Only the second does.
        outside: Neither does.
    """

    kept: int
    lost: int
    gained: int
    outside: int

    @property
    def retention(self) -> float | None:
        """Share of the first model's support that is kept; None where it has none."""
        return _share(self.kept, self.kept + self.lost)

    @property
    def discovery(self) -> float | None:
        """Share of the second model's support that is gained; None where it has none."""
        return _share(self.gained, self.kept + self.gained)

    @property
    def net_change(self) -> float | None:
        """(gained - lost) by the problems that either solves; None where there is none."""
        return _share(self.gained - self.lost, self.kept + self.lost + self.gained)


def support_change(
    first: Sequence[float], second: Sequence[float], threshold: float = 0.0
) -> SupportChange:
    """Return how the support of a second model differs from that of a first.

    Args:
        first: Share of correct samples of each problem.
        second: Of the same problems in the same order.
        threshold: A problem is in the support if its share is above it, in [0, 1).

    Raises:
        ValueError: If the numbers of problems differ, or the threshold is out of its range.

    Example:
        >>> support_change([0.5, 0.1, 0.0, 0.0], [1.0, 0.0, 0.2, 0.0])
        SupportChange(kept=1, lost=1, gained=1, outside=1)
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} problems are not {len(second)}")
    if not 0 <= threshold < 1:
        raise ValueError(f"the threshold must be in [0, 1), got {threshold}")
    pairs = [(a > threshold, b > threshold) for a, b in zip(first, second, strict=True)]
    return SupportChange(
        kept=pairs.count((True, True)),
        lost=pairs.count((True, False)),
        gained=pairs.count((False, True)),
        outside=pairs.count((False, False)),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
