"""Episodes as advantages see them, without a model."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zerogym.agents.llm.algorithms.batch import Batch, Sample
from zerogym.agents.trajectory import Trajectory, Turn


def sample(
    reward: float,
    tokens: int | Sequence[int] = 2,
    penalty: Sequence[float] | None = None,
    signals: Mapping[str, Sequence[float]] | None = None,
    **fields: Any,
) -> Sample:
    """An episode of one reply: so many own tokens, or these; further fields of its trajectory."""
    ids = tuple(tokens) if isinstance(tokens, Sequence) else tuple(range(tokens))
    turn = Turn("", "", (7,), ids, (-1.0,) * len(ids), reward)
    known = {"env": "e", "seed": 0, "episode": 0, "turns": (turn,), "reward": reward}
    return Sample(
        Trajectory(**(known | fields)),
        np.zeros(len(ids)) if penalty is None else np.asarray(penalty, dtype=np.float64),
        signals={name: np.asarray(own, dtype=np.float64) for name, own in (signals or {}).items()},
    )


def group_of(rewards: Sequence[float], **fields: Any) -> Batch:
    """A batch of one group with these rewards, two tokens an episode."""
    return Batch([[sample(reward, **fields) for reward in rewards]])
