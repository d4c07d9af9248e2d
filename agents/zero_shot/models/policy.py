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
        return self.model.predict(observations, self.z, state, episode_start)
