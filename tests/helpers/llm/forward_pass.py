"""Log-probabilities by plain forward passes, and replies as if a model had drawn them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from zerogym.agents.trajectory import Trajectory

torch = pytest.importorskip("torch")


def recomputed(
    model: Any, prompt: Sequence[int], ids: Sequence[int], temperature: float = 1.0
) -> Any:
    """Return the log-probability of each id after a prompt (T,), by one pass over one row."""
    row = torch.tensor([[*prompt, *ids]])
    logits = model(input_ids=row, use_cache=False).logits[0, len(prompt) - 1 : -1] / temperature
    return logits.float().log_softmax(-1).gather(-1, row[0, len(prompt) :, None])[:, 0]


def by_turn(model: Any, item: Trajectory) -> list[Any]:
    """Return the log-probabilities of each reply (T,) after all that is before it."""
    ids: list[int] = []
    found = []
    for turn in item.turns:
        ids = [*(() if turn.fresh else ids), *turn.prompt_ids]
        found.append(recomputed(model, ids, turn.action_ids))
        ids += turn.action_ids
    return found


def drawn(model: Any, item: Trajectory) -> Trajectory:
    """Return an episode whose replies have the log-probabilities that a model gives them."""
    with torch.no_grad():
        pairs = zip(item.turns, by_turn(model, item), strict=True)
        turns = [replace(turn, logprobs=tuple(found.tolist())) for turn, found in pairs]
    return replace(item, turns=tuple(turns))
