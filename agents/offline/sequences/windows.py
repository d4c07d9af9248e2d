"""Windows of trajectories: consecutive steps with what is still to come after each of them."""

from typing import NamedTuple

import torch
from torch import Tensor

from zerogym.agents.offline.transitions import Transitions


class Windows(NamedTuple):
    """B windows of T steps, padded after their end.

    Attributes:
        conditions: (B, T, C) float32.
        observations: (B, T, k) float32.
        actions: (B, T) int64 or (B, T, m) float32.
        times: (B, T) int64, places of the steps in their trajectories, from 0.
        present: (B, T) bool, False where the window is padded.
    """

    conditions: Tensor
    observations: Tensor
    actions: Tensor
    times: Tensor
    present: Tensor


def to_go(values: Tensor, ends: Tensor) -> Tensor:
    """Return for each step the sum of values (n,) from it to the end of its trajectory, (n,)."""
    before = torch.cat([torch.zeros(1, dtype=torch.float64), values.double().cumsum(0)])
    return (before[ends + 1] - before[:-1]).float()


def times_of(ends: Tensor) -> Tensor:
    """Return the place of each step in its trajectory, (n,) int64 from 0."""
    _, counts = torch.unique_consecutive(ends, return_counts=True)
    firsts = (counts.cumsum(0) - counts).repeat_interleave(counts)
    return torch.arange(len(ends)) - firsts


class Steps(NamedTuple):
    """All steps of the data in their order, from which windows are cut.

    Attributes:
        data: n transitions with `ends`.
        conditions: (n, C) float32: the return, and the cost, from each step on.
        times: (n,) int64.
    """

    data: Transitions
    conditions: Tensor
    times: Tensor

    def windows(self, starts: Tensor, length: int) -> Windows:
        """Return windows of at most so many steps from these rows (B,) on."""
        assert self.data.ends is not None
        rows = starts[:, None] + torch.arange(length)  # (B, T)
        last = self.data.ends[starts][:, None]
        kept = rows.minimum(last)
        return Windows(
            self.conditions[kept],
            self.data.observations[kept],
            self.data.actions[kept],
            self.times[kept],
            rows <= last,
        )


def steps_of(data: Transitions, constrained: bool) -> Steps:
    """Return the steps of the data with their conditions.

    Args:
        data: The transitions.
        constrained: Whether the cost to go is a condition beside the return to go.

    Raises:
        ValueError: If the data do not say where trajectories end, or have no costs.
    """
    if data.ends is None:
        raise ValueError(
            "these transitions do not say where trajectories end: give `ends`, as `relabelled` does"
        )
    sums = [data.rewards]
    if constrained:
        if data.costs is None:
            raise ValueError(
                "these transitions have no costs, which a constrained agent needs: collect again "
                "where the environment reports info['cost'], or give `costs` to `relabelled`"
            )
        sums.append(data.costs)
    conditions = torch.stack([to_go(one, data.ends) for one in sums], 1)
    return Steps(data, conditions, times_of(data.ends))
