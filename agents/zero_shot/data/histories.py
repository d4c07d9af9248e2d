"""Histories of the last observations and actions, the same in training and when acting.

After "Zero-Shot Reinforcement Learning Under Partial Observability" (2025, arXiv 2506.15446): a row
is an observation and the action that led to it; a history is the last L rows of the same walk, run
anew in each step, and begins with copies of the first observation without an action. Shapes: n
transitions, k features of an observation, A of an action (one-hot where actions are numbered).
`wrappers/observation/observation_history.py` shows the same rows to agents without recurrence.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from zerogym.agents.zero_shot.data.tensor_dataset import Batch, TensorDataset


def with_actions(data: TensorDataset, code: Callable[[Tensor], Tensor]) -> TensorDataset:
    """Return data whose features are rows (N, k + A).

    Args:
        data: Of observations, (N, k).
        code: Actions as numbers, (N, A).
    """
    columns = data.transitions
    done = code(columns.actions)  # (N, A)
    before = torch.zeros_like(done)
    before[1:] = done[:-1]
    before[columns.row == columns.first] = 0
    here = torch.cat([columns.features, before], -1)
    there = torch.cat([columns.next_features, done], -1)
    return data._replace(transitions=columns._replace(features=here, next_features=there))


def with_histories(batch: Batch, columns: Batch, length: int) -> Batch:
    """Return a batch whose features are histories (n, length, k + A), before and after the step.

    Args:
        batch: With rows as features, (n, k + A).
        columns: Of all transitions, with rows.
        length: L.
    """
    back = torch.arange(length - 1, -1, -1, device=batch.row.device)  # (L,)
    places = torch.maximum(batch.row[:, None] - back, batch.first[:, None])  # (n, L)
    here = columns.features[places]  # (n, L, k + A)
    there = torch.cat([here[:, 1:], batch.next_features[:, None]], 1)
    return batch._replace(features=here, next_features=there)


class HistoryState(NamedTuple):
    """The state that a policy carries from step to step of B episodes."""

    histories: NDArray[np.float32]  # (B, L, k + A)
    actions: NDArray[np.float32]  # (B, A) done since

    def of(self, rows: NDArray[Any]) -> "HistoryState":
        """Return the state of some of the episodes, by their indices or a mask (B,)."""
        return HistoryState(self.histories[rows], self.actions[rows])


def recall(
    observations: ArrayLike,
    before: HistoryState | None,
    episode_start: ArrayLike | None,
    length: int,
    actions: int,
) -> NDArray[np.float32]:
    """Return histories (B, length, k + A) up to these observations (B, k).

    Args:
        observations: (B, k).
        before: The state so far; None if all episodes begin.
        episode_start: (B,) whether an episode begins; None if none does.
        length: L.
        actions: A.

    Raises:
        ValueError: If the state is of another number of episodes.
    """
    current = np.asarray(observations, dtype=np.float32)
    rows = np.concatenate([current, np.zeros((len(current), actions), np.float32)], -1)
    fresh = np.repeat(rows[:, None], length, axis=1)
    if before is None:
        return fresh
    if before.histories.shape != fresh.shape:
        raise ValueError(
            f"the state is of {len(before.histories)} episodes, but {len(fresh)} observations came"
        )
    rows[:, -actions:] = before.actions
    longer = np.concatenate([before.histories[:, 1:], rows[:, None]], 1)
    if episode_start is None:
        return longer
    begins = np.asarray(episode_start, dtype=bool)[:, None, None]  # (B, 1, 1)
    return np.where(begins, fresh, longer)


def coded(actions: NDArray[Any], count: int, discrete: bool) -> NDArray[np.float32]:
    """Encode actions of B episodes as numbers, (B, count)."""
    if discrete:
        return np.eye(count, dtype=np.float32)[actions]
    return np.asarray(actions, dtype=np.float32)
