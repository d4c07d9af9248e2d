"""A zero-shot model with its task fixed is an ordinary policy."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerogym.agents.zero_shot.models.model import FBModel


class FixedTask:
    """The policy of one task; a `zerogym.agents.core.Policy`.

    Works where Stable-Baselines3 expects a model, `evaluate_policy` included.

    Args:
        model: A trained model.
        z: The task (d,), from `model.infer`.

    Raises:
        ValueError: If `z` does not have shape (d,) or is not finite.
    """

    def __init__(self, model: FBModel, z: ArrayLike) -> None:
        self.model, self.z = model, np.asarray(z, dtype=np.float32)
        if self.z.shape != (model.shape.dim,) or not np.isfinite(self.z).all():
            raise ValueError(
                f"z must be {model.shape.dim} finite numbers, got shape {self.z.shape}"
            )

    def predict(
        self,
        observations: ArrayLike,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[Any], Any]:
        """Actions (B,) or (B, m) for observations (B, k), without randomness.

        The state is passed through, unless the model is recurrent: then it holds the histories.
        """
        return respond(self.model, self.z, observations, state, episode_start)


def respond(
    model: FBModel,
    z: ArrayLike,
    observations: ArrayLike,
    state: Any = None,
    episode_start: Any = None,
) -> tuple[NDArray[Any], Any]:
    """Predict as `FixedTask`, with one z (d,) or one for each of B episodes (B, d)."""
    if model.shape.encoding.kind != "history":
        return model.act(observations, z), state
    histories = model.recall(observations, state, episode_start)
    actions = model.act(histories, z)
    return actions, model.history_state(histories, actions)
