"""Micro-batches: the episodes that a process computes at once."""

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
        weights: Importance weights of their tokens (B, K); None without a correction.
        metrics: Metrics of the correction.
        values: Values of their tokens (B, K); None without a critic.
        returns: Targets of the values (B, K).
        steps: 1 on the tokens before which there is a value (B, K).
        counts: False where it is computed only because another process computes one.
    """

    rows: Rows
    weights: torch.Tensor | None
    metrics: dict[str, float]
    values: torch.Tensor | None = None
    returns: torch.Tensor | None = None
    steps: torch.Tensor | None = None
    counts: bool = True


def own_chunks(
    flats: Sequence[Flat], config: GRPOConfig, packed: bool
) -> list[tuple[list[int], bool]]:
    """Return the episodes of each of this process's micro-batches, and whether it counts.

    Where the model is sharded, processes with fewer micro-batches than others get additional ones
    of the shortest episode that do not count.

    Args:
        flats: All episodes of the batch.
        config: The settings; `micro_batch` and `micro_tokens` are the sizes.
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
