"""The learner of sequence losses: losses of the scores of whole groups of episodes.

A group may lie in several micro-batches and processes. With scores s that are sums over tokens, the
gradient of a loss L is `sum_i dL/ds_i grad s_i`: a pass without gradient gives all scores, the part
gives the coefficients, and micro-batches use them as constants. The coefficients are computed anew
in every pass.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import torch

from zerogym.agents.llm.algorithms.batch import Batch, Floats
from zerogym.agents.llm.algorithms.loss_tables import SequenceLoss, Totals
from zerogym.agents.llm.learner.learner import Learner, check_known
from zerogym.agents.llm.learner.micro_batches import MicroBatch, own_chunks
from zerogym.agents.llm.learner.rows import Rows
from zerogym.agents.parts import errors_of
from zerogym.agents.trajectory import Flat, Trajectory
from zerogym.errors import PartFailed


class SequenceLearner(Learner):
    """A learner of the algorithm's `sequence_loss`; same arguments as `Learner`."""

    def _update(self, groups: Sequence[Sequence[Trajectory]]) -> dict[str, float]:
        check_known([item for group in groups for item in group])
        batch = self._view(
            groups, [np.zeros(sum(item.flatten().mask)) for group in groups for item in group]
        )
        flats = [sample.flat for sample in batch.samples]
        kept = [i for i, flat in enumerate(flats) if any(flat.mask)]
        metrics = {"actor/rows": float(len(kept))}
        auxiliary = self._auxiliary(groups)
        if not kept and auxiliary is None:
            return metrics
        part = self.algorithm.sequences
        assert part is not None
        base = (
            self._scored(flats, self._reference)
            if part.against_reference
            else [sample.logprobs for sample in batch.samples]
        )
        chunks = own_chunks([flats[i] for i in kept], self.config, self.packed)
        totals = Totals(len(flats), 1, 1)
        with self.optimizer.transaction() if self.config.passes > 1 else nullcontext():
            for _ in range(self.config.passes):
                now = self._scored(flats, lambda rows: self._logprobs(self.model, rows))
                scores = [float((a - b).sum()) for a, b in zip(now, base, strict=True)]
                value, own = coefficients(part, batch, scores)
                batches = [
                    replace(self._weighed([kept[i] for i in chunk], flats, own), counts=counts)
                    for chunk, counts in chunks
                ]
                metrics |= self._step(batches, totals, auxiliary)
                metrics |= {"actor/loss": value, "actor/score": float(np.mean(scores))}
        return metrics

    def _weighed(
        self, which: Sequence[int], flats: Sequence[Flat], own: Sequence[float]
    ) -> MicroBatch:
        """Return a micro-batch whose weights are the coefficients of its episodes."""
        weights: list[Floats] = [np.full(sum(flats[i].mask), own[i]) for i in which]
        rows = Rows.make([flats[i] for i in which], weights, self.model.device)
        return MicroBatch(rows, None, {})

    def loss(self, batch: MicroBatch, totals: Totals) -> tuple[torch.Tensor, dict[str, float]]:
        """Return the sum of scores by their coefficients, whose gradient is that of the loss."""
        rows = batch.rows
        logprobs = self._logprobs(self.model, rows).masked_fill(rows.mask == 0, 0.0)  # (B, K)
        return (logprobs * rows.advantages).sum(), {}


def coefficients(
    part: SequenceLoss, batch: Batch, scores: Sequence[float]
) -> tuple[float, list[float]]:
    """Return the mean loss over the groups, and its derivative by the score of each episode.

    Raises:
        PartFailed: If the part raises, or returns no scalar, or a derivative that is not finite
            although all returns are.
    """
    total, found = 0.0, list[float]()
    for group, own in zip(batch.groups, batch.grouped(scores), strict=True):
        variable = torch.tensor(own, dtype=torch.float64, requires_grad=True)  # (G,)
        returns = torch.tensor([sample.total for sample in group], dtype=torch.float64)
        with errors_of(part):
            loss = part(variable, returns) / len(batch.groups)
            (gradient,) = torch.autograd.grad(loss, variable)
        if not gradient.isfinite().all() and returns.isfinite().all():
            raise PartFailed(f"{part.title()} has a gradient that is not finite")
        total += float(loss.detach())
        found += gradient.tolist()
    return total, found
