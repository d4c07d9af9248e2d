"""Acting towards a return: rewards are taken off the target as they come."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from zerogym.agents.offline.sequences.model import SequenceModel
from zerogym.envs.control.core.tasks import Task

Signal = Task | Callable[[Any, Any, Any], Any]


class History(NamedTuple):
    """The last steps of one episode, the newest last; the newest has no action yet.

    Attributes:
        time: Place of the first of them in the episode.
        conditions: What was still to come at each step, C numbers each.
        observations: Of each step, (k,) each.
        actions: Of each step but the newest.
    """

    time: int
    conditions: tuple[tuple[float, ...], ...]
    observations: tuple[NDArray[Any], ...]
    actions: tuple[Any, ...]


class TargetPolicy:
    """A `zerogym.agents.core.Policy` whose state is the history of each episode.

    Args:
        model: The sequence model.
        context: Steps that it reads at most.
        conditions: Return, and budget of cost, of a whole episode.
        signals: Rewards, and costs, as tasks or functions of (obs, action, next_obs).
        seed: Of sampled actions.

    Raises:
        ValueError: If a condition is not finite.
    """

    def __init__(
        self,
        model: SequenceModel,
        context: int,
        conditions: Sequence[float],
        signals: Sequence[Signal],
        seed: int,
    ) -> None:
        if not all(map(math.isfinite, conditions)):
            raise ValueError(f"return and budget must be finite, got {tuple(conditions)}")
        self.model, self.context, self.conditions = model, context, tuple(map(float, conditions))
        self._signals = [one.relabel if isinstance(one, Task) else one for one in signals]
        self._rng = np.random.default_rng(seed)

    def predict(
        self,
        observations: Any,
        state: Sequence[History] | None = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[Any], tuple[History, ...]]:
        """Return actions (B,) or (B, m) for observations (B, k), and the histories.

        Args:
            observations: Those of the environment.
            state: What the last call returned; None: all episodes are new.
            episode_start: Bools (B,), True where a new episode begins.
            deterministic: Whether to take the likeliest discrete action instead of a sample.

        Raises:
            ValueError: If observations or histories have another shape or number.
        """
        read, shape = np.asarray(observations, dtype=np.float32), self.model.shape
        if read.ndim != 2 or read.shape[1] != shape.observation:
            raise ValueError(
                f"observations must have shape (B, {shape.observation}), got {read.shape}"
            )
        if state is not None and len(state) != len(read):
            raise ValueError(f"{len(read)} observations but histories of {len(state)} episodes")
        fresh = np.zeros(len(read), bool) if episode_start is None else np.asarray(episode_start)
        histories = [
            History(0, (self.conditions,), (row,), ())
            if state is None or fresh[i]
            else self._continued(state[i], row)
            for i, row in enumerate(read)
        ]
        actions = self._choose(self._outputs(histories), deterministic)
        return actions, tuple(
            one._replace(actions=(*one.actions, act))
            for one, act in zip(histories, actions, strict=True)
        )

    def _continued(self, history: History, observation: NDArray[Any]) -> History:
        step = (history.observations[-1][None], np.asarray(history.actions[-1])[None])
        came = [float(one(*step, observation[None])[0]) for one in self._signals]
        left = tuple(c - r for c, r in zip(history.conditions[-1], came, strict=True))
        conditions = (*history.conditions, left)[-self.context :]
        dropped = len(history.conditions) + 1 - len(conditions)
        return History(
            history.time + dropped,
            conditions,
            (*history.observations, observation)[-self.context :],
            history.actions[dropped:],
        )

    @torch.no_grad()
    def _outputs(self, histories: Sequence[History]) -> NDArray[np.float32]:
        """The model's output at the newest step of each history, (B, A) or (B, m)."""
        shape, batch = self.model.shape, len(histories)
        lengths = np.array([len(one.conditions) for one in histories])
        longest = int(lengths.max())
        conditions = np.zeros((batch, longest, shape.conditions), np.float32)
        observations = np.zeros((batch, longest, shape.observation), np.float32)
        actions = (
            np.zeros((batch, longest), np.int64)
            if shape.discrete
            else np.zeros((batch, longest, shape.actions), np.float32)
        )
        for i, (one, length) in enumerate(zip(histories, lengths, strict=True)):
            conditions[i, :length] = one.conditions
            observations[i, :length] = one.observations
            if length > 1:  # what follows the newest observation is not read
                actions[i, : length - 1] = one.actions
        times = np.array([one.time for one in histories])[:, None] + np.arange(longest)
        out = self.model(*map(torch.as_tensor, (conditions, observations, actions, times)))
        found: NDArray[np.float32] = out.numpy()[np.arange(batch), lengths - 1]
        return found

    def _choose(self, outputs: NDArray[np.float32], deterministic: bool) -> NDArray[Any]:
        if not self.model.shape.discrete:
            return outputs
        if deterministic:
            return outputs.argmax(1)
        chances = np.exp(outputs.astype(np.float64) - outputs.max(1, keepdims=True))
        bounds = chances.cumsum(1)
        drawn = self._rng.random(len(bounds)) * bounds[:, -1]
        return (bounds <= drawn[:, None]).sum(1)
