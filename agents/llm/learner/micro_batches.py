"""Micro-batches: which episodes of a batch are computed at once, and by which process."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from zerogym.agents.llm.distributed import parallel
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.learner.packing import by_length, by_prompt
from zerogym.agents.llm.learner.rows import Rows
from zerogym.agents.trajectory import Flat


@dataclass(frozen=True)
class MicroBatch:
    """A part of a batch that is computed at once.

    Attributes:
        rows: The episodes.
        weights: Of their tokens (B, K), where the engine is corrected for.
        metrics: Of the correction.
        values: Of their tokens (B, K), where the algorithm has values.
        returns: What these should be (B, K).
        counts: False where it is computed only because another process computes one.
    """

    rows: Rows
    weights: torch.Tensor | None
    metrics: dict[str, float]
    values: torch.Tensor | None = None
    returns: torch.Tensor | None = None
    counts: bool = True


def own_chunks(
    flats: Sequence[Flat], config: GRPOConfig, packed: bool
) -> list[tuple[list[int], bool]]:
    """The episodes of each of this process's micro-batches, and whether it counts.

    Those are together that go well together. Where the model is in parts, processes with fewer
    micro-batches than others get some of the shortest episode that do not count.

    Args:
        flats: All episodes of the batch.
        config: How many episodes or tokens a micro-batch has.
        packed: Whether its episodes share one row; else they are padded to the longest.
    """
    order = sorted(range(len(flats)), key=lambda index: len(flats[index].ids))
    own = sorted(parallel.strided_share(order))  # as many long ones as any other process has
    chunks = _cut([flats[index] for index in own], config, packed)
    counted = [([own[place] for place in chunk], True) for chunk in chunks]
    most = max(parallel.all_gather(len(chunks))) if config.shard else 0
    return counted + [(order[:1], False)] * (most - len(chunks))


def _cut(flats: Sequence[Flat], config: GRPOConfig, packed: bool) -> list[list[int]]:
    size, tokens = config.micro_batch, config.micro_tokens
    if packed:
        return by_prompt(flats, size, tokens)
    lengths = [len(flat.ids) for flat in flats]
    if tokens:
        return by_length(lengths, tokens)
    order = sorted(range(len(flats)), key=lambda index: lengths[index])
    return [order[i : i + size] for i in range(0, len(order), size)]
